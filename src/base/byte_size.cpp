#include "base/byte_size.hpp"

#include <charconv>
#include <cmath>
#include <string>

#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// The exponent of 1024, -1 for what is no unit.
int power_of_unit(std::string_view unit) {
  if (unit.empty() || unit == "b") return 0;
  const auto power = std::string_view("kmgt").find(unit.front());
  const std::string_view rest = unit.substr(1);
  return power == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")
             ? -1
             : static_cast<int>(power) + 1;
}

}  // namespace

uint64_t parse_byte_size(std::string_view text) {
  const auto fail = [&](const char* expected) -> QueryError {
    return QueryError("size " + quoted(text) + ": expected " + expected);
  };
  const std::string plain = lower(trim(text));
  const auto end_of_number = std::min(plain.find_first_not_of("0123456789."), plain.size());
  const std::string_view number = std::string_view(plain).substr(0, end_of_number);
  const int power = power_of_unit(trim(std::string_view(plain).substr(end_of_number)));
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (number.empty() || number.front() == '.' || number.back() == '.' || error != std::errc{} ||
      end != number.data() + number.size() || power < 0) {
    throw fail("a number and a unit, such as 4GB, 512MB, 1.5GiB or 1000");
  }
  const double bytes = std::floor(std::ldexp(value, 10 * power));
  if (bytes >= 0x1p64) throw fail("less than 2^64 bytes");
  if (bytes < 1) throw fail("more than zero bytes");
  // A whole number of bytes is not rounded to the 53 bits of a double.
  uint64_t whole = 0;
  if (power == 0 && std::from_chars(number.data(), number.data() + number.size(), whole).ptr == end) return whole;
  return static_cast<uint64_t>(bytes);
}

}  // namespace tacore
