#include "model/spdx.hpp"

#include <algorithm>
#include <array>

namespace tacore {

namespace {

/// Sorted without regard to case. All identifiers of the SPDX License List 3.27.0, deprecated ones included, and those
/// added until 2026-09-17. Facts only; the list is CC0-1.0.
constexpr auto kIdentifiers = std::to_array<std::string_view>({
#include "model/spdx_licences.inc"
});

constexpr char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool less(std::string_view a, std::string_view b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](char x, char y) { return lower_letter(x) < lower_letter(y); });
}

static_assert(std::is_sorted(kIdentifiers.begin(), kIdentifiers.end(), less));

}  // namespace

std::span<const std::string_view> spdx_licences() noexcept { return kIdentifiers; }

std::string_view spdx_spelling(std::string_view id) noexcept {
  const auto found = std::lower_bound(kIdentifiers.begin(), kIdentifiers.end(), id, less);
  return found != kIdentifiers.end() && !less(id, *found) ? *found : std::string_view();
}

bool is_spdx_licence(std::string_view id) noexcept { return !spdx_spelling(id).empty(); }

}  // namespace tacore
