#include "format/taco_header.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <string_view>

#include "base/crc32.hpp"
#include "support/bytes.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;
using test::Bytes;

constexpr uint64_t kFileSize = 9193;

/// The header of flat.tacozip.
Bytes flat_header() {
  return Bytes()
      .u32(0x04034b50)  // signature
      .u16(10)
      .u16(0)
      .u16(0)  // version, flags, method
      .u16(0xA423)
      .u16(0x5B9E)      // time, date
      .u32(0x66EC8C50)  // CRC-32 of the payload
      .u32(116)
      .u32(116)  // sizes
      .u16(11)
      .u16(0)  // name, extra
      .text("TACO_HEADER")
      .u8(2)
      .zeros(3)  // count, reserved
      .u64(490)
      .u64(5703)  // level 0
      .u64(6238)
      .u64(2451)  // COLLECTION.json
      .zeros(5 * 16);
}

/// A header of `count` ranges of 10 bytes each, back to back after it.
Bytes header_of(int count) {
  Bytes payload;
  payload.u8(static_cast<uint64_t>(count)).zeros(3);
  for (uint64_t i = 0; i < 7; ++i) payload.u64(157 + 10 * i).u64(10);
  return flat_header().patch(41, payload).patch(14, Bytes().u32(crc32(payload.span())));
}

TEST_CASE("the header of flat.tacozip has a level and the collection") {
  const Bytes bytes = flat_header();
  REQUIRE(bytes.size() == taco_header::kSize);
  CHECK(taco_header::is_header(bytes.span()));
  const auto header = taco_header::parse(bytes.span(), kFileSize);
  REQUIRE(header.levels.size() == 1);
  CHECK(header.levels[0] == ByteRange{490, 5703});
  CHECK(header.collection == ByteRange{6238, 2451});
  CHECK(header.crc_ok);
}

TEST_CASE("the last range of a header is the collection, for any number of levels") {
  for (uint64_t count = 2; count <= 7; ++count) {
    CAPTURE(count);
    const auto header = taco_header::parse(header_of(static_cast<int>(count)).span(), 1000);
    REQUIRE(header.levels.size() == count - 1);
    for (uint64_t i = 0; i + 1 < count; ++i) {
      CHECK(header.levels[i] == ByteRange{157 + 10 * i, 10});
    }
    CHECK(header.collection == ByteRange{157 + 10 * (count - 1), 10});
    CHECK(header.crc_ok);
  }
}

TEST_CASE("a header with differences in unused fields is read") {
  struct Case {
    std::string name;
    Bytes bytes;
    bool crc_ok;
  };
  const Case cases[] = {
      {"version 4.5", flat_header().patch(4, Bytes().u16(45)), true},
      {"sizes in a descriptor", flat_header().patch(6, Bytes().u16(8)).patch(18, Bytes().zeros(8)), true},
      {"other CRC", flat_header().patch(14, Bytes().u32(0)), false},
      {"reserved bytes", flat_header().patch(42, Bytes().u8(1)), false},
      {"unused range", flat_header().patch(77, Bytes().u64(UINT64_MAX).u64(UINT64_MAX)), false},
      {"file goes on", flat_header().text("PK\3\4"), true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto header = taco_header::parse(c.bytes.span(), kFileSize);
    CHECK(header.levels.size() == 1);
    CHECK(header.crc_ok == c.crc_ok);
  }
}

TEST_CASE("a range may reach exactly to the end of the file") {
  CHECK_NOTHROW(taco_header::parse(flat_header().span(), 6238 + 2451));
}

TEST_CASE("a broken header is refused with the fault and its byte") {
  struct Case {
    std::string name;
    Bytes bytes;
    const char* words;
  };
  const auto flat = flat_header;
  const Case cases[] = {
      {"nothing", Bytes(), "truncated: 0 bytes, expected 157"},
      {"cut", flat().cut_to(156), "truncated: 156 bytes, expected 157 (byte 0)"},
      {"signature", flat().patch(0, Bytes().text("PK\1\2")), "not TACO_HEADER"},
      {"name", flat().patch(30, Bytes().text("taco_header")), "not TACO_HEADER"},
      {"older name", flat().patch(26, Bytes().u16(10)).patch(30, Bytes().text("TACO_GHOST")), "not TACO_HEADER"},
      {"longer name", flat().patch(26, Bytes().u16(12)), "not TACO_HEADER"},
      {"extra field", flat().patch(28, Bytes().u16(20)), "extra field has 20 bytes, none allowed (byte 28)"},
      {"count 8", flat().patch(41, Bytes().u8(8)), "TACO_HEADER: count is 8, at most 7 allowed (byte 41)"},
      {"count 255", flat().patch(41, Bytes().u8(255)), "count is 255, at most 7"},
      {"count 1", flat().patch(41, Bytes().u8(1)), "count is 1, at least 2 expected"},
      {"count 0", flat().patch(41, Bytes().u8(0)), "count is 0, at least 2"},
      {"range missing", flat().patch(41, Bytes().u8(3)), "range 2 (0 bytes at 0) is empty (byte 77)"},
      {"empty level", flat().patch(53, Bytes().u64(0)), "range 0 (0 bytes at 490) is empty (byte 45)"},
      {"empty collection", flat().patch(69, Bytes().u64(0)), "range 1 (0 bytes at 6238) is empty"},
      {"level in the header", flat().patch(45, Bytes().u64(156)),
       "range 0 (5703 bytes at 156) starts inside the header (byte 45)"},
      {"offset past the end", flat().patch(61, Bytes().u64(9194)), "goes beyond the end of the file of 9193 bytes"},
      {"one byte too long", flat().patch(69, Bytes().u64(2956)),
       "range 1 (2956 bytes at 6238) goes beyond the end of the file of 9193 bytes (byte 61)"},
      {"size that overflows", flat().patch(53, Bytes().u64(UINT64_MAX)),
       "range 0 (18446744073709551615 bytes at 490) goes beyond the end of the file"},
      {"offset that overflows", flat().patch(45, Bytes().u64(UINT64_MAX)), "goes beyond the end of the file"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK_THROWS_WITH_AS(taco_header::parse(c.bytes.span(), kFileSize), doctest::Contains(c.words), FormatError);
  }
}

TEST_CASE("only the start of a TACO ZIP is recognised as one") {
  for (std::size_t size = 0; size < 41; ++size) {
    CAPTURE(size);
    CHECK_FALSE(taco_header::is_header(flat_header().cut_to(size).span()));
  }
  CHECK(taco_header::is_header(flat_header().cut_to(41).span()));
  CHECK_FALSE(taco_header::is_header(flat_header().patch(0, Bytes().u8('p')).span()));
  CHECK_FALSE(taco_header::is_header(flat_header().patch(40, Bytes().u8('r')).span()));
  CHECK_FALSE(taco_header::is_header(flat_header().patch(26, Bytes().u16(10)).span()));
}

TEST_CASE("headers of the reference implementation point to Parquet levels and a JSON collection" *
          doctest::test_suite("external")) {
  for (const std::string name : {"flat.tacozip", "nested.tacozip", "simple.tacozip"}) {
    CAPTURE(name);
    if (missing(published("zip/" + name))) continue;
    const Bytes file = test::golden_zip(name);
    const auto header = taco_header::parse(file.span(), file.size());
    CHECK(header.crc_ok);
    for (const ByteRange& level : header.levels) {
      CHECK(test::as_text(file.part(level.offset, level.size)).starts_with("PAR1"));
      CHECK(test::as_text(file.part(level.offset, level.size)).ends_with("PAR1"));
    }
    const auto json = test::as_text(file.part(header.collection.offset, header.collection.size));
    CHECK(json.starts_with("{"));
    CHECK(json.ends_with("}"));
  }
}

TEST_CASE("flat.tacozip starts with the bytes of the worked example" * doctest::test_suite("external")) {
  if (missing(published("zip/flat.tacozip"))) return;
  const Bytes file = test::golden_zip("flat.tacozip");
  CHECK(test::as_text(file.part(0, 157)) == test::as_text(flat_header().span()));
}

TEST_CASE("nested.tacozip has its two levels at the offsets of the specification's worked example" *
          doctest::test_suite("external")) {
  if (missing(published("zip/nested.tacozip"))) return;
  const Bytes file = test::golden_zip("nested.tacozip");
  const auto header = taco_header::parse(file.span(), file.size());
  REQUIRE(header.levels.size() == 2);
  CHECK(header.levels[0] == ByteRange{14823, 3478});
  CHECK(header.levels[1] == ByteRange{18354, 6295});
  CHECK(header.collection == ByteRange{24694, 4180});
}

}  // namespace
