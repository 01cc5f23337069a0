#include "base/number_text.hpp"

#include <locale.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/text.hpp"

namespace tacore {
namespace {

// Every double has at most 309 digits before the point and 1,074 after it.
constexpr std::size_t kMaxText = 1536;

/// Never freed: numbers are also written while the process ends.
locale_t c_locale() {
  static const locale_t locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}

/// printf of one number in the C locale.
std::string formatted(const char* format, int precision, double value) {
  std::array<char, kMaxText> text;
  const locale_t before = ::uselocale(c_locale());
  const int size = std::snprintf(text.data(), text.size(), format, precision, value);
  ::uselocale(before);
  return {text.data(), static_cast<std::size_t>(std::max(size, 0))};
}

template <class Number>
Number parsed(const char* text, char** end) {
  if constexpr (sizeof(Number) == sizeof(float)) return ::strtof_l(text, end, c_locale());
  return static_cast<Number>(::strtod_l(text, end, c_locale()));
}

/// A finite number as 0.DIGITS * 10^exponent, with the fewest digits that read back as it.
struct Shortest {
  bool is_negative;
  std::string digits;
  int exponent;
};

/// A number in printf's form %e with its last digit one greater; unchanged when that is a 9.
std::string with_next_digit(std::string text) {
  char& last = text[text.find('e') - 1];
  if (last < '9') ++last;
  return text;
}

template <class Number>
Shortest shortest(Number value) {
  using Limits = std::numeric_limits<Number>;
  // Up to digits10 decimal digits read back unless the number is subnormal, and printf drops none that are needed.
  int num_digits = std::abs(value) < Limits::min() ? 1 : Limits::digits10;
  const auto reads_back = [&](const std::string& text) { return parsed<Number>(text.c_str(), nullptr) == value; };
  std::string text;
  for (;; ++num_digits) {
    text = formatted("%.*e", num_digits - 1, value);
    if (num_digits >= Limits::max_digits10 || reads_back(text)) break;
    // Above a power of two, numbers are twice as far apart as below: a text that is farther away may read back.
    text = with_next_digit(std::move(text));
    if (reads_back(text)) break;
  }
  Shortest out{std::signbit(value), {}, 0};
  const auto e = text.find('e');
  out.exponent = std::atoi(text.c_str() + e + 1) + 1;
  std::copy_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(e), std::back_inserter(out.digits), is_digit);
  out.digits.erase(std::max<std::size_t>(out.digits.find_last_not_of('0') + 1, 1));
  if (value == 0) out.exponent = 1;
  return out;
}

std::string with_exponent(const Shortest& number) {
  std::string out = (number.is_negative ? "-" : "") + number.digits.substr(0, 1);
  if (number.digits.size() > 1) out += '.' + number.digits.substr(1);
  const int exponent = number.exponent - 1;
  const std::string digits = std::to_string(std::abs(exponent));
  return out + (exponent < 0 ? "e-" : "e+") + (digits.size() < 2 ? "0" : "") + digits;
}

template <class Number>
std::string without_exponent(const Shortest& number, Number value) {
  const std::string& digits = number.digits;
  const auto point = static_cast<std::ptrdiff_t>(number.exponent);
  const auto size = static_cast<std::ptrdiff_t>(digits.size());
  // A whole number beyond its digits: with its own digits instead of zeros.
  if (point > size) return formatted("%.*f", 0, value);
  std::string out = number.is_negative ? "-" : "";
  if (point <= 0) return out + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  out += digits.substr(0, static_cast<std::size_t>(point));
  return point == size ? out : out + '.' + digits.substr(static_cast<std::size_t>(point));
}

std::string special_text(double value) {
  return std::string(std::signbit(value) ? "-" : "") + (std::isnan(value) ? "nan" : "inf");
}

template <class Number>
std::string shortest_text(Number value) {
  if (!std::isfinite(value)) return special_text(value);
  const Shortest number = shortest(value);
  std::string scientific = with_exponent(number);
  // The text without an exponent has at least this many characters.
  if (std::abs(number.exponent) > static_cast<int>(scientific.size())) return scientific;
  std::string plain = without_exponent(number, value);
  return plain.size() <= scientific.size() ? plain : scientific;
}

/// How many characters at the beginning may be a decimal number: not "0x1p3", which strtod reads, too.
std::size_t number_size(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    if (lower(text.substr(at, word.size())) == word) return at + word.size();
  }
  const auto skip_digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at - from;
  };
  std::size_t num_digits = skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    num_digits += skip_digits();
  }
  if (num_digits == 0) return 0;
  const std::size_t end = at;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (skip_digits() > 0) return at;
  }
  return end;
}

}  // namespace

std::string number_text(double value) { return shortest_text(value); }

std::string number_text(float value) { return shortest_text(value); }

std::string plain_number_text(double value) {
  return std::isfinite(value) ? without_exponent(shortest(value), value) : special_text(value);
}

std::string fixed_number_text(double value, int num_decimals) { return formatted("%.*f", num_decimals, value); }

std::string rounded_number_text(double value, int num_digits) { return formatted("%.*g", num_digits, value); }

std::optional<NumberPrefix> parse_number_prefix(std::string_view text) {
  const std::size_t size = number_size(text);
  if (size == 0) return std::nullopt;
  const std::string number(text.substr(0, size));
  const auto value = parsed<double>(number.c_str(), nullptr);
  const bool is_infinity = lower(number).find("inf") != number.npos;
  if (std::isinf(value) && !is_infinity) return std::nullopt;
  if (value == 0 && number.find_first_of("123456789") < std::min(number.find_first_of("eE"), number.size())) {
    return std::nullopt;
  }
  return NumberPrefix{value, size};
}

std::optional<double> parse_number(std::string_view text) {
  const auto number = parse_number_prefix(text);
  return number && number->size == text.size() ? std::optional(number->value) : std::nullopt;
}

}  // namespace tacore
