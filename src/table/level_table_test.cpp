#include "table/level_table.hpp"

#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <doctest/doctest.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <thread>

#include "support/counting.hpp"
#include "support/support.hpp"
#include "support/table_files.hpp"
#include "table/arrow_stream.hpp"
#include "table/cells.hpp"
#include "table/rows.hpp"

namespace {

using namespace tacore;

const std::vector<std::optional<std::string>> kFiles3{"FILE", "FILE", "FILE"};

Bytes small() { return parquet_of(table_of({{"id", texts({"a", "b", "c"})}, {"type", texts(kFiles3)}})); }

TEST_CASE("a pass over a large table keeps the last columns, and rows in no order keep all") {
  // Eight row groups whose column takes 64 MB each.
  constexpr int kGroups = 8, kRows = 1024;
  arrow::StringBuilder values;
  std::string value(64 << 10, ' ');
  for (int row = 0; row < kGroups * kRows; ++row) {
    value.replace(0, 8, std::to_string(10'000'000 + row));
    check(values.Append(value));
  }
  const auto column = check(values.Finish());
  std::vector<std::optional<std::string>> ids;
  for (int row = 0; row < kGroups * kRows; ++row) ids.emplace_back(std::to_string(row));
  const auto table = table_of({{"id", texts(ids)},
                               {"type", texts(std::vector<std::optional<std::string>>(ids.size(), "FILE"))},
                               {"large", column}});
  const auto level = level_of(encode_parquet(*table, {.row_group_size = kRows}));
  const int large = level->find("large");
  const int64_t before = memory_in_use();
  const auto used = [&] { return (memory_in_use() - before) >> 20; };
  for (int pass = 0; pass < 3; ++pass) {
    for (int group = 0; group < kGroups; ++group) {
      CHECK(level->text(large, group * kRows + 7)->starts_with(std::to_string(10'000'007 + group * kRows)));
      CHECK(used() < 256 + 2 * 64 + 64 * pass);
    }
  }
  for (int turn = 0; turn < 6; ++turn) {
    for (int group = kGroups - 1; group >= 0; --group) level->array(large, group);
  }
  std::vector<const arrow::Array*> kept;
  for (int group = 0; group < kGroups; ++group) kept.push_back(level->array(large, group).get());
  for (int group = kGroups - 1; group >= 0; --group)
    CHECK(level->array(large, group).get() == kept[static_cast<std::size_t>(group)]);
  CHECK(used() >= kGroups * 64);
}

TEST_CASE("a level gives its columns, rows and cells") {
  const auto level = level_of({{"id", texts({"a", "b", std::nullopt})},
                               {"type", texts(kFiles3)},
                               {"n", integers({1, std::nullopt, 3})},
                               {"x", reals({1, 2, 3})}});
  CHECK(level->num_rows() == 3);
  CHECK(level->num_row_groups() == 1);
  CHECK(level->columns() == std::vector<Column>{{"id", "string"}, {"type", "string"}, {"n", "int64"}, {"x", "double"}});
  CHECK(level->find("n") == 2);
  CHECK(level->find("N") == -1);
  CHECK(level->integer(2, 0) == 1);
  CHECK_FALSE(level->integer(2, 1));
  CHECK(level->text(1, 2) == "FILE");
}

/// More rows than opening reads.
std::shared_ptr<const CountingSource> far_rows() {
  std::vector<std::optional<std::string>> ids, types;
  std::vector<std::optional<int64_t>> offsets, sizes;
  std::vector<std::optional<double>> other;
  for (int i = 0; i < 70000; ++i) {
    ids.emplace_back("id_" + std::to_string(i * 7919 % 70001));
    types.emplace_back(i % 2 == 0 ? "FILE" : "FOLDER");
    offsets.emplace_back(int64_t{i} * 7919 % 1000003);
    sizes.emplace_back(i + 1);
    other.emplace_back(i / 7.0);
  }
  return std::make_shared<CountingSource>(parquet_of(table_of({{"id", texts(ids)},
                                                               {"type", texts(types)},
                                                               {"other", reals(other)},
                                                               {"internal:offset", integers(offsets)},
                                                               {"internal:size", integers(sizes)}})));
}

TEST_CASE("the columns that locate a row's bytes in a remote level are read with one request") {
  const auto source = far_rows();
  const auto level = LevelTable::open(source, {});
  source->num_questions = 0;
  CHECK(level->text(level->find("type"), 2) == "FILE");
  CHECK(level->integer(level->find("internal:offset"), 2) == 2 * 7919);
  CHECK(level->integer(level->find("internal:size"), 2) == 3);
  CHECK(level->text(level->find("id"), 2) == "id_15838");
  CHECK(source->num_questions == 1);
  level->integer(level->find("internal:size"), 65536);  // of the second row group
  level->text(level->find("id"), 65536);
  CHECK(source->num_questions == 2);
}

TEST_CASE("another column of a remote level is read alone") {
  const auto source = far_rows();
  const auto level = LevelTable::open(source, {});
  for (const char* name : {"id", "other"}) {
    CAPTURE(name);
    source->num_questions = 0;
    level->array(level->find(name), 0);
    CHECK(source->num_questions > 0);
    source->num_questions = 0;
    level->array(level->find(name), 0);
    CHECK(source->num_questions == 0);
  }
}

TEST_CASE("checking the order of offsets in a remote level takes one request per row group, without ids") {
  const auto source = far_rows();
  const auto level = LevelTable::open(source, {});
  source->num_questions = 0;
  for (int group = 0; group < level->num_row_groups(); ++group) {
    level->array(level->find("internal:offset"), group);
    level->array(level->find("type"), group);
  }
  CHECK(source->num_questions == level->num_row_groups());
  level->array(level->find("id"), 0);
  CHECK(source->num_questions > level->num_row_groups());
}

/// `num_groups` row groups of a remote level, of whose columns each has 8 bytes a row.
std::shared_ptr<const CountingSource> far_groups(int num_groups) {
  const auto rows = static_cast<std::size_t>(num_groups) * 65536;
  std::vector<std::optional<std::string>> ids(rows, "a"), types(rows, "FILE");
  std::vector<std::optional<int64_t>> offsets(rows), sizes(rows);
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < rows; ++i) {
    offsets[i] = static_cast<int64_t>(random() >> 1);
    sizes[i] = static_cast<int64_t>(random() >> 1);
  }
  return std::make_shared<CountingSource>(parquet_of(table_of({{"id", texts(ids)},
                                                               {"type", texts(types)},
                                                               {"internal:offset", integers(offsets)},
                                                               {"internal:size", integers(sizes)}})));
}

TEST_CASE("a scan of a remote level requests its columns of all row groups together, and no others") {
  const auto source = far_groups(5);
  const auto level = LevelTable::open(source, {});
  REQUIRE(level->num_row_groups() == 5);
  const int offset = level->find("internal:offset"), type = level->find("type");
  const auto other = LevelTable::open(far_groups(5), {});
  source->num_bytes = 0;
  level->array(offset, 2);  // fetched together with the type
  const uint64_t of_one = source->num_bytes;
  source->num_questions = 0;
  source->num_bytes = 0;
  const std::vector<int> columns{offset, type};
  CHECK(level->read_ahead(columns, 1, level->num_row_groups()) == 5);
  CHECK(source->num_questions == 1);
  CHECK(source->num_bytes / of_one == 3);
  CHECK(level->read_ahead(columns, 1, level->num_row_groups()) == 5);
  for (const int column : columns) {
    for (int group = 1; group < 5; ++group) CHECK(level->array(column, group)->Equals(other->array(column, group)));
  }
  CHECK(source->num_questions == 1);
  level->array(offset, 0);
  CHECK(source->num_questions == 2);
}

TEST_CASE("exported columns of remote rows are requested together, only for row groups with such rows") {
  for (const bool is_passing : {false, true}) {
    CAPTURE(is_passing);
    const auto source = far_groups(3);
    const auto level = LevelTable::open(source, {});
    const auto rows = is_passing ? passing_rows(level, std::nullopt) : visible_rows(level, std::nullopt);
    std::vector<StreamColumn> columns;
    for (int c = 0; c < 4; ++c) columns.push_back({level->columns()[static_cast<std::size_t>(c)].name, c});
    source->num_questions = 0;
    const auto last = batch_reader(rows->slice(2 * 65536 + 5, 10), columns);
    CHECK(last->Next().ValueOrDie()->num_rows() == 10);
    CHECK(source->num_questions == 1);
    source->num_questions = 0;
    const auto all = batch_reader(rows, columns);
    int64_t count = 0;
    while (const auto batch = all->Next().ValueOrDie()) count += batch->num_rows();
    CHECK(count == level->num_rows());
    CHECK(source->num_questions == (is_passing ? 3 : 2));
  }
}

TEST_CASE("a local level is not prefetched") {
  const auto level = level_of({{"id", texts({"a"})}, {"type", texts({"FILE"})}});
  CHECK(level->read_ahead(std::vector<int>{0, 1}, 0, level->num_row_groups()) == 1);
}

TEST_CASE("prefetching keeps within its memory limit, and reads at least one row group") {
  const auto source = far_groups(6);
  const auto level = LevelTable::open(source, {});
  const int offset = level->find("internal:offset");
  source->num_bytes = 0;
  CHECK(level->read_ahead(std::vector<int>{offset}, 5, level->num_row_groups()) == 6);
  const std::size_t of_one = source->num_bytes;
  // As if a table had many such columns, of which three row groups fit.
  CHECK(level->read_ahead(std::vector<int>(LevelTable::kMostAhead / of_one / 3, offset), 0, level->num_row_groups()) ==
        3);
  CHECK(level->read_ahead(std::vector<int>(LevelTable::kMostAhead / of_one * 2, offset), 3, level->num_row_groups()) ==
        4);
}

TEST_CASE("a failed prefetch is an error, and can be repeated") {
  const auto source = far_groups(3);
  const auto level = LevelTable::open(source, {});
  const std::vector<int> columns{level->find("internal:offset"), level->find("type")};
  source->is_down = true;
  CHECK_THROWS_AS(level->read_ahead(columns, 0, level->num_row_groups()), IoError);
  source->is_down = false;
  CHECK(level->read_ahead(columns, 0, level->num_row_groups()) == 3);
  source->is_down = true;
  CHECK(level->integer(columns[0], 65536).has_value());  // is in memory
}

TEST_CASE("row group positions and row numbers convert both ways") {
  std::vector<std::optional<std::string>> ids, types;
  for (int i = 0; i < 140000; ++i) {
    ids.emplace_back("id_" + std::to_string(i));
    types.emplace_back("FILE");
  }
  const auto level = level_of({{"id", texts(ids)}, {"type", texts(types)}});
  REQUIRE(level->num_row_groups() == 3);
  CHECK(level->group_begin(0) == 0);
  CHECK(level->group_begin(1) == 65536);
  CHECK(level->group_begin(3) == 140000);
  for (const int64_t row : {0, 65535, 65536, 131071, 131072, 139999}) {
    CAPTURE(row);
    CHECK(level->group_of(row) == row / 65536);
    CHECK(level->text(0, row) == "id_" + std::to_string(row));
  }
  CHECK(level->array(0, 2)->length() == 140000 - 131072);
  CHECK(level->array(0, 2) == level->array(0, 2));    // kept
  CHECK(level->decode(0, 2) != level->decode(0, 2));  // not kept
}

TEST_CASE("a level may have no rows or no row groups") {
  const auto level = level_of({{"id", texts({})}, {"type", texts({})}});
  CHECK(level->num_rows() == 0);
  CHECK(level->num_visible_rows() == 0);
}

TEST_CASE("columns that differ in case alone get the same suffixes in any order") {
  std::vector<std::string> names{"cloud", "Cloud", "CLOUD", "cloud_1"};
  std::sort(names.begin(), names.end());
  do {
    NamedArrays columns{{"id", texts({"a"})}, {"type", texts({"FILE"})}};
    for (const auto& name : names) columns.emplace_back(name, texts({name}));
    const auto level = level_of(columns);
    CHECK(level->text(level->find("cloud"), 0) == "cloud");
    CHECK(level->text(level->find("cloud_1"), 0) == "cloud_1");
    CHECK(level->text(level->find("Cloud_2"), 0) == "Cloud");
    CHECK(level->text(level->find("CLOUD_3"), 0) == "CLOUD");
  } while (std::next_permutation(names.begin(), names.end()));
}

TEST_CASE("columns that differ in case only get suffixes, and a required name is kept") {
  const auto level =
      level_of({{"id", texts({"a"})}, {"Id", texts({"b"})}, {"type", texts({"FILE"})}, {"ID", texts({"c"})}});
  CHECK(level->columns()[0].name == "id");
  CHECK(level->columns()[1].name == "Id_1");
  CHECK(level->columns()[3].name == "ID_2");
  CHECK(level->text(level->find("ID_2"), 0) == "c");
}

TEST_CASE("a column without a name gets a name") {
  const auto level = level_of({{"id", texts({"a"})}, {"", texts({"b"})}, {"type", texts({"FILE"})}});
  CHECK(level->columns()[1].name == "_1");
  CHECK(level->text(level->find("_1"), 0) == "b");
}

TEST_CASE("statistics are verified against the values of every kind of column") {
  const auto level = level_of({{"id", texts({"a", "b", std::nullopt})},
                               {"type", texts(kFiles3)},
                               {"n", integers({1, std::nullopt, 3})},
                               {"x", reals({1, std::nan(""), std::nullopt})}});
  for (int column = 0; column < 4; ++column) CHECK(level->why_wrong_statistics(column, 0) == "");
}

TEST_CASE("lists, structs and times have Arrow's type names, with list items called item") {
  CHECK(type_name(*arrow::list(arrow::field("element", arrow::float32()))) == "list<item: float>");
  CHECK(type_name(*arrow::list(arrow::list(arrow::float64()))) == "list<item: list<item: double>>");
  CHECK(type_name(*arrow::large_list(arrow::int8())) == "large_list<item: int8>");
  CHECK(type_name(*arrow::fixed_size_list(arrow::int64(), 3)) == "fixed_size_list<item: int64>[3]");
  CHECK(
      type_name(*arrow::struct_({arrow::field("a", arrow::utf8()), arrow::field("b", arrow::list(arrow::int32()))})) ==
      "struct<a: string, b: list<item: int32>>");
  CHECK(type_name(*arrow::timestamp(arrow::TimeUnit::MICRO)) == "timestamp[us]");
}

TEST_CASE("a file that is not a level is refused with what was found and what was expected") {
  const auto at = [](Bytes bytes) { return error_of([&] { level_of(std::move(bytes)); }); };
  CHECK(has_text(at({}), "FormatError: memory: level 0: not Parquet: 0 bytes, at least 12 expected"));
  CHECK(has_text(at(Bytes(100)), "not Parquet: ends with"));
  Bytes bytes = small();
  bytes[bytes.size() - 5] = std::byte{0x7F};
  CHECK(has_text(at(bytes), "Parquet footer states"));
  bytes = small();
  bytes[bytes.size() - 1] = std::byte{'E'};
  CHECK(has_text(at(bytes), "encrypted"));
  bytes = small();
  for (std::size_t i = bytes.size() - 60; i < bytes.size() - 8; ++i) bytes[i] = std::byte{0xFF};
  CHECK(has_text(at(bytes), "FormatError"));
}

TEST_CASE("a level without id or type, or with other types for them, is a SchemaError that names the column") {
  const auto at = [](const NamedArrays& columns) { return error_of([&] { level_of(columns); }); };
  CHECK(has_text(at({{"type", texts({"FILE"})}}), "SchemaError: memory: level 0: no column 'id'"));
  CHECK(has_text(at({{"id", texts({"a"})}}), "no column 'type'"));
  CHECK(
      has_text(at({{"id", integers({1})}, {"type", texts({"FILE"})}}), "column 'id' has type int64, string expected"));
  for (const std::string name : {"internal:offset", "internal:size", "internal:current_id"}) {
    CHECK(has_text(at({{"id", texts({"a"})}, {"type", texts({"FILE"})}, {name, texts({"1"})}}),
                   "column '" + name + "' has type string, int64 expected"));
  }
  for (const std::string name : {"internal:relative_path", "internal:source_file"}) {
    CHECK(has_text(at({{"id", texts({"a"})}, {"type", texts({"FILE"})}, {name, integers({1})}}),
                   "column '" + name + "' has type int64, string expected"));
  }
  CHECK(has_text(at({{"id", texts({"a"})}, {"type", texts({"FILE"})}, {"internal:parent_id", reals({1})}}),
                 "internal:parent_id"));
  CHECK(at({{"id", texts({"a"})}, {"type", texts({"FILE"})}, {"internal:parent_id", texts({"b"})}}) == "");
}

TEST_CASE("null, non-UTF-8 and path-traversing ids are FormatErrors that name the row") {
  const struct {
    std::optional<std::string> id;
    const char* words;
  } cases[] = {{std::nullopt, "row 1: id is null"}, {"", "row 1: id"},       {"..", "row 1: id '..'"},
               {"a/b", "row 1: id 'a/b'"},          {"a\\b", "row 1: id"},   {std::string("a\0b", 3), "row 1: id"},
               {"a\xFF", "is not UTF-8"},           {"\xC3", "is not UTF-8"}};
  for (const auto& c : cases) {
    CAPTURE(std::string(c.words));
    const auto level = level_of({{"id", texts({"a", c.id, "c"})}, {"type", texts(kFiles3)}});
    const std::string error = error_of([&] { level->text(0, 0); });
    CHECK(has_text(error, "FormatError: memory: level 0: "));
    CHECK(has_text(error, c.words));
  }
  CHECK(level_of({{"id", texts({"東京"})}, {"type", texts({"FILE"})}})->text(0, 0) == "東京");
}

TEST_CASE("padding is counted, and ruled out by footer statistics where possible") {
  const auto padded = level_of(
      {{"id", texts({"a", "__TACOPAD__0", "z"})}, {"type", texts(kFiles3)}, {"x", reals({1, std::nullopt, 2})}});
  CHECK(padded->may_have_padding());
  CHECK(padded->num_visible_rows() == 2);
  // Padding of some writers has values in user columns, as in x.
  const auto filled = level_of({{"id", texts({"A", "__TACOPAD__0", "z"})},
                                {"type", texts(kFiles3)},
                                {"x", texts({"a", "", "b"})},
                                {"internal:size", integers({1, 0, 3})}});
  CHECK(filled->may_have_padding());
  CHECK(filled->num_visible_rows() == 2);
  // Its ids are all lower case, which sort after padding. Sizes rule out nothing: they may be those of other rows.
  CHECK_FALSE(level_of({{"id", texts({"a", "b", "z"})}, {"type", texts(kFiles3)}})->may_have_padding());
  CHECK(level_of({{"id", texts({"A", "b", "z"})}, {"type", texts(kFiles3)}, {"x", reals({1, 2, 3})}})
            ->may_have_padding());
  CHECK(
      level_of(
          {{"id", texts({"A", "__TACOPAD__0", "z"})}, {"type", texts(kFiles3)}, {"internal:size", integers({1, 2, 3})}})
          ->num_visible_rows() == 2);
  CHECK(level_of({{"id", texts({"A", "__TACOPAD__0", "z"})},
                  {"type", texts({"FOLDER", "FOLDER", "FOLDER"})},
                  {"internal:size", integers({1, 2, 3})}})
            ->num_visible_rows() == 2);
  const auto similar = level_of({{"id", texts({"A", "ab__TACOPAD__0", "xxTACOPADyy"})}, {"type", texts(kFiles3)}});
  CHECK(similar->num_visible_rows() == 3);
}

TEST_CASE("an empty sample is not padding") {
  const auto level =
      level_of({{"id", texts({"A", "b", "z"})}, {"type", texts(kFiles3)}, {"internal:size", integers({1, 0, 3})}});
  CHECK(level->num_visible_rows() == 3);
  const auto padded = level_of({{"id", texts({"A", "__TACOPAD__0", "z"})},
                                {"type", texts(kFiles3)},
                                {"internal:size", integers({1, std::nullopt, 3})}});
  CHECK(padded->num_visible_rows() == 2);
}

TEST_CASE("text is read as it was stored, with nulls and dictionary-encoded values") {
  std::vector<std::optional<std::string>> ids, types, words;
  for (int i = 0; i < 100000; ++i) {
    ids.push_back("sample_" + std::to_string(i));
    types.emplace_back("FILE");
    words.push_back(i % 7 == 0 ? std::nullopt : std::optional(i % 7 == 1 ? "" : "word_" + std::to_string(i % 50)));
  }
  const auto level = level_of({{"id", texts(ids)}, {"type", texts(types)}, {"word", texts(words)}});
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    if (level->text(0, row) != ids[i] || level->text(1, row) != "FILE" || level->text(2, row) != words[i])
      FAIL("row " << i);
  }
}

TEST_CASE("whole numbers are those of Arrow's own reader, in every encoding, with and without nulls") {
  std::mt19937_64 random(5);
  std::vector<std::optional<std::string>> ids;
  std::vector<std::optional<int64_t>> few, many, none, all;
  for (int i = 0; i < 20'000; ++i) {
    ids.push_back("sample_" + std::to_string(i));
    few.push_back(i % 7 == 0 ? std::nullopt : std::optional(static_cast<int64_t>(random() % 5) - 2));
    many.push_back(i % 4096 < 90 ? std::nullopt : std::optional(static_cast<int64_t>(random())));
    none.emplace_back(std::nullopt);
    all.emplace_back(std::numeric_limits<int64_t>::min() + i);
  }
  const NamedArrays columns{
      {"id", texts(ids)},       {"type", texts(std::vector<std::optional<std::string>>(ids.size(), "FILE"))},
      {"few", integers(few)},   {"many", integers(many)},
      {"none", integers(none)}, {"all", integers(all)}};
  for (const std::string codec : {"uncompressed", "zstd", "snappy"}) {
    for (const bool second : {false, true}) {
      const std::string file = parquet_with(columns, codec, second, 7'000);
      auto reader = check(parquet::arrow::FileReader::Make(
          arrow::default_memory_pool(), parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(
                                            arrow::Buffer::FromString(file)))));
      const auto bytes = std::as_bytes(std::span(file));
      const auto level = level_of(Bytes(bytes.begin(), bytes.end()));
      REQUIRE(level->num_row_groups() == 3);
      for (int group = 0; group < 3; ++group) {
        const auto expected = check(reader->ReadRowGroup(group));
        for (int column = 2; column < 6; ++column)
          CHECK(level->array(column, group)->Equals(check(arrow::Concatenate(expected->column(column)->chunks()))));
      }
    }
  }
}

TEST_CASE("a table that is opened like another is the same as one that is opened by itself") {
  const NamedArrays usual{{"id", texts({"a", "b", "c"})}, {"type", texts(kFiles3)}, {"n", integers({1, 2, 3})}};
  auto other_values = usual, other_name = usual, other_type = usual, more = usual;
  other_values[2].second = integers({4, std::nullopt, 6});
  other_name[2].first = "N";
  other_type[2].second = reals({1, 2, 3});
  more.emplace_back("list", check(arrow::MakeArrayOfNull(arrow::list(arrow::int64()), 3)));
  auto other_list = more;
  other_list[3].second = check(arrow::MakeArrayOfNull(arrow::list(arrow::int32()), 3));
  const std::vector<NamedArrays> all{usual, other_values, other_name, other_type, more, other_list};
  for (const auto& first : all) {
    const auto like = level_of(first);
    for (const auto& second : all) {
      const auto alone = level_of(second), level = LevelTable::open(alone->source(), {.path = "x"}, *like);
      CHECK(level->columns() == alone->columns());
      CHECK(level->file_columns() == alone->file_columns());
      CHECK(level->stored_schema()->Equals(alone->stored_schema()));
      for (int column = 0; column < static_cast<int>(second.size()); ++column) {
        CHECK(level->find(second[static_cast<std::size_t>(column)].first) == column);
        CHECK(level->array(column, 0)->Equals(alone->array(column, 0)));
      }
    }
  }
  // A table without `type` is refused, whatever it is opened like.
  const Bytes damaged = parquet_of(table_of({{"id", texts({"a"})}, {"n", integers({1})}}));
  CHECK_THROWS_AS(LevelTable::open(memory_source("x", damaged), {.path = "x"}, *level_of(usual)), SchemaError);
}

TEST_CASE("footer statistics say whether a row group may contain a text") {
  const auto level = level_of({{"id", texts({"b", "d", "f"})}, {"type", texts(kFiles3)}});
  CHECK(level->may_hold(0, 0, "c"));
  CHECK_FALSE(level->may_hold(0, 0, "a"));
  CHECK_FALSE(level->may_hold(0, 0, "g"));
}

TEST_CASE("adopt() shares a decoded column only where its bytes equal the other table's") {
  const auto table = [](const std::string& last, int64_t offset) {
    return level_of({{"id", texts({"a", "b", last})}, {"type", texts(kFiles3)}, {"n", integers({1, 2, offset})}});
  };
  const auto one = table("c", 3), two = table("c", 4), three = table("d", 3);
  for (const int column : {0, 1, 2}) one->array(column, 0);
  for (const auto& other : {two, three}) {
    for (const int column : {0, 1, 2}) other->adopt(column, *one, column);
  }
  CHECK(two->array(0, 0) == one->array(0, 0));
  CHECK(two->array(1, 0) == one->array(1, 0));
  CHECK(two->integer(2, 2) == 4);
  CHECK(three->text(0, 2) == "d");
  CHECK(three->array(2, 0) == one->array(2, 0));
  // The same bytes under another type, or in a column that `one` has not decoded, are not adopted.
  two->adopt(0, *one, 2);
  CHECK(two->text(0, 0) == "a");
  const auto fresh = table("c", 3), next = table("c", 3);
  next->adopt(0, *fresh, 0);
  CHECK(next->array(0, 0) != fresh->array(0, 0));
}

TEST_CASE("an array outlives its level") {
  std::shared_ptr<arrow::Array> kept =
      level_of({{"id", texts({"a", "b", "c"})}, {"type", texts(kFiles3)}})->decode(0, 0);
  CHECK(text_cell(*kept, 1) == "b");
  kept.reset();
}

TEST_CASE("a page that claims a huge size is a FormatError, not an allocation") {
  Bytes bytes = small();
  // The uncompressed size of the first page: a zigzag varint after the Thrift field header 0x15 of field 2.
  bool patched = false;
  for (std::size_t i = 4; i + 8 < 40 && !patched; ++i) {
    if (bytes[i] == std::byte{0x15} && bytes[i + 2] == std::byte{0x15}) {
      Bytes huge(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(i + 3));
      for (const int b : {0xFE, 0xFF, 0xFF, 0xFF, 0x0F}) huge.push_back(static_cast<std::byte>(b));
      huge.insert(huge.end(), bytes.begin() + static_cast<std::ptrdiff_t>(i + 4), bytes.end());
      bytes = std::move(huge);
      patched = true;
    }
  }
  REQUIRE(patched);
  const auto error = error_of([&] { level_of(bytes)->decode(0, 0); });
  CHECK(has_text(error, "FormatError"));
}

TEST_CASE("with_integers changes the named columns and keeps the rest") {
  const auto level = level_of({{"id", texts({"a", "b", "c"})},
                               {"type", texts(kFiles3)},
                               {"internal:offset", integers({3, 2, 1})},
                               {"x", reals({1, std::nullopt, 3})}});
  const auto changed = with_integers(*level, {{"internal:offset", {10, std::nullopt, 30}}});
  CHECK(changed->columns() == level->columns());
  CHECK(changed->integer(2, 0) == 10);
  CHECK_FALSE(changed->integer(2, 1));
  CHECK(changed->text(0, 2) == "c");
  CHECK(changed->array(3, 0)->Equals(level->array(3, 0)));
  CHECK(level->integer(2, 0) == 3);
  CHECK(changed->where().path == "memory");
}

/// Fails from the n-th read on, until told otherwise.
struct Breaking : ByteSource {
  explicit Breaking(Bytes bytes) : whole(memory_source("broken", std::move(bytes))) {}
  const std::string& name() const noexcept override { return whole->name(); }
  uint64_t size() const override { return whole->size(); }
  bool is_local() const noexcept override { return true; }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (broken) throw IoError("no line", {.path = name()}, 5);
    whole->read(offset, out);
  }
  std::shared_ptr<const ByteSource> whole;
  mutable bool broken = false;
};

TEST_CASE("a small table is read once, whole") {
  const auto source = std::make_shared<Breaking>(small());
  const auto level = LevelTable::open(source, {.path = "x"});
  source->broken = true;
  CHECK(level->text(0, 0) == "a");
}

TEST_CASE("a failed read rethrows its error, and the next read succeeds") {
  std::vector<std::optional<std::string>> ids, types(20000, "FILE");
  for (int i = 0; i < 20000; ++i) ids.push_back("a" + std::to_string(i * 7919 % 20011));
  const auto source = std::make_shared<Breaking>(parquet_of(table_of({{"id", texts(ids)}, {"type", texts(types)}})));
  source->broken = true;
  CHECK_THROWS_WITH_AS(LevelTable::open(source, {.path = "x"}), "broken: no line: Input/output error", IoError);
  source->broken = false;
  const auto level = LevelTable::open(source, {.path = "x"});
  source->broken = true;
  CHECK_THROWS_WITH_AS(level->text(0, 0), "broken: no line: Input/output error", IoError);
  CHECK_THROWS_WITH_AS(level->array(1, 0), "broken: no line: Input/output error", IoError);
  source->broken = false;
  CHECK(level->text(0, 0) == "a0");
}

TEST_CASE("required column names are kept unchanged even after a column that differs in case") {
  const auto level =
      level_of({{"ID", texts({"x"})}, {"id", texts({"a"})}, {"type", texts({"FILE"})}, {"Type", texts({"y"})}});
  CHECK(level->text(level->find("id"), 0) == "a");
  CHECK(level->text(level->find("ID_1"), 0) == "x");
  CHECK(level->text(level->find("Type_1"), 0) == "y");
}

TEST_CASE("a table of no rows has no pages to check") {
  const auto level = level_of({{"id", texts({})}, {"type", texts({})}});
  CHECK_NOTHROW(level->check_pages(0, std::span(level->tail()).first(4)));
}

TEST_CASE("a thousand columns are decoded with one reader") {
  NamedArrays columns{{"id", texts({"a"})}, {"type", texts({"FILE"})}};
  for (int i = 0; i < 1000; ++i) columns.emplace_back("c" + std::to_string(i), integers({i}));
  const auto level = level_of(columns);
  for (int c = 2; c < 1002; ++c) CHECK(level->integer(c, 0) == c - 2);
}

}  // namespace

TEST_SUITE("threads") {
  TEST_CASE("threads that read the same columns of a remote level share one request") {
    const auto source = far_rows();
    source->latency = std::chrono::milliseconds(20);  // so that the other threads ask meanwhile
    const auto level = LevelTable::open(source, {});
    source->num_questions = 0;
    std::vector<std::thread> threads;
    std::vector<int64_t> sums(8);
    for (std::size_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (const char* name : {"type", "internal:offset", "internal:size"}) level->array(level->find(name), 0);
        for (int64_t row = 0; row < 100; ++row) sums[t] += *level->integer(level->find("internal:size"), row);
      });
    }
    for (auto& thread : threads) thread.join();
    for (const int64_t sum : sums) CHECK(sum == 5050);
    CHECK(source->num_questions == 1);
  }

  TEST_CASE("threads that scan a remote level share its requests") {
    const auto source = far_groups(3);
    source->latency = std::chrono::milliseconds(20);  // so that the other threads ask meanwhile
    const auto level = LevelTable::open(source, {});
    const std::vector<int> columns{level->find("internal:offset"), level->find("type")};
    source->num_questions = 0;
    std::vector<std::thread> threads;
    std::vector<int64_t> nulls(8);
    for (std::size_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (int group = 0, ahead = 0; group < 3; ++group) {
          if (group == ahead) ahead = level->read_ahead(columns, group, level->num_row_groups());
          nulls[t] += level->array(columns[0], group)->null_count();
        }
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(source->num_questions == 1);
    for (const int64_t count : nulls) CHECK(count == 0);
  }

  TEST_CASE("eight threads decode one level at once") {
    const auto level = level_of({{"id", texts({"a", "b", "c"})}, {"type", texts(kFiles3)}, {"n", integers({1, 2, 3})}});
    std::vector<std::thread> threads;
    std::vector<int> sums(8);
    for (std::size_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (int64_t row = 0; row < 3; ++row)
          sums[t] += static_cast<int>(*level->integer(2, row)) + static_cast<int>(level->text(0, row)->size());
      });
    }
    for (auto& thread : threads) thread.join();
    for (const int sum : sums) CHECK(sum == 9);
  }
}
