#include "net/content_range.hpp"

#include <doctest/doctest.h>

namespace tacore::net {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST_CASE("Range names the first and the last byte") {
  const ByteRange one{0, 100};
  CHECK(range_header({&one, 1}) == "bytes=0-99");
  const std::vector<ByteRange> two{{0, 1}, {200, 100}};
  CHECK(range_header(two) == "bytes=0-0,200-299");
}

TEST_CASE("Content-Range is accepted when its numbers are consistent") {
  const auto whole = parse_content_range("bytes 0-99/1234");
  REQUIRE(whole);
  CHECK(whole->range == ByteRange{0, 100});
  CHECK(whole->total == 1234);
  CHECK(parse_content_range("Bytes 1233-1233/1234"));
  for (const char* bad : {"", "bytes", "bytes 0-99", "bytes 0-99/*", "bytes */1234", "bytes 99-0/1234",
                          "bytes 0-1234/1234", "bytes -1-5/9", "bytes 0-99/1234x", "items 0-99/1234", "bytes=0-99/1234",
                          "bytes 0-18446744073709551616/18446744073709551617"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_content_range(bad));
  }
  CHECK(parse_unsatisfied_range("bytes */1234") == uint64_t{1234});
  CHECK_FALSE(parse_unsatisfied_range("bytes 0-99/1234"));
  CHECK_FALSE(parse_unsatisfied_range("bytes */"));
}

const char* const kType = "multipart/byteranges; boundary=THIS";
const std::string kBody =
    "\r\n--THIS\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-2/100\r\n\r\nabc"
    "\r\n--THIS\r\ncontent-range:bytes 50-53/100\r\n\r\n\r\n--"
    "\r\n--THIS--\r\n";

TEST_CASE("the parts of a multipart response are found, whatever bytes they contain") {
  const auto parts = parse_parts(kType, bytes(kBody));
  REQUIRE(parts);
  REQUIRE(parts->size() == 2);
  CHECK((*parts)[0].where.range == ByteRange{0, 3});
  CHECK(text((*parts)[0].bytes) == "abc");
  CHECK((*parts)[1].where.range == ByteRange{50, 4});
  CHECK(text((*parts)[1].bytes) == "\r\n--");
  CHECK(parse_parts("Multipart/ByteRanges;boundary=\"THIS\"", bytes(kBody)));
}

TEST_CASE("a malformed multipart response is refused") {
  CHECK_FALSE(parse_parts("text/html", bytes(kBody)));
  CHECK_FALSE(parse_parts("multipart/byteranges", bytes(kBody)));
  CHECK_FALSE(parse_parts("multipart/byteranges; boundary=OTHER", bytes(kBody)));
  // A body that is cut before its last delimiter.
  for (std::size_t size = 0; size + 4 < kBody.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(parse_parts(kType, bytes(kBody).first(size)));
  }
  // A part that is shorter than it states, by the text between it and the delimiter; and one that is longer.
  for (const char* body : {"ab", "a", "abcd"}) {
    CAPTURE(body);
    const std::string text = std::string("--THIS\r\nContent-Range: bytes 0-2/100\r\n\r\n") + body + "\r\n--THIS--\r\n";
    CHECK_FALSE(parse_parts(kType, bytes(text)));
  }
  // A part that states more bytes than the body has, or none.
  CHECK_FALSE(parse_parts(kType, bytes("--THIS\r\nContent-Range: bytes 0-99/100\r\n\r\nabc\r\n--THIS--\r\n")));
  CHECK_FALSE(parse_parts(kType, bytes("--THIS\r\nContent-Type: text/plain\r\n\r\nabc\r\n--THIS--\r\n")));
}

}  // namespace
}  // namespace tacore::net
