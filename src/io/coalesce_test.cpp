#include "io/coalesce.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <vector>

#include "tacore/error.hpp"

namespace {

using namespace tacore;
using Members = std::vector<std::size_t>;

TEST_CASE("ranges are merged across gaps of at most max_gap") {
  struct Case {
    std::string name;
    std::vector<ByteRange> input;
    uint64_t max_gap;
    std::vector<ByteRange> ranges;
    std::vector<Members> members;
  };
  const Case cases[] = {
      {"nothing", {}, 10, {}, {}},
      {"one", {{5, 3}}, 10, {{5, 3}}, {{0}}},
      {"touching, no gap allowed", {{0, 4}, {4, 4}}, 0, {{0, 8}}, {{0, 1}}},
      {"gap as large as allowed", {{0, 4}, {14, 1}}, 10, {{0, 15}}, {{0, 1}}},
      {"gap larger by one", {{0, 4}, {15, 1}}, 10, {{0, 4}, {15, 1}}, {{0}, {1}}},
      {"unsorted", {{20, 2}, {0, 2}, {21, 2}}, 0, {{0, 2}, {20, 3}}, {{1}, {0, 2}}},
      {"repeated", {{7, 2}, {7, 2}}, 0, {{7, 2}}, {{0, 1}}},
      {"inside another", {{0, 100}, {10, 5}, {100, 1}}, 0, {{0, 101}}, {{0, 1, 2}}},
      {"empty ones belong nowhere", {{3, 0}, {5, 1}, {9, 0}}, 10, {{5, 1}}, {{1}}},
      {"only empty ones", {{3, 0}, {UINT64_MAX, 0}}, 10, {}, {}},
      {"end of the number range", {{UINT64_MAX - 1, 1}, {0, 1}}, 10, {{0, 1}, {UINT64_MAX - 1, 1}}, {{1}, {0}}},
      {"any gap", {{UINT64_MAX - 1, 1}, {0, 1}}, UINT64_MAX, {{0, UINT64_MAX}}, {{1, 0}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto merged = coalesce(c.input, c.max_gap);
    REQUIRE(merged.size() == c.ranges.size());
    for (std::size_t i = 0; i < merged.size(); ++i) {
      CHECK(merged[i].range == c.ranges[i]);
      CHECK(merged[i].members == c.members[i]);
    }
  }
}

TEST_CASE("a range whose end overflows is refused") {
  const ByteRange bad[] = {{UINT64_MAX, 1}, {1, UINT64_MAX}, {UINT64_MAX, UINT64_MAX}};
  for (const ByteRange& range : bad) {
    CAPTURE(range.offset);
    const ByteRange input[] = {{0, 1}, range};
    CHECK_THROWS_WITH_AS(coalesce(input, 0), "byte range overflows", FormatError);
  }
}

void check_laws(const std::vector<ByteRange>& input, uint64_t max_gap) {
  const auto merged = coalesce(input, max_gap);
  std::vector<int> num_owners(input.size());
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const ByteRange whole = merged[i].range;
    if (i > 0) {
      const ByteRange before = merged[i - 1].range;
      CHECK(whole.offset > before.offset + before.size + max_gap);
    }
    uint64_t last_offset = whole.offset;
    for (const std::size_t member : merged[i].members) {
      const ByteRange part = input[member];
      CHECK(part.offset >= last_offset);
      CHECK(part.offset + part.size <= whole.offset + whole.size);
      last_offset = part.offset;
      ++num_owners[member];
    }
  }
  for (std::size_t i = 0; i < input.size(); ++i) CHECK(num_owners[i] == (input[i].size > 0));
}

TEST_CASE("every range lies in exactly one merged range, and these are in order and apart") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<ByteRange> input(random() % 20);
    for (ByteRange& range : input) range = {random() % 500, random() % 30};
    check_laws(input, random() % 20);
  }
}

TEST_CASE("merged bytes are scattered back to the original ranges") {
  const std::vector<ByteRange> ranges{{10, 4}, {0, 0}, {12, 6}, {40, 2}, {10, 4}};
  std::vector<Bytes> out(ranges.size());
  for (const MergedRange& merged : coalesce(ranges, 4)) {
    Bytes bytes;
    for (uint64_t i = 0; i < merged.range.size; ++i) bytes.push_back(static_cast<std::byte>(merged.range.offset + i));
    scatter(merged, ranges, std::move(bytes), out);
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    REQUIRE(out[i].size() == ranges[i].size);
    for (std::size_t k = 0; k < out[i].size(); ++k) CHECK(out[i][k] == static_cast<std::byte>(ranges[i].offset + k));
  }
}

}  // namespace
