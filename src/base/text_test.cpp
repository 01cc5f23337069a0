#include "base/text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tacore/error.hpp"

namespace {

using namespace tacore;
using namespace std::string_literals;

TEST_CASE("percent encoding follows the rules of AWS request signing") {
  CHECK(percent_encoded("a-b_c.d~e/f", true) == "a-b_c.d~e/f");
  CHECK(percent_encoded("a b/ü+=?", false) == "a%20b%2F%C3%BC%2B%3D%3F");
  CHECK(percent_decoded("a%20b%2F%C3%BC%2b") == "a b/ü+");
  CHECK(percent_decoded("100%, %4 %zz%") == "100%, %4 %zz%");
}

TEST_CASE("quoted SQL text cannot end its own quotes") {
  struct Case {
    std::string text, literal, identifier;
  };
  const Case cases[] = {
      {"", "''", "\"\""},
      {"a b", "'a b'", "\"a b\""},
      {"it's", "'it''s'", "\"it's\""},
      {"a\"b", "'a\"b'", "\"a\"\"b\""},
      {"'; DROP TABLE x; --", "'''; DROP TABLE x; --'", "\"'; DROP TABLE x; --\""},
      {"\\'", "'\\'''", "\"\\'\""},
      {"\n\xFF", "'\n\xFF'", "\"\n\xFF\""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(sql_literal(c.text) == c.literal);
    CHECK(sql_identifier(c.text) == c.identifier);
  }
}

TEST_CASE("SQL text with a NUL byte is refused") {
  const auto words = doctest::Contains("NUL byte: 'a\\x00b'");
  CHECK_THROWS_WITH_AS(sql_literal("a\0b"s), words, QueryError);
  CHECK_THROWS_WITH_AS(sql_identifier("a\0b"s), words, QueryError);
}

TEST_CASE("foreign text in messages has its control characters and invalid UTF-8 escaped") {
  struct Case {
    std::string name;
    std::string text, expected;
  };
  const Case cases[] = {
      {"empty", "", "''"},
      {"plain", "DATA/a b", "'DATA/a b'"},
      {"UTF-8", "caf\u00e9 \u4e2d \U0001F30D", "'caf\u00e9 \u4e2d \U0001F30D'"},
      {"NUL", "a\0"s, "'a\\x00'"},
      {"newline and escape", "\n\x1b[2J", "'\\x0a\\x1b[2J'"},
      {"delete", "\x7f", "'\\x7f'"},
      {"C1 control", "\u009b2J", "'\\xc2\\x9b2J'"},
      {"first character after C1", "\u00a0", "'\u00a0'"},
      {"stray continuation", "a\x80z", "'a\\x80z'"},
      {"cut character", "\xe4\xb8", "'\\xe4\\xb8'"},
      {"overlong slash", "\xc0\xaf", "'\\xc0\\xaf'"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(in_quotes(c.text) == c.expected);
  }
}

TEST_CASE("foreign text in messages is at most 120 bytes and ends with a whole character") {
  const std::string letters(118, 'a');
  CHECK(in_quotes(letters + "bc") == "'" + letters + "bc'");
  CHECK(in_quotes(letters + "bcd") == "'" + letters + "bc'...");
  CHECK(in_quotes(letters + "\u4e2d") == "'" + letters + "'...");
  CHECK(in_quotes(letters + "\u00e9") == "'" + letters + "\u00e9'");
  CHECK(in_quotes(std::string(1000000, '\xFF')).size() == 2 + 120 * 4 + 3);
}

TEST_CASE("invalid UTF-8 is recognised") {
  struct Case {
    std::string name;
    std::string text;
    bool good;
  };
  const Case cases[] = {
      {"empty", "", true},
      {"NUL", "\0"s, true},
      {"shortest of two", "\xc2\x80", true},
      {"shortest of three", "\xe0\xa0\x80", true},
      {"last before the surrogates", "\xed\x9f\xbf", true},
      {"first after the surrogates", "\xee\x80\x80", true},
      {"shortest of four", "\xf0\x90\x80\x80", true},
      {"U+10FFFF", "\xf4\x8f\xbf\xbf", true},
      {"stray continuation", "\x80", false},
      {"overlong, two bytes", "\xc1\xbf", false},
      {"overlong, three bytes", "\xe0\x9f\xbf", false},
      {"overlong, four bytes", "\xf0\x8f\xbf\xbf", false},
      {"surrogate", "\xed\xa0\x80", false},
      {"above U+10FFFF", "\xf4\x90\x80\x80", false},
      {"five bytes", "\xf8\x88\x80\x80\x80", false},
      {"FF", "\xff", false},
      {"cut after one of two", "a\xc2", false},
      {"cut after three of four", "\xf0\x90\x80", false},
      {"letter instead of the third byte", "\xe4\xb8z", false},
      {"lead instead of the fourth byte", "\xf0\x90\x80\xc2", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(is_utf8(c.text) == c.good);
  }
}

TEST_CASE("split is the inverse of join") {
  struct Case {
    std::string text;
    std::vector<std::string> parts;
  };
  const Case cases[] = {
      {"", {""}}, {"a", {"a"}}, {"a,b", {"a", "b"}}, {",", {"", ""}}, {"a,,b", {"a", "", "b"}}, {",a,", {"", "a", ""}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(split(c.text, ',') == c.parts);
    CHECK(join(c.parts, ",") == c.text);
  }
  CHECK(join({}, ",").empty());
  CHECK(join(std::vector{"a"s, "b"s}, " AND ") == "a AND b");
}

TEST_CASE("only ASCII letters are converted to lower case, in any locale") {
  CHECK(lower("AZaz[@`{09") == "azaz[@`{09");
  CHECK(lower("\u00c4") == "\u00c4");
}

TEST_CASE("file suffixes are compared without regard to case") {
  CHECK(ends_with_ignoring_case("a.TacoZip", ".tacozip"));
  CHECK(ends_with_ignoring_case("a", ""));
  CHECK(ends_with_ignoring_case("", ""));
  CHECK_FALSE(ends_with_ignoring_case("a.tacozip.bak", ".tacozip"));
  CHECK_FALSE(ends_with_ignoring_case("zip", ".zip"));
  CHECK_FALSE(ends_with_ignoring_case("a[zip", "a{zip"));
}

TEST_CASE("base64 gives the test vectors of RFC 4648, section 10") {
  const std::string cases[][2] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    CHECK(base64(std::as_bytes(std::span(std::string_view(text)))) == expected);
  }
  const std::string high = "\xfb\xff\xfe";
  CHECK(base64(std::as_bytes(std::span(high))) == "+//+");
}

TEST_CASE("text for a terminal has no control sequences") {
  CHECK(without_controls("a\x1b[31m\tb\r\n") == "a [31m b  ");
  CHECK(without_controls("\x7f\xc2\x9b"
                         "2J \xc3\xb1 \xff") == "  2J \xc3\xb1 ?");
  CHECK(without_controls("") == "");
}

TEST_CASE("base64 comes back, and each text has one form") {
  std::string text;
  for (int size = 0; size < 40; ++size, text += static_cast<char>(size * 37)) {
    const auto bytes = bytes_of(text);
    CHECK(parse_base64(base64(bytes)) == std::vector<std::byte>(bytes.begin(), bytes.end()));
  }
  for (const char* bad :
       {"A", "AA", "AAA", "AA=", "AA==A", "AB==", "AAB=", "A===", "====", "AA==\n", "AA AA", "AA-_", "AAAA="}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_base64(bad));
  }
}

}  // namespace
