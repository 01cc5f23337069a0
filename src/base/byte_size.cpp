#include "tacore/write/byte_size.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr std::string_view kDecimalDigits = "0123456789";

/// "", B, KB, K, KiB, ... as a power of two; -1 for anything else.
int shift_of(std::string_view given) {
  std::string unit = lower(given);
  if (unit.size() > 1 && unit.ends_with('b')) unit.pop_back();
  if (unit.size() > 1 && unit.ends_with('i')) unit.pop_back();
  if (unit.empty() || unit == "b") return 0;
  const auto at = std::string_view("kmgt").find(unit);
  return unit.size() > 1 || at == std::string_view::npos ? -1 : 10 * (static_cast<int>(at) + 1);
}

}  // namespace

uint64_t parse_size(std::string_view given) {
  const auto fail = [&](const char* why) {
    throw ValidationError(std::string("the size ") + in_quotes(given) + " " + why +
                          ", expected a size such as 4GB, 512MB, 1.5 TiB or 1000");
  };
  const std::string_view text = trimmed(given);
  const auto end_of_digits = [&](std::size_t from) {
    return std::min(text.find_first_not_of(kDecimalDigits, from), text.size());
  };
  const std::size_t whole_end = end_of_digits(0);
  std::size_t end = whole_end;
  double fraction = 0;
  if (end < text.size() && text[end] == '.') {
    end = end_of_digits(whole_end + 1);
    if (end == whole_end + 1) fail("has no digits after the decimal point");
    fraction = parse_number(text.substr(whole_end, end - whole_end)).value_or(0);
  }
  uint64_t whole = 0;
  const auto [_, error] = std::from_chars(text.data(), text.data() + whole_end, whole);
  if (error == std::errc::result_out_of_range) fail("is too large");
  if (error != std::errc()) fail("does not begin with a number");
  const int shift = shift_of(trimmed(text.substr(end)));
  if (shift < 0) fail("has a unit other than B, KB, MB, GB, TB, KiB, MiB, GiB or TiB");
  if (whole > (uint64_t{INT64_MAX} >> shift)) fail("is too large");
  const uint64_t out = (whole << shift) + static_cast<uint64_t>(std::ldexp(fraction, shift));
  if (out == 0) fail("is 0");
  return out;
}

}  // namespace tacore
