#include "base/little_endian.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <string_view>

namespace {

using namespace tacore;

constexpr auto kBytes = [] {
  std::array<std::byte, 16> out = {};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(0xF0 + i);
  return out;
}();

TEST_CASE("a cursor reads little-endian fields in order") {
  Cursor in(kBytes, "record");
  CHECK(in.u8() == 0xF0);
  CHECK(in.u16() == 0xF2F1);
  CHECK(in.u32() == 0xF6F5F4F3);
  CHECK(in.u64() == 0xFEFDFCFBFAF9F8F7);
  CHECK(in.position() == 15);
  CHECK(in.remaining() == 1);
}

TEST_CASE("a cursor hands out bytes and text without copying") {
  Cursor in(kBytes, "record");
  in.skip(2);
  CHECK(in.take(3).data() == kBytes.data() + 2);
  CHECK(in.text(4) == std::string_view("\xF5\xF6\xF7\xF8"));
  CHECK(in.take(0).empty());
  in.skip(7);
  CHECK(in.text(0).empty());
}

TEST_CASE("a cursor refuses to read past the end, names record and byte, and keeps its position") {
  Cursor in(kBytes, "record", 1000);
  in.skip(13);
  const char* const words = "record is truncated: needs 4 more bytes, found 3 (byte 1013)";
  CHECK_THROWS_WITH_AS(in.u32(), words, FormatError);
  CHECK_THROWS_AS(in.u64(), FormatError);
  CHECK_THROWS_AS(in.take(4), FormatError);
  CHECK_THROWS_AS(in.text(std::numeric_limits<uint64_t>::max()), FormatError);
  CHECK(in.u16() == 0xFEFD);
  CHECK_THROWS_AS(in.skip(2), FormatError);
  CHECK(in.u8() == 0xFF);
  CHECK_THROWS_AS(in.u8(), FormatError);
}

TEST_CASE("a cursor over no bytes has nothing left") {
  Cursor in({}, "record");
  CHECK(in.remaining() == 0);
  CHECK_THROWS_WITH_AS(in.u8(), "record is truncated: needs 1 more bytes, found 0 (byte 0)", FormatError);
}

}  // namespace
