#include "io/range_map.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <vector>

namespace {

using namespace tacore;

/// Bytes of a file in which each byte is its offset.
Bytes bytes_at(uint64_t offset, uint64_t size) {
  Bytes out;
  for (uint64_t i = 0; i < size; ++i) out.push_back(static_cast<std::byte>(offset + i));
  return out;
}

bool has(const RangeMap& map, ByteRange range) {
  const auto found = map.find(range);
  if (!found) return false;
  const Bytes expected = bytes_at(range.offset, range.size);
  return std::equal(found->begin(), found->end(), expected.begin(), expected.end());
}

TEST_CASE("a range is found when a single piece contains it") {
  RangeMap map;
  CHECK_FALSE(has(map, {0, 1}));
  CHECK(has(map, {7, 0}));
  map.add(10, bytes_at(10, 5));
  map.add(20, bytes_at(20, 5));
  CHECK(has(map, {10, 5}));
  CHECK(has(map, {12, 3}));
  CHECK(has(map, {24, 1}));
  for (const ByteRange range : {ByteRange{9, 2}, {14, 2}, {15, 1}, {10, 15}, {25, 1}, {24, UINT64_MAX}}) {
    CHECK_FALSE(has(map, range));
  }
  CHECK(map.size() == 10);
  map.clear();
  CHECK_FALSE(has(map, {10, 5}));
}

TEST_CASE("pieces that overlap are kept, pieces inside another one are not") {
  RangeMap map;
  map.add(10, bytes_at(10, 2));
  map.add(14, bytes_at(14, 2));
  map.add(10, bytes_at(10, 10));  // replaces both
  CHECK(map.size() == 10);
  map.add(12, bytes_at(12, 3));  // lies inside
  CHECK(map.size() == 10);
  map.add(15, bytes_at(15, 10));
  CHECK(map.size() == 20);
  CHECK(has(map, {11, 9}));
  CHECK(has(map, {16, 9}));
  CHECK_FALSE(has(map, {14, 10}));
  map.add(5, {});
  CHECK(map.size() == 20);
}

TEST_CASE("a range that pieces have in part: what lies between the pieces is read, and the whole range is given") {
  RangeMap map;
  map.add(10, bytes_at(10, 10));
  map.add(40, bytes_at(40, 10));
  for (uint64_t begin = 5; begin < 55; ++begin) {
    for (uint64_t end = begin; end < 60; ++end) {
      const ByteRange range{begin, end - begin};
      std::vector<ByteRange> asked;
      const auto out = map.read_ranges({&range, 1}, [&](std::span<const ByteRange> missing) {
        std::vector<Bytes> read;
        for (const ByteRange& each : missing) {
          asked.push_back(each);
          read.push_back(bytes_at(each.offset, each.size));
        }
        return read;
      });
      REQUIRE(out.size() == 1);
      CHECK(out[0] == bytes_at(begin, end - begin));
      CHECK(map.missing({&range, 1}) == asked);
      // The first and the last byte that are asked for are in no piece.
      REQUIRE(asked.size() <= 1);
      if (asked.empty()) continue;
      CHECK_FALSE(has(map, {asked[0].offset, 1}));
      CHECK_FALSE(has(map, {asked[0].offset + asked[0].size - 1, 1}));
    }
  }
}

TEST_CASE("from() returns the bytes from an offset, and next() the start of the next piece") {
  RangeMap map;
  map.add(10, bytes_at(10, 5));
  map.add(30, bytes_at(30, 5));
  CHECK(map.from(9).empty());
  CHECK(map.from(12).size() == 3);
  CHECK(map.from(15).empty());
  CHECK(map.next(0) == 10);
  CHECK(map.next(10) == 30);
  CHECK(map.next(30) == UINT64_MAX);
}

TEST_CASE("missing ranges are read with one call") {
  RangeMap map;
  map.add(10, bytes_at(10, 5));
  const std::vector<ByteRange> ranges{{50, 2}, {11, 2}, {40, 3}, {0, 0}, {14, 2}};
  CHECK(map.missing(ranges) == std::vector<ByteRange>{{50, 2}, {40, 3}, {15, 1}});
  int num_calls = 0;
  const auto read = [&](std::span<const ByteRange> wanted) {
    ++num_calls;
    std::vector<Bytes> out;
    for (const ByteRange& range : wanted) out.push_back(bytes_at(range.offset, range.size));
    return out;
  };
  const auto bytes = map.read_ranges(ranges, read);
  CHECK(num_calls == 1);
  for (std::size_t i = 0; i < ranges.size(); ++i) CHECK(bytes[i] == bytes_at(ranges[i].offset, ranges[i].size));
  CHECK(map.read_ranges(std::vector<ByteRange>{{10, 5}}, read)[0] == bytes_at(10, 5));
  CHECK(num_calls == 1);
}

}  // namespace
