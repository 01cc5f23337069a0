#include <doctest/doctest.h>

#include "format/taco_header.hpp"
#include "format/zip_records.hpp"
#include "support/bytes.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;
using namespace tacore::zip;
using test::Bytes;

constexpr uint64_t kLargest32 = 0xFFFFFFFF;

std::vector<std::byte> bytes_of(const Bytes& bytes) { return {bytes.span().begin(), bytes.span().end()}; }

std::vector<std::byte> central(const CentralEntry& entry) {
  FieldWriter out;
  encode_central_entry(entry, out);
  return out.take();
}

std::vector<std::byte> end_of(const Directory& directory) {
  FieldWriter out;
  encode_directory_end(directory, out);
  return out.take();
}

CentralEntry parsed(const CentralEntry& entry) {
  const auto bytes = central(entry);
  const Directory where{.offset = UINT64_MAX / 2, .size = bytes.size(), .num_entries = 1};
  return parse_directory(bytes, where).at(0);
}

TEST_CASE("a local file header is encoded field by field") {
  CentralEntry entry = stored_entry("DATA/a", 14, 157, {.time = 0xA423, .date = 0x5B9E});
  entry.crc32 = 0x12345678;
  CHECK(encode_local_header(entry) == bytes_of(Bytes()
                                                   .u32(0x04034b50)
                                                   .u16(10)
                                                   .u16(0)
                                                   .u16(0)
                                                   .u16(0xA423)
                                                   .u16(0x5B9E)
                                                   .u32(0x12345678)
                                                   .u32(14)
                                                   .u32(14)
                                                   .u16(6)
                                                   .u16(0)
                                                   .text("DATA/a")));
  CHECK(local_header_size(entry) == 36);
}

TEST_CASE("a central directory entry is encoded field by field") {
  CentralEntry entry = stored_entry("DATA/ñ", 14, 157, {.time = 1, .date = 2});
  entry.crc32 = 3;
  CHECK(central(entry) == bytes_of(Bytes()
                                       .u32(0x02014b50)
                                       .u16(0x033F)
                                       .u16(10)
                                       .u16(0x0800)
                                       .u16(0)
                                       .u16(1)
                                       .u16(2)
                                       .u32(3)
                                       .u32(14)
                                       .u32(14)
                                       .u16(7)
                                       .u16(0)
                                       .u16(0)
                                       .u16(0)
                                       .u16(0)
                                       .u32(0x81A40000)
                                       .u32(157)
                                       .text("DATA/ñ")));
}

TEST_CASE("ZIP64 begins where 32 bits end, for sizes and for offsets") {
  const struct {
    const char* name;
    uint64_t size, offset;
    uint64_t local_extra, central_extra;
  } cases[] = {
      {"the last short size", kLargest32 - 1, 0, 0, 0},
      {"all ones are a size of ZIP64", kLargest32, 0, 20, 20},
      {"the first long size", kLargest32 + 1, 0, 20, 20},
      {"the last short offset", 1, kLargest32 - 1, 0, 0},
      {"all ones are an offset of ZIP64", 1, kLargest32, 0, 12},
      {"the first long offset", 1, kLargest32 + 1, 0, 12},
      {"both", kLargest32 + 5, kLargest32 + 7, 20, 28},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CentralEntry entry = stored_entry("x", c.size, c.offset);
    entry.crc32 = 9;
    CHECK(local_header_size(entry) == 31 + c.local_extra);
    const auto local = encode_local_header(entry);
    CHECK(local.size() == 31 + c.local_extra);
    CHECK(central(entry).size() == 47 + c.central_extra);
    CHECK(parse_local_header(local, 0).size == c.size);
    CHECK(parse_local_header(local, 0).version_needed == (c.local_extra == 0 ? 10 : 45));
    CHECK(is_local_header_of(local, "x", c.size));
    const CentralEntry back = parsed(entry);
    CHECK(back.size == c.size);
    CHECK(back.compressed_size == c.size);
    CHECK(back.local_offset == c.offset);
    CHECK(back.crc32 == 9);
    CHECK(back.version_needed == (c.central_extra == 0 ? 10 : 45));
  }
}

TEST_CASE("the end records are encoded field by field") {
  CHECK(end_of({.offset = 1000, .size = 94, .num_entries = 2}) ==
        bytes_of(Bytes().u32(0x06054b50).u32(0).u16(2).u16(2).u32(94).u32(1000).u16(0)));
  CHECK(end_of({.offset = kLargest32 + 1, .size = 94, .num_entries = 2}) == bytes_of(Bytes()
                                                                                   .u32(0x06064b50)
                                                                                   .u64(44)
                                                                                   .u16(45)
                                                                                   .u16(45)
                                                                                   .u32(0)
                                                                                   .u32(0)
                                                                                   .u64(2)
                                                                                   .u64(2)
                                                                                   .u64(94)
                                                                                   .u64(kLargest32 + 1)
                                                                                   .u32(0x07064b50)
                                                                                   .u32(0)
                                                                                   .u64(kLargest32 + 1 + 94)
                                                                                   .u32(1)
                                                                                   .u32(0x06054b50)
                                                                                   .u32(0)
                                                                                   .u16(2)
                                                                                   .u16(2)
                                                                                   .u32(94)
                                                                                   .u32(0xFFFFFFFF)
                                                                                   .u16(0)));
}

TEST_CASE("ZIP64 end records are written exactly where a value needs them") {
  const struct {
    Directory directory;
    bool zip64;
  } cases[] = {
      {{.offset = 1, .size = 2, .num_entries = 65535}, false},
      {{.offset = 1, .size = 2, .num_entries = 65536}, true},
      {{.offset = kLargest32 - 1, .size = 2, .num_entries = 1}, false},
      {{.offset = kLargest32, .size = 2, .num_entries = 1}, true},
      {{.offset = 1, .size = kLargest32, .num_entries = 1}, true},
      {{.offset = 1, .size = 2, .num_entries = 1, .zip64 = true}, true},
  };
  for (const auto& c : cases) {
    CAPTURE(c.directory.offset);
    CAPTURE(c.directory.num_entries);
    CHECK(end_of(c.directory).size() == (c.zip64 ? 98 : 22));
  }
}

TEST_CASE("find_directory() finds the directory that was encoded") {
  for (const uint64_t num_entries : {uint64_t{1}, uint64_t{65535}, uint64_t{65536}}) {
    const Directory written{.offset = 500, .size = num_entries * 47, .num_entries = num_entries};
    const auto tail = bytes_of(Bytes().zeros(kEnd64LocatorSize).add(end_of(written)));
    const Directory found = find_directory(tail, written.offset + written.size - kEnd64LocatorSize);
    CHECK(found.offset == written.offset);
    CHECK(found.size == written.size);
    CHECK(found.num_entries == num_entries);
  }
}

TEST_CASE("DOS times are UTC, in steps of two seconds, between 1980 and 2107") {
  const auto is = [](int64_t seconds, int time, int date) {
    const DosTime t = dos_time(seconds);
    return t.time == time && t.date == date;
  };
  CHECK(is(1'767'126'786, 20 << 11 | 33 << 5 | 3, 45 << 9 | 12 << 5 | 30));  // 2025-12-30T20:33:06Z
  CHECK(is(1'767'126'787, 20 << 11 | 33 << 5 | 3, 45 << 9 | 12 << 5 | 30));
  CHECK(is(0, 0, 1 << 5 | 1));
  CHECK(is(INT64_MIN, 0, 1 << 5 | 1));
  CHECK(is(INT64_MAX, 23 << 11 | 59 << 5 | 29, 127 << 9 | 12 << 5 | 31));
  CHECK(seconds_of(dos_time(1'767'126'787)) == 1'767'126'786);
  CHECK(seconds_of(dos_time(INT64_MAX)) == 4'354'819'198);
  CHECK(seconds_of({.time = 0, .date = 0}) == 315'532'800);
}

TEST_CASE("a name that no ZIP can hold is refused") {
  CHECK_THROWS_WITH_AS(stored_entry(std::string(65536, 'x'), 1, 0), doctest::Contains("65536 bytes, at most 65535"),
                       FormatError);
  CHECK(stored_entry(std::string(65535, 'x'), 1, 0).name.size() == 65535);
}

TEST_CASE("TACO_HEADER is encoded as in published files") {
  const taco_header::Header header{.levels = {{490, 5703}}, .collection = {6000, 1200}};
  const auto bytes = taco_header::encode(header, {.time = 0xA423, .date = 0x5B9E});
  REQUIRE(bytes.size() == taco_header::kSize);
  Bytes expected;
  expected.u32(0x04034b50).u16(10).u16(0).u16(0).u16(0xA423).u16(0x5B9E).add(std::span(bytes).subspan(14, 4));
  expected.u32(116).u32(116).u16(11).u16(0).text("TACO_HEADER").u8(2).zeros(3);
  expected.u64(490).u64(5703).u64(6000).u64(1200).zeros(5 * 16);
  CHECK(bytes == bytes_of(expected));
  const auto back = taco_header::parse(bytes, 10000);
  CHECK(back.crc_ok);
  CHECK(back.levels == header.levels);
  CHECK(back.collection == header.collection);
  const CentralEntry entry = taco_header::central_entry(header);
  CHECK(entry.external_attributes == 0x01A40000);
  CHECK(entry.name == "TACO_HEADER");
  CHECK(entry.local_offset == 0);
}

TEST_CASE("TACO_HEADER holds one to six levels, none of them empty") {
  const ByteRange range{200, 10};
  CHECK_NOTHROW(taco_header::encode({.levels = std::vector(6, range), .collection = range}));
  CHECK_THROWS_WITH_AS(taco_header::encode({.levels = std::vector(7, range), .collection = range}),
                       doctest::Contains("7 levels, 1 to 6"), FormatError);
  CHECK_THROWS_AS(taco_header::encode({.levels = {}, .collection = range}), FormatError);
  CHECK_THROWS_WITH_AS(taco_header::encode({.levels = {{200, 0}}, .collection = range}),
                       doctest::Contains("an empty range"), FormatError);
}

}  // namespace
