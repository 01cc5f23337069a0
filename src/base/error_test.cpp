#include "tacore/error.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <stdexcept>
#include <string>

namespace {

using namespace tacore;

TEST_CASE("an error text has path, level, message and byte, and omits those that are unknown") {
  struct Case {
    std::string name;
    ErrorContext where;
    const char* text;
  };
  const Case cases[] = {
      {"nothing known", {}, "count is 9"},
      {"path", {.path = "a.tacozip"}, "a.tacozip: count is 9"},
      {"offset", {.offset = 41}, "count is 9 (byte 41)"},
      {"offset 0 is known", {.offset = 0}, "count is 9 (byte 0)"},
      {"level", {.level = 2}, "level 2: count is 9"},
      {"level 0 is known", {.level = 0}, "level 0: count is 9"},
      {"all",
       {.path = "a", .offset = 18446744073709551615U, .level = 5},
       "a: level 5: count is 9 (byte 18446744073709551615)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(FormatError("count is 9", c.where).what() == std::string(c.text));
  }
}

TEST_CASE("an error keeps its context") {
  const SchemaError error("columns differ", {.path = "a", .offset = 7, .level = 1});
  CHECK(error.context().path == "a");
  CHECK(error.context().offset == 7);
  CHECK(error.context().level == 1);
}

TEST_CASE("an I/O error adds the system's reason, when there is one") {
  struct Case {
    int error_number;
    bool not_found;
    const char* text;
  };
  const Case cases[] = {
      {0, false, "a: cannot open"},
      {ENOENT, true, "a: cannot open: No such file or directory"},
      {ENOTDIR, true, "a: cannot open: Not a directory"},
      {EACCES, false, "a: cannot open: Permission denied"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.error_number);
    const IoError error("cannot open", {.path = "a"}, c.error_number);
    CHECK(error.what() == std::string(c.text));
    CHECK(error.error_number() == c.error_number);
    CHECK(error.not_found() == c.not_found);
  }
}

TEST_CASE("every class can be caught as tacore::Error and as std::runtime_error") {
  CHECK_THROWS_AS(throw FormatError("x"), Error);
  CHECK_THROWS_AS(throw SchemaError("x"), Error);
  CHECK_THROWS_AS(throw IoError("x"), Error);
  CHECK_THROWS_AS(throw QueryError("x"), Error);
  CHECK_THROWS_AS(throw NavigationError("x"), Error);
  CHECK_THROWS_AS(throw Error("x"), std::runtime_error);
}

}  // namespace
