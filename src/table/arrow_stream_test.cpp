#include "table/arrow_stream.hpp"

#include <arrow/c/abi.h>
#include <arrow/record_batch.h>
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "support/support.hpp"
#include "support/table_files.hpp"
#include "table/cells.hpp"

namespace {

using namespace tacore;

std::shared_ptr<const Rows> three() {
  return table_rows(table_of({{"id", texts({"a", "b", "c"})}, {"n", integers({1, std::nullopt, 3})}}));
}

TEST_CASE("rows are exported as batches of the requested columns, in order and with their names") {
  const auto batches =
      batch_reader(three(), {{"number", 1}, {"id", 0}, {"path", -1, [](int64_t row) {
                                                          return row == 1 ? std::nullopt
                                                                          : std::optional("/p/" + std::to_string(row));
                                                        }}});
  CHECK(batches->schema()->ToString() == "number: int64\nid: string\npath: string");
  const auto batch = read_batch(*batches);
  REQUIRE(batch);
  CHECK(batch->num_rows() == 3);
  CHECK(integer_cell(*batch->column(0), 2) == 3);
  CHECK(text_cell(*batch->column(2), 0) == "/p/0");
  CHECK_FALSE(text_cell(*batch->column(2), 1));
  CHECK_FALSE(read_batch(*batches));
  CHECK_FALSE(read_batch(*batches));
}

TEST_CASE("a level is exported row group by row group, at most 65,536 rows per batch") {
  std::vector<std::optional<int64_t>> numbers(70000, 1);
  const auto batches = batch_reader(table_rows(table_of({{"n", integers(numbers)}})), {{"n", 0}});
  CHECK(read_batch(*batches)->num_rows() == 65536);
  CHECK(read_batch(*batches)->num_rows() == 4464);
  CHECK_FALSE(read_batch(*batches));
}

TEST_CASE("no rows give a schema and no batch") {
  const auto batches = batch_reader(three()->slice(0, 0), {{"id", 0}});
  CHECK(batches->schema()->num_fields() == 1);
  CHECK_FALSE(read_batch(*batches));
}

TEST_CASE("a stream gives back what went in, and each end may be released first") {
  ArrowArrayStream stream{};
  export_batches(batch_reader(three(), {{"id", 0}, {"n", 1}}), &stream);
  const auto table = import_table(&stream);
  CHECK(static_cast<bool>(stream.release) == false);
  CHECK(table->Equals(*table_of({{"id", texts({"a", "b", "c"})}, {"n", integers({1, std::nullopt, 3})}})));

  ArrowArrayStream unused{};
  export_batches(batch_reader(three(), {{"id", 0}}), &unused);
  unused.release(&unused);

  ArrowArrayStream owned{};
  auto source = table_of({{"n", integers({1, 2})}});
  export_table(source, &owned);
  source.reset();
  CHECK(import_table(&owned)->num_rows() == 2);
}

TEST_CASE("an error is rethrown unchanged, and its message crosses the C interface") {
  const auto failing = [] {
    return batch_reader(three(), {{"path", -1, [](int64_t row) -> std::optional<std::string> {
                                     if (row == 2) throw FormatError("row 2 is bad", {.path = "a.tacozip"});
                                     return "x";
                                   }}});
  };
  const auto batches = failing();
  CHECK_THROWS_WITH_AS(read_batch(*batches), "a.tacozip: row 2 is bad", FormatError);
  ArrowArrayStream stream{};
  export_batches(failing(), &stream);
  ArrowArray array{};
  CHECK(stream.get_next(&stream, &array) != 0);
  CHECK(has_text(std::string(stream.get_last_error(&stream)), "a.tacozip: row 2 is bad"));
  stream.release(&stream);
}

}  // namespace
