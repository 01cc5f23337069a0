#pragma once

#include <span>
#include <string_view>

namespace tacore {

/// True when `id` is a licence identifier of the SPDX list (version in spdx.cpp), deprecated ones
/// included, compared as SPDX does, ignoring case. Expressions and LicenseRef-... are not known.
bool is_spdx_licence(std::string_view id) noexcept;

/// The identifier as the SPDX list spells it ("cc-by-4.0": "CC-BY-4.0"), "" for other text.
std::string_view spdx_spelling(std::string_view id) noexcept;

/// All of them, sorted without regard to case.
std::span<const std::string_view> spdx_licences() noexcept;

}  // namespace tacore
