#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// Floating-point numbers to and from decimal text, the same in every locale. They are not those of `<charconv>`, which
/// need the libstdc++ of GCC 11: programs such as MATLAB bring an older one into the process.
namespace tacore {

/// The shortest text that reads back as the same number, with an exponent where that is shorter: "0.1", "1e+300", "-0",
/// "inf", "nan".
std::string number_text(double value);
std::string number_text(float value);
/// The same without an exponent.
std::string plain_number_text(double value);
/// Rounded to a number of digits after the decimal point.
std::string fixed_number_text(double value, int num_decimals);
/// Rounded to a number of significant digits, with an exponent where it is large or small: 1.235e+06.
std::string rounded_number_text(double value, int num_digits);

/// A number at the beginning of a text, and how many characters it has.
struct NumberPrefix {
  double value;
  std::size_t size;
};

/// Reads a number such as "-1.5e3", ".5", "inf" or "nan" (in any case), with neither blanks nor '+' before it; nothing
/// when there is none, or when it is beyond the largest or smallest double.
std::optional<NumberPrefix> parse_number_prefix(std::string_view text);
/// The same of a text that holds nothing else.
std::optional<double> parse_number(std::string_view text);

}  // namespace tacore
