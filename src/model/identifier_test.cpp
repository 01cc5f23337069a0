#include "model/identifier.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace tacore;
using namespace std::string_literals;

TEST_CASE("padding ids are recognised by their prefix alone") {
  CHECK(is_padding_id("__TACOPAD__0"));
  CHECK(is_padding_id("__TACOPAD__12"));
  CHECK_FALSE(is_padding_id("xxTACOPADyy_img"));  // what an SQL LIKE without escapes would hide
  CHECK_FALSE(is_padding_id("a__TACOPAD__0"));
  CHECK_FALSE(is_padding_id("__TACOPAD_"));
  CHECK_FALSE(is_padding_id(""));
}

TEST_CASE("invalid ids are refused with the reason") {
  struct Case {
    std::string id;
    std::string bad;
    std::string unsafe;
  };
  const Case cases[] = {
      {"", "is empty", "is empty"},
      {".", "is reserved by file systems", "is reserved by file systems"},
      {"..", "is reserved by file systems", "is reserved by file systems"},
      {"a/b", "contains a slash", "contains a slash"},
      {"/", "contains a slash", "contains a slash"},
      {"a\\b", "contains a slash", "contains a slash"},
      {"a\0b"s, "contains a NUL", "contains a NUL"},
      {"a:b", "contains a colon", ""},
      {"a\nb", "contains a control", ""},
      {"a\x7f", "contains a control", ""},
      {"a\xff", "is not UTF-8", ""},
      {"__meta__", "starts with __", ""},
      {"__x", "starts with __", ""},
      {"__TACOPAD__3", "", ""},
      {"_x", "", ""},
      {"...", "", ""},
      {"tile 1 \xc3\xa9.tif", "", ""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.id);
    CHECK(why_bad_id(c.id).starts_with(c.bad));
    CHECK(why_bad_id(c.id).empty() == c.bad.empty());
    CHECK(why_unsafe_id(c.id).starts_with(c.unsafe));
    CHECK(why_unsafe_id(c.id).empty() == c.unsafe.empty());
  }
}
