#include "query/level_scan.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <thread>

#include "support/counting.hpp"
#include "support/rounds.hpp"
#include "support/scanned_level.hpp"
#include "support/table_files.hpp"

namespace tacore {
namespace {

/// A query that reads a level, with the columns of each of its scans: those of filters, and others.
struct Query {
  using Columns = std::vector<int>;

  Query(std::shared_ptr<const CountingSource> file, std::vector<std::pair<Columns, Columns>> columns)
      : source(std::move(file)), level(LevelTable::open(source, {})) {
    for (const auto& [filters, others] : columns) scans.emplace_back(*level, filters, others);
    source->num_questions = 0;
    source->num_bytes = 0;
  }

  ByteRange range(int column, int group) const { return level->stored_ranges(std::vector{column}, group).at(0); }
  bool reads_right(ScanReader& reader, ByteRange what) const {
    Bytes out(what.size);
    reader.read(scans, what.offset, out);
    return std::ranges::equal(out, std::span(source->bytes()).subspan(what.offset, what.size));
  }
  /// Reads a column, compares the bytes, and returns the number of requests.
  int questions(ScanReader& reader, ByteRange what) const {
    const int before = source->num_questions;
    CHECK(reads_right(reader, what));
    return source->num_questions - before;
  }
  int questions(ScanReader& reader, int column, int group) const { return questions(reader, range(column, group)); }

  std::shared_ptr<const CountingSource> source;
  std::shared_ptr<const LevelTable> level;
  std::vector<LevelScan> scans;
};

TEST_CASE("a row group is read in two steps: its filter columns, then the others on first use") {
  const Query query(scanned_level(140'000, true), {{{2, 4}, {0, 3, 5}}});
  REQUIRE(query.level->num_row_groups() == 3);
  ScanReader reader(query.source);
  CHECK(query.questions(reader, 4, 1) == 1);
  CHECK(query.source->num_bytes == query.range(2, 1).size + query.range(4, 1).size);
  CHECK(query.questions(reader, 2, 1) == 0);
  CHECK(query.questions(reader, 0, 1) == 1);
  CHECK(query.questions(reader, 5, 1) == 0);
  CHECK(query.questions(reader, 3, 1) == 0);
  uint64_t needed = 0;
  for (const int column : {0, 2, 3, 4, 5}) needed += query.range(column, 1).size;
  CHECK(query.source->num_bytes == needed);
  CHECK(query.questions(reader, 1, 1) == 1);  // in none of the scans
  CHECK(query.questions(reader, 2, 0) == 1);  // a row group of its own
  CHECK(query.questions(reader, 3, 2) == 1);
  CHECK(query.questions(reader, 2, 2) == 1);
}

TEST_CASE("small columns of a row group are read in one step") {
  const Query query(scanned_level(140'000, false), {{{2}, {3, 4, 5}}});
  ScanReader reader(query.source);
  for (int group = 0; group < 3; ++group) {
    CHECK(query.questions(reader, 2, group) == 1);
    for (const int column : {3, 5, 4}) CHECK(query.questions(reader, column, group) == 0);
  }
}

TEST_CASE("the columns common to all possible scans are read until a read shows which scan runs") {
  // As DuckDB finds the few rows that are first in an order, and then the rest of them.
  const Query order(scanned_level(140'000, true), {{{}, {2, 5}}, {{}, {0, 2, 3, 4, 5}}});
  ScanReader either(order.source);
  CHECK(order.questions(either, 2, 1) == 1);
  CHECK(order.source->num_bytes == order.range(2, 1).size + order.range(5, 1).size);
  CHECK(order.questions(either, 5, 1) == 0);
  CHECK(order.questions(either, 0, 1) == 1);
  for (const int column : {2, 3, 4}) CHECK(order.questions(either, column, 1) == 0);
  CHECK(order.questions(either, 2, 2) == 1);
  for (const int column : {0, 3, 4, 5}) CHECK(order.questions(either, column, 2) == 0);

  const Query query(scanned_level(140'000, true), {{{}, {2}}, {{}, {0, 2, 3, 4}}});
  ScanReader first(query.source), second(query.source);
  for (int group = 0; group < 3; ++group) CHECK(query.questions(first, 2, group) == 1);
  uint64_t needed = 0;
  for (int group = 0; group < 3; ++group) needed += query.range(2, group).size;
  CHECK(query.source->num_bytes == needed);
  CHECK(query.questions(second, 0, 1) == 1);
  for (const int column : {2, 3, 4}) CHECK(query.questions(second, column, 1) == 0);
  CHECK(query.questions(second, 2, 0) == 1);
  for (const int column : {0, 3, 4}) CHECK(query.questions(second, column, 0) == 0);
}

TEST_CASE("columns that are prefetched take at most 32 MiB") {
  constexpr std::size_t kRows = 2000, kLength = 7000;  // 12 MiB a column, as none of its values can be made small
  std::mt19937_64 random(11);
  const std::vector<std::optional<std::string>> types(kRows, "FILE");
  std::vector<std::optional<std::string>> ids;
  for (std::size_t row = 0; row < kRows; ++row) ids.emplace_back("s" + std::to_string(row));
  NamedArrays columns{{"id", texts(ids)}, {"type", texts(types)}};
  for (const char* name : {"a", "b", "c"}) {
    std::vector<std::optional<std::string>> values;
    for (std::size_t row = 0; row < kRows; ++row) {
      std::string value(kLength, ' ');
      for (std::size_t i = 0; i < kLength; i += 8) {
        const uint64_t letters = random() & 0x7f7f7f7f7f7f7f7f;
        std::memcpy(value.data() + i, &letters, 8);
      }
      values.emplace_back(std::move(value));
    }
    columns.push_back({name, texts(values)});
  }
  const Query query(std::make_shared<CountingSource>(parquet_of(table_of(columns))), {{{}, {2, 3, 4}}});
  for (const int column : {2, 3, 4}) REQUIRE(query.range(column, 0).size > 11 << 20);
  ScanReader reader(query.source);
  CHECK(query.questions(reader, 2, 0) == 1);
  CHECK(query.source->num_bytes < 32 << 20);
  CHECK(query.questions(reader, 3, 0) == 0);
  CHECK(query.questions(reader, 4, 0) == 1);
  CHECK(query.source->num_bytes == query.range(2, 0).size + query.range(3, 0).size + query.range(4, 0).size);
}

TEST_CASE("a level without a scan is read column by column") {
  const Query query(scanned_level(140'000, true), {});
  ScanReader reader(query.source);
  for (const int column : {2, 3, 4, 5}) CHECK(query.questions(reader, column, 0) == 1);
  uint64_t needed = 0;
  for (const int column : {2, 3, 4, 5}) needed += query.range(column, 0).size;
  CHECK(query.source->num_bytes == needed);
}

TEST_CASE("combined, partial and repeated reads return the bytes of the file") {
  for (const bool is_wide : {false, true}) {
    CAPTURE(is_wide);
    const auto source = scanned_level(140'000, is_wide);
    std::mt19937 random(3);
    for (unsigned round = 0; round < rounds(10); ++round) {
      std::vector<std::pair<Query::Columns, Query::Columns>> scans(random() % 3);
      for (auto& [filters, others] : scans) {
        for (int i = 0; i < kColumns; ++i) {
          (random() % 2 ? filters : others).push_back(static_cast<int>(random() % kColumns));
        }
      }
      const Query query(source, scans);
      ScanReader reader(source);
      for (int i = 0; i < 20; ++i) {
        const uint64_t offset = random() % source->size();
        const ByteRange any{offset, 1 + random() % std::min<uint64_t>(source->size() - offset, 1 << 20)};
        const ByteRange one = query.range(static_cast<int>(random() % kColumns), static_cast<int>(random() % 3));
        CHECK(query.questions(reader, random() % 2 ? any : one) <= 1);
      }
    }
  }
}

TEST_SUITE("threads") {
  TEST_CASE("concurrent scans return the bytes of the file, with shared and separate readers") {
    const Query query(scanned_level(140'000, true), {{{2}, {0, 3, 4}}, {{3}, {5}}});
    ScanReader shared(query.source);
    std::vector<int> good(6);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < good.size(); ++t) {
      threads.emplace_back([&, t] {
        ScanReader own(query.source);
        for (const int column : {2, 0, 3, 4}) {
          const ByteRange range = query.range(column, static_cast<int>(t % 3));
          good[t] += query.reads_right(own, range) && query.reads_right(shared, range) ? 1 : 0;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    for (const int count : good) CHECK(count == 4);
  }
}

}  // namespace
}  // namespace tacore
