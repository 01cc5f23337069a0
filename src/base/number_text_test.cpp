#include "base/number_text.hpp"

#include <doctest/doctest.h>
#include <locale.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

// The oracle is <charconv>, which the tests may use: it shares no code with printf and strtod.

using namespace tacore;

namespace {

template <class Number, class... Form>
std::string oracle(Number value, Form... form) {
  char buffer[2048];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, form...).ptr};
}

template <class Number>
void check_text(Number value) {
  const std::string text = number_text(value);
  const std::string expected = oracle(value);
  CAPTURE(expected);
  if (text != expected) {
    // A power of two may have two shortest texts that read back: then either will do.
    int exponent = 0;
    CHECK(std::abs(std::frexp(value, &exponent)) == Number{0.5});
    CHECK(text.size() == expected.size());
  }
  Number back = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), back);
  CHECK(error == std::errc());
  CHECK(end == text.data() + text.size());
  if (!std::isnan(value)) CHECK(back == value);
  CHECK(std::signbit(back) == std::signbit(value));
}

void check_parse(const std::string& text) {
  CAPTURE(text);
  double expected = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
  const auto number = parse_number_prefix(text);
  CHECK(number.has_value() == (error == std::errc()));
  if (!number || error != std::errc()) return;
  CHECK(number->size == static_cast<std::size_t>(end - text.data()));
  CHECK((number->value == expected || (std::isnan(number->value) && std::isnan(expected))));
}

template <class Number>
std::vector<Number> special_numbers() {
  using Limits = std::numeric_limits<Number>;
  std::vector<Number> out = {0,
                             1,
                             10,
                             0.1f,
                             0.3f,
                             100,
                             123456,
                             1e5f,
                             1e6f,
                             1e-4f,
                             1e-5f,
                             Limits::min(),
                             Limits::max(),
                             Limits::denorm_min(),
                             Limits::epsilon(),
                             Limits::infinity(),
                             Limits::quiet_NaN()};
  for (int i = Limits::min_exponent - Limits::digits; i < Limits::max_exponent; ++i) {
    out.push_back(std::ldexp(Number{1}, i));
    out.push_back(std::nextafter(out.back(), Number{0}));
  }
  for (int i = Limits::min_exponent10; i <= Limits::max_exponent10; ++i) {
    out.push_back(static_cast<Number>(std::pow(10.0L, i)));
  }
  return out;
}

}  // namespace

TEST_CASE("numbers as text, against charconv") {
  for (const double value : special_numbers<double>()) {
    check_text(value);
    check_text(-value);
    CHECK(plain_number_text(value) == oracle(value, std::chars_format::fixed));
  }
  for (const float value : special_numbers<float>()) {
    check_text(value);
    check_text(-value);
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    check_text(std::bit_cast<double>(random()));
    check_text(std::bit_cast<float>(static_cast<uint32_t>(random())));
    check_text(static_cast<double>(random() % 100'000'000) / 1000);
    const double coordinate = std::uniform_real_distribution(-180.0, 180.0)(random);
    check_text(coordinate);
    CHECK(plain_number_text(coordinate) == oracle(coordinate, std::chars_format::fixed));
    CHECK(rounded_number_text(coordinate * 1e5, 4) == oracle(coordinate * 1e5, std::chars_format::general, 4));
    for (const int decimals : {0, 1, 5}) {
      CHECK(fixed_number_text(coordinate, decimals) == oracle(coordinate, std::chars_format::fixed, decimals));
    }
  }
}

TEST_CASE("numbers of text, against charconv") {
  for (const char* text : {"",
                           "-",
                           ".",
                           "-.",
                           "0",
                           "-0",
                           "1",
                           "1.",
                           ".5",
                           "-.5",
                           "1.5e3",
                           "1e",
                           "1e+",
                           "1e-",
                           "1E5",
                           "1e+5",
                           "1e-5",
                           "1e400",
                           "-1e400",
                           "1e-400",
                           "0e999",
                           "0.0e-999",
                           "+1",
                           " 1",
                           "1 ",
                           "1,5",
                           "0x10",
                           "0x1p3",
                           "inf",
                           "-inf",
                           "INF",
                           "Infinity",
                           "infinit",
                           "nan",
                           "-nan",
                           "NaN",
                           "nanx",
                           "infx",
                           "1..2",
                           "1.5.2",
                           "--1",
                           "1-",
                           "1e5e5",
                           "4.9e-324",
                           "2e-324",
                           "1e308",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "2.4e-324",
                           "2.5e-324",
                           "e5",
                           ".e5"}) {
    check_parse(text);
  }
  std::mt19937_64 random(8);
  const std::string letters = "0123456789.-+eEinfa x";
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    for (uint64_t size = random() % 10; size > 0; --size) text += letters[random() % letters.size()];
    if (text.find("nan(") == text.npos) check_parse(text);
    check_parse(oracle(std::bit_cast<double>(random())) + (i % 2 ? "" : ","));
    check_parse(std::to_string(random()) + "." + std::to_string(random()) + "e" +
                std::to_string(int(random() % 700) - 350));
  }
  CHECK(parse_number("1.5") == 1.5);
  CHECK(!parse_number("1.5 "));
  CHECK(!parse_number("1,5"));
}

TEST_CASE("numbers are the same in a locale with a decimal comma") {
  // The locale may not be installed; then this thread keeps its own, and the test holds as well.
  const locale_t german = ::newlocale(LC_ALL_MASK, "de_DE.UTF-8", nullptr);
  const locale_t before = german ? ::uselocale(german) : nullptr;
  CHECK(number_text(0.5) == "0.5");
  CHECK(fixed_number_text(0.5, 2) == "0.50");
  CHECK(parse_number("0.5") == 0.5);
  if (german) {
    ::uselocale(before);
    ::freelocale(german);
  }
}
