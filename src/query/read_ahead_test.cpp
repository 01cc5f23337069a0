#include "query/read_ahead.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "support/rounds.hpp"
#include "support/scanned_level.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

using Columns = std::vector<int>;

/// A level of many row groups on a server that is far away, and its scans.
struct Far {
  static constexpr int kGroups = 40;

  explicit Far(uint64_t round_trip, bool is_wide = true)
      : Far(round_trip, scanned_level(kGroups * 3500, is_wide, 3500)) {}
  Far(uint64_t round_trip, std::shared_ptr<const CountingSource> bytes, uint64_t most_kept = 64 << 20)
      : file(std::move(bytes)), level(LevelTable::open(file, {})) {
    REQUIRE(level->num_row_groups() == kGroups);
    file->round_trip = round_trip;
    file->num_questions = 0;
    file->num_bytes = 0;
    source = std::make_shared<AheadSource>(file, most_kept);
  }

  void expect(const Columns& filters, const Columns& others, const ScanForecast& forecast = {}) {
    scans.emplace_back(*level, filters, others);
    source->expect(scans.back(), forecast);
  }
  ByteRange range(int column, int group) const { return level->stored_ranges(std::vector{column}, group).at(0); }
  uint64_t size(const Columns& columns, int group) const {
    uint64_t out = 0;
    for (const int column : columns) out += range(column, group).size;
    return out;
  }
  /// Reads a column of a row group as DuckDB does, and compares the bytes.
  bool reads_right(ScanReader& reader, int column, int group) const {
    const ByteRange what = range(column, group);
    Bytes out(what.size);
    reader.read(scans, what.offset, out);
    return std::ranges::equal(out, std::span(file->bytes()).subspan(what.offset, what.size));
  }
  /// Reads columns of all row groups from `begin` on, one after the other.
  void read_all(const Columns& columns, int begin = 0, int end = kGroups) const {
    ScanReader reader(source);
    for (int group = begin; group < end; ++group) {
      for (const int column : columns) CHECK(reads_right(reader, column, group));
    }
  }

  std::shared_ptr<const CountingSource> file;
  std::shared_ptr<const LevelTable> level;
  std::shared_ptr<AheadSource> source;
  std::vector<LevelScan> scans = {};
};

}  // namespace

TEST_CASE("what is worth less than a round trip comes with the first request") {
  Far far(100 << 20);
  far.expect({2}, {0, 3, 4, 5});
  far.read_all({2, 0, 3, 4, 5});
  CHECK(far.file->num_questions == 1);
  CHECK(far.file->num_bytes <= far.file->size());
}

TEST_CASE("the requests of a scan that needs everything become larger and larger") {
  Far far(100'000);
  far.expect({}, {0, 2, 3, 4, 5});
  far.read_all({0, 2, 3, 4, 5});
  const auto needed = far.size({0, 2, 3, 4, 5}, 7) * Far::kGroups;
  CHECK(far.file->num_questions < 10);
  CHECK(far.file->num_bytes < needed + needed / 3);
}

TEST_CASE("a scan that certainly needs everything takes one request") {
  Far far(100'000);
  far.expect({}, {0, 2, 3, 4, 5}, {.is_whole = true});
  far.read_all({0, 2, 3, 4, 5});
  CHECK(far.file->num_questions == 1);
}

TEST_CASE("a filter that passes rows of each row group has no byte read twice, though few are kept") {
  // The filter is read far ahead of the others, which are 14 times as wide: what comes between is more than is kept.
  Far far(1000, scanned_level(Far::kGroups * 9000, true, 9000, 17), 8 << 20);
  Columns others(14);
  std::iota(others.begin(), others.end(), 3);
  far.expect({2}, others);
  others.insert(others.begin(), 2);
  far.read_all(others);
  CHECK(far.file->num_questions < 30);
  CHECK(far.file->num_bytes < far.file->size());
}

TEST_CASE("rare rows are read with few other bytes") {
  Far far(100'000);
  far.expect({2}, {0, 3, 4, 5});
  ScanReader reader(far.source);
  uint64_t needed = 0;
  for (int group = 0; group < Far::kGroups; ++group) {
    CHECK(far.reads_right(reader, 2, group));
    needed += far.size({2}, group);
    if (group != 11 && group != 30) continue;
    for (const int column : {0, 3, 4, 5}) CHECK(far.reads_right(reader, column, group));
    needed += far.size({0, 3, 4, 5}, group);
  }
  CHECK(far.file->num_questions < 12);
  CHECK(far.file->num_bytes < 2 * needed + 100'000);
}

TEST_CASE("a scan of a few row groups does not read the others") {
  Far far(100'000);
  far.expect({}, {2, 3});
  far.read_all({2, 3}, 30, 32);
  CHECK(far.file->num_bytes < 2 * 2 * far.size({2, 3}, 30) + 100'000);
  // From the end, no request takes along what was read.
  Far back(100'000);
  back.expect({}, {2, 3});
  ScanReader reader(back.source);
  for (int group = Far::kGroups - 1; group >= 0; --group) {
    for (const int column : {2, 3}) CHECK(back.reads_right(reader, column, group));
  }
  CHECK(back.file->num_bytes <= back.size({2, 3}, 3) * Far::kGroups * 11 / 10);
}

TEST_CASE("the second scan of an order finds what came with the first") {
  for (const uint64_t round_trip : {uint64_t{1} << 20, uint64_t{100} << 20}) {
    Far far(round_trip);
    far.expect({}, {2});
    far.expect({}, {0, 2, 3, 4, 5});
    far.read_all({2});
    const int first = far.file->num_questions;
    far.read_all({0, 2, 3, 4, 5}, 20, 21);
    CHECK(first <= 2);
    CHECK(far.file->num_questions <= first + (round_trip > (uint64_t{1} << 20) ? 0 : 1));
  }
}

TEST_CASE("the levels of a join are begun where that is worth at most a round trip") {
  Far small(100 << 20);
  small.expect({2}, {3});
  small.source->begin();
  CHECK(small.file->num_questions == 1);
  small.read_all({2, 3});
  CHECK(small.file->num_questions == 1);
  Far large(1000);
  large.expect({2}, {3});
  large.source->begin();
  CHECK(large.file->num_questions == 0);
  large.file->is_down = true;
  Far down(100 << 20);
  down.expect({2}, {3});
  down.file->is_down = true;
  down.source->begin();
  ScanReader reader(down.source);
  CHECK_THROWS_AS(down.reads_right(reader, 2, 0), IoError);
  down.file->is_down = false;
  down.read_all({2, 3});
}

TEST_CASE("reads in any order return the bytes of the file, and few more than twice those needed") {
  std::mt19937 random(5);
  for (unsigned round = 0; round < rounds(15); ++round) {
    CAPTURE(round);
    const uint64_t round_trip = uint64_t{1000} << random() % 12;
    Far far(round_trip, random() % 2 == 0);
    for (unsigned i = 0; i <= random() % 3; ++i) {
      Columns filters, others;
      for (int column = 0; column < kColumns; ++column) (random() % 3 == 0 ? filters : others).push_back(column);
      far.expect(filters, others);
    }
    ScanReader reader(far.source);
    std::set<int> groups;
    for (int i = 0; i < 30; ++i) {
      const int group = static_cast<int>(random() % Far::kGroups);
      CHECK(far.reads_right(reader, static_cast<int>(random() % kColumns), group));
      groups.insert(group);
    }
    // Row groups of which something was read may have been read whole, with gaps between the columns.
    uint64_t needed = 0;
    for (const int group : groups) needed += far.size({0, 1, 2, 3, 4, 5}, group);
    CHECK(far.file->num_bytes <
          2 * needed + static_cast<uint64_t>(far.file->num_questions + 1) * (round_trip + (64 << 10)));
  }
}

TEST_CASE("what AheadPlan asks for is what AheadSource requests") {
  Far far(200'000);
  far.expect({2}, {0, 3, 4, 5});
  AheadPlan plan(*far.file);
  plan.expect(far.scans[0], {});
  uint64_t num_bytes = 0;
  int num_requests = 0;
  for (int group = 0; group < Far::kGroups; ++group) {
    for (const int step : {0, 1}) {
      const auto ranges = plan.request_missing(far.scans[0].ranges_of({group, step}));
      num_requests += ranges.empty() ? 0 : 1;
      for (const ByteRange& range : ranges) num_bytes += range.size;
    }
  }
  far.read_all({2, 0, 3, 4, 5});
  CHECK(num_requests == far.file->num_questions);
  CHECK(num_bytes == far.file->num_bytes);
}

TEST_SUITE("threads") {
  TEST_CASE("threads that need what is on its way wait for it") {
    Far far(1 << 20);
    far.expect({2}, {0, 3});
    far.file->latency = std::chrono::milliseconds(5);
    std::vector<int> good(8);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < good.size(); ++t) {
      threads.emplace_back([&, t] {
        ScanReader own(far.source);
        for (int group = static_cast<int>(t); group < Far::kGroups; group += static_cast<int>(good.size())) {
          for (const int column : {2, 0, 3}) good[t] += far.reads_right(own, column, group) ? 1 : 0;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    for (const int count : good) CHECK(count == 3 * Far::kGroups / static_cast<int>(good.size()));
    CHECK(far.file->num_bytes < 2 * far.size({0, 2, 3}, 3) * Far::kGroups + (1 << 20));
  }
}

}  // namespace tacore
