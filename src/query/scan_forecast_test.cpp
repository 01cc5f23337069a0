#include <arrow/c/abi.h>
#include <doctest/doctest.h>

#include <random>

#include "query/read_ahead.hpp"
#include "query/run_statement.hpp"
#include "support/scanned_level.hpp"
#include "table/arrow_stream.hpp"
#include "table/rows.hpp"

// Counts the requests of whole statements: what a right forecast saves, and what a wrong one costs.
namespace tacore {
namespace {

constexpr int64_t kNumRows = 40'000, kRowsOfGroup = 4'000;

/// Row groups of a text `few` (v0 to v9), numbers `even` (0 to 1e6) and as milliseconds `time`, numbers `steep`, which
/// are 0 but once in each row group, and other numbers.
std::shared_ptr<const CountingSource> numbers() {
  std::mt19937_64 random(3);
  std::vector<std::optional<std::string>> ids, few, types(static_cast<std::size_t>(kNumRows), "FILE");
  std::vector<std::optional<int64_t>> even, steep, others[4];
  for (int64_t row = 0; row < kNumRows; ++row) {
    ids.emplace_back("s" + std::to_string(row));
    few.emplace_back("v" + std::to_string(random() % 10));
    even.emplace_back(static_cast<int64_t>(random() % 1'000'000));
    steep.emplace_back(row % kRowsOfGroup == 7 ? 1'000'000 : 0);
    for (auto& other : others) other.emplace_back(static_cast<int64_t>(random()));
  }
  const auto times = integers(even)->data()->Copy();
  times->type = arrow::timestamp(arrow::TimeUnit::MILLI);
  NamedArrays columns{{"time", arrow::MakeArray(times)},
                      {"id", texts(ids)},
                      {"type", texts(types)},
                      {"few", texts(few)},
                      {"even", integers(even)},
                      {"steep", integers(steep)},
                      {"a", integers(others[0])},
                      {"b", integers(others[1])},
                      {"c", integers(others[2])},
                      {"d", integers(others[3])}};
  return std::make_shared<CountingSource>(
      encode_parquet(*table_of(columns), {.row_group_size = kRowsOfGroup, .use_content_defined_chunking = false}));
}

/// A statement over a level on a server.
struct Asked {
  explicit Asked(const std::string& sql, uint64_t round_trip = 50'000) : file(numbers()) {
    const auto level = LevelTable::open(file, {});
    const Statement statement{.sql = sql, .values = {LevelFile{0}}, .levels = {level}};
    file->round_trip = round_trip;
    file->num_questions = 0;
    file->num_bytes = 0;
    ArrowArrayStream stream = {};
    run(statement, &stream);
    num_requests = file->num_questions;
    num_bytes = file->num_bytes;
    const auto table = import_table(&stream);
    num_rows = table->num_rows();
  }

  std::shared_ptr<const CountingSource> file;
  int64_t num_rows = 0;
  int num_requests = 0;
  uint64_t num_bytes = 0;
};

const std::string kFrom = "SELECT * FROM read_parquet($1) WHERE ";

}  // namespace

TEST_CASE("the columns of rows that pass by the bounds come with the columns of the filter") {
  for (const std::string filter :
       {"even < 500000", "even >= 100000 AND even < 200000", "few = 'v3'", "few IN ('v1', 'v2') AND even > 10",
        "few <> 'v1'", "time < TIMESTAMP '1970-01-01 00:10:00'"}) {
    CAPTURE(filter);
    const Asked asked(kFrom + filter, 200'000);
    CHECK(asked.num_rows > kNumRows / 20);
    CHECK(asked.num_rows < kNumRows);
    // A table of 1.4 MB: less than eight round trips bring.
    CHECK(asked.num_requests == 1);
  }
}

TEST_CASE("rare rows are read alone") {
  for (const std::string filter : {"id = 's12345'", "id IN ('s12345', 'none')"}) {
    CAPTURE(filter);
    const Asked asked(kFrom + filter);
    CHECK(asked.num_rows == 1);
    CHECK(asked.num_bytes < 700'000);  // of 1.4 MB: the ids, three row groups by their bounds, and a round trip
  }
}

TEST_CASE("rows outside of the bounds of a row group are not expected") {
  const Asked asked(kFrom + "time > TIMESTAMP '1970-01-02'", 20'000);
  CHECK(asked.num_rows == 0);
  CHECK(asked.num_bytes < 100'000);
}

TEST_CASE("a forecast that is wrong costs eight round trips at most") {
  // By the bounds, half of the rows pass the filter; in fact no row does.
  const Asked asked(kFrom + "steep > 1000 AND steep < 500000", 20'000);
  CHECK(asked.num_rows == 0);
  CHECK(asked.num_bytes < AheadPlan::kLikelyTrips * 20'000 + 100'000);
}

TEST_CASE("the rows that an order begins with come with the order where all row groups probably have some") {
  const Asked many("SELECT * FROM read_parquet($1) ORDER BY even LIMIT 45", 500'000);
  CHECK(many.num_rows == 45);
  CHECK(many.num_requests <= 2);
  const Asked few("SELECT * FROM read_parquet($1) ORDER BY even LIMIT 2", 20'000);
  CHECK(few.num_rows == 2);
  CHECK(few.num_bytes < 800'000);
}

}  // namespace tacore
