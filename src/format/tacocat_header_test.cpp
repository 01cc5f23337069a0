#include "format/tacocat_header.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string_view>

#include "support/bytes.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;
using test::Bytes;

constexpr uint64_t kTacocatSize = 20924;

/// An index of three levels and the collection, to the end of the file.
Bytes example() {
  return Bytes()
      .text(std::string_view("TACOCAT\0", 8))
      .u32(1)
      .u32(2)  // version, max_depth
      .u64(128)
      .u64(5138)  // level 0
      .u64(5266)
      .u64(3527)  // level 1
      .u64(8793)
      .u64(5284)      // level 2
      .zeros(3 * 16)  // levels 3 to 5
      .u64(14077)
      .u64(6847);  // collection
}

TEST_CASE("the header of a TACOCAT file has its levels and the collection") {
  const Bytes bytes = example();
  REQUIRE(bytes.size() == tacocat_header::kSize);
  CHECK(tacocat_header::is_header(bytes.span()));
  const auto header = tacocat_header::parse(bytes.span(), kTacocatSize);
  REQUIRE(header.levels.size() == 3);
  CHECK(header.levels[0] == ByteRange{128, 5138});
  CHECK(header.levels[1] == ByteRange{5266, 3527});
  CHECK(header.levels[2] == ByteRange{8793, 5284});
  CHECK(header.collection == ByteRange{14077, 6847});
}

TEST_CASE("a parsed header encodes to the same bytes, absent levels as zeros") {
  const Bytes bytes = example();
  const auto expected = bytes.span();
  const auto encoded = tacocat_header::encode(tacocat_header::parse(expected, kTacocatSize));
  CHECK(std::vector<std::byte>(expected.begin(), expected.end()) == encoded);
}

TEST_CASE("encoding a header without levels, with seven levels or with an empty level is refused") {
  tacocat_header::Header header{.levels = {{128, 1}}, .collection = {129, 1}};
  CHECK_NOTHROW(tacocat_header::encode(header));
  header.collection.size = 0;
  CHECK_THROWS_WITH_AS(tacocat_header::encode(header), "__TACOCAT__ header: an empty range", FormatError);
  header.collection.size = 1;
  header.levels.resize(7, {128, 1});
  CHECK_THROWS_WITH_AS(tacocat_header::encode(header), "__TACOCAT__ header: 7 levels, 1 to 6 expected", FormatError);
  header.levels.clear();
  CHECK_THROWS_WITH_AS(tacocat_header::encode(header), "__TACOCAT__ header: 0 levels, 1 to 6 expected", FormatError);
}

TEST_CASE("max_depth gives the number of levels in use, from one to six") {
  Bytes full = example();
  for (std::size_t i = 0; i < 6; ++i) full.patch(16 + 16 * i, Bytes().u64(1000 + i).u64(1));
  for (uint64_t depth = 0; depth <= 5; ++depth) {
    CAPTURE(depth);
    const auto header = tacocat_header::parse(full.patch(12, Bytes().u32(depth)).span(), kTacocatSize);
    REQUIRE(header.levels.size() == depth + 1);
    CHECK(header.levels.back() == ByteRange{1000 + depth, 1});
    CHECK(header.collection == ByteRange{14077, 6847});
  }
}

TEST_CASE("levels past max_depth and bytes after the header are ignored") {
  Bytes bytes = example();
  bytes.patch(64, Bytes().u64(UINT64_MAX).u64(UINT64_MAX)).text("PAR1");
  CHECK(tacocat_header::parse(bytes.span(), kTacocatSize).levels.size() == 3);
}

TEST_CASE("a broken TACOCAT header is refused with the fault and its byte") {
  struct Case {
    std::string name;
    Bytes bytes;
    const char* words;
  };
  const Case cases[] = {
      {"nothing", Bytes(), "truncated: 0 bytes, expected 128"},
      {"cut", example().cut_to(127), "truncated: 127 bytes, expected 128 (byte 0)"},
      {"magic", example().patch(0, Bytes().text("tacocat")), "magic is not TACOCAT (byte 0)"},
      {"magic without its zero", example().patch(7, Bytes().u8(' ')), "magic is not TACOCAT"},
      {"version 0", example().patch(8, Bytes().u32(0)), "version is 0, expected 1 (byte 8)"},
      {"version 2", example().patch(8, Bytes().u32(2)), "version is 2, expected 1"},
      {"version, other byte order", example().patch(8, Bytes().u32(0x01000000)), "version is 16777216"},
      {"depth 6", example().patch(12, Bytes().u32(6)),
       "__TACOCAT__ header: max_depth is 6, at most 5 allowed (byte 12)"},
      {"depth that is huge", example().patch(12, Bytes().u32(0xFFFFFFFF)), "max_depth is 4294967295"},
      {"depth without level", example().patch(12, Bytes().u32(3)), "level 3 (0 bytes at 0) is absent (byte 64)"},
      {"level 0 absent", example().patch(16, Bytes().zeros(16)), "level 0 (0 bytes at 0) is absent"},
      {"empty level", example().patch(40, Bytes().u64(0)), "level 1 (0 bytes at 5266) is absent"},
      {"no collection", example().patch(112, Bytes().zeros(16)), "collection (0 bytes at 0) is absent (byte 112)"},
      {"level in the header", example().patch(16, Bytes().u64(127)),
       "level 0 (5138 bytes at 127) starts inside the header (byte 16)"},
      {"collection in the header", example().patch(112, Bytes().u64(0)), "collection (6847 bytes at 0) starts inside"},
      {"one byte too long", example().patch(120, Bytes().u64(6848)),
       "collection (6848 bytes at 14077) goes beyond the end of the file of 20924 bytes"},
      {"offset past the end", example().patch(48, Bytes().u64(20925)), "level 2 (5284 bytes at 20925)"},
      {"size that overflows", example().patch(24, Bytes().u64(UINT64_MAX)), "goes beyond the end of the file"},
      {"offset that overflows", example().patch(16, Bytes().u64(UINT64_MAX)), "goes beyond the end of the file"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK_THROWS_WITH_AS(tacocat_header::parse(c.bytes.span(), kTacocatSize), doctest::Contains(c.words), FormatError);
  }
}

TEST_CASE("only the magic bytes identify a TACOCAT file") {
  CHECK(tacocat_header::is_header(example().cut_to(8).span()));
  CHECK_FALSE(tacocat_header::is_header(example().cut_to(7).span()));
  CHECK_FALSE(tacocat_header::is_header({}));
  CHECK_FALSE(tacocat_header::is_header(Bytes().text("TACOCAT!").span()));
  CHECK_FALSE(tacocat_header::is_header(Bytes().text("PK\3\4TACO").span()));
}

}  // namespace
