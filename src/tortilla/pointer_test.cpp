#include "tortilla/pointer.hpp"

#include <doctest/doctest.h>

#include "tacore/error.hpp"

namespace tacore::v1 {
namespace {

TEST_CASE("a pointer is written as JSON text of a string") {
  CHECK(encode_pointer(ByteRange{38706, 2031}) == "\"OFFSETLENGTH(38706, 2031)\"");
  CHECK(encode_pointer(std::nullopt) == "\"NULL\"");
  for (const ByteRange range : {ByteRange{200, 12}, ByteRange{~uint64_t{0}, 0}})
    CHECK(parse_pointer(encode_pointer(range)) == range);
}

TEST_CASE("pointers of other writers are parsed") {
  for (const std::string text : {"OFFSETLENGTH(7, 12)", "\"OFFSETLENGTH(7,12)\"", "  offsetlength( 7 ,\t12 ) ",
                                 "\" OffsetLength(7, 12) \"", "{\"pointer\": \"OFFSETLENGTH(7, 12)\"}",
                                 "{\"note\": \"OFFSETLENGTH(1, 2)\", \"pointer\" : \"OFFSETLENGTH(7, 12)\"}",
                                 "next: OFFSETLENGTH(x, 1), OFFSETLENGTH(7, 12)"}) {
    CAPTURE(text);
    CHECK(parse_pointer(text) == ByteRange{7, 12});
  }
  for (const std::string text : {"", " ", "\"\"", "NULL", "null", "\"NULL\"", " \"null\" ", "{\"pointer\": null}",
                                 "{\"pointer\": \"NULL\"}", "{}", "{\"other\": 1}"}) {
    CAPTURE(text);
    CHECK(parse_pointer(text) == std::nullopt);
  }
}

TEST_CASE("text that is not a pointer is refused and quoted") {
  for (const std::string text :
       {"0", "OFFSETLENGTH(7)", "OFFSETLENGTH(7 12)", "OFFSETLENGTH(-7, 12)", "OFFSETLENGTH(7, 12",
        "OFFSETLENGTH(18446744073709551616, 1)", "(7, 12)", "{\"pointer\": 3}"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse_pointer(text), doctest::Contains("OFFSETLENGTH(offset, length) or NULL expected"),
                         FormatError);
  }
}

TEST_CASE("a footer hint has one size for any length") {
  const auto small = encode_footer_hint({38706, 2031}), large = encode_footer_hint({38706, ~uint64_t{0}});
  CHECK(small.size() == large.size());
  CHECK(parse_footer_hint(small) == ByteRange{38706, 2031});
  CHECK(parse_footer_hint(large) == ByteRange{38706, ~uint64_t{0}});
  CHECK(parse_footer_hint("{\"length\":5,\"offset\":1}") == ByteRange{1, 5});
  for (const std::string text :
       {"", "{}", "{\"offset\": 1}", "{\"offset\": -1, \"length\": 2}", "{\"offset\": 1.5, \"length\": 2}"})
    CHECK(parse_footer_hint(text) == std::nullopt);
}

}  // namespace
}  // namespace tacore::v1
