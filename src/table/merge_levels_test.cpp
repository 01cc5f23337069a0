#include "table/merge_levels.hpp"

#include <doctest/doctest.h>

#include "support/support.hpp"
#include "support/table_files.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

std::shared_ptr<const LevelTable> merged(const std::vector<NamedArrays>& parts, bool same_columns = true,
                                         int jobs = 2) {
  Strings files;
  MergedLevel level({.same_columns = same_columns});
  std::vector<std::shared_ptr<const LevelTable>> tables;
  for (const auto& part : parts) {
    files.push_back("part" + std::to_string(files.size()) + ".tacozip");
    tables.push_back(LevelTable::open(memory_source(files.back(), parquet_of(table_of(part))),
                                      {.path = files.back(), .offset = {}, .level = 1}));
    level.add(*tables.back());
  }
  Bytes out;
  merge_levels(
      level, files, [&](std::size_t i) { return tables[i]; },
      [&](std::span<const std::byte> more) { out.insert(out.end(), more.begin(), more.end()); }, {.jobs = jobs});
  return level_of(std::move(out));
}

Strings names_of(const LevelTable& level) {
  Strings out;
  for (const auto& column : level.columns()) out.push_back(column.name);
  return out;
}

Strings column(const LevelTable& level, const std::string& name) {
  Strings out;
  for (int64_t row = 0; row < level.num_rows(); ++row)
    out.push_back(level.text(level.find(name), row).value_or("null"));
  return out;
}

NamedArrays rows(const std::vector<std::optional<std::string>>& ids) {
  return {{"id", texts(ids)}, {"type", texts(std::vector<std::optional<std::string>>(ids.size(), "FILE"))}};
}

TEST_CASE("merged rows are in the order of the parts, each with its source file") {
  const auto level = merged({rows({"a", "b"}), rows({"a"}), rows({}), rows({"c"})});
  CHECK(column(*level, "id") == Strings{"a", "b", "a", "c"});
  CHECK(column(*level, "internal:source_file") ==
        Strings{"part0.tacozip", "part0.tacozip", "part1.tacozip", "part3.tacozip"});
}

TEST_CASE("merged columns are in the order of the first part, with the source file last") {
  const std::vector<std::optional<std::string>> one{"FILE"};
  const auto level = merged({{{"id", texts({"a"})},
                              {"type", texts(one)},
                              {"z", texts({"1"})},
                              {"B", texts({"2"})},
                              {"internal:current_id", integers({0})}},
                             {{"internal:current_id", integers({7})},
                              {"B", texts({"4"})},
                              {"z", texts({"3"})},
                              {"type", texts(one)},
                              {"id", texts({"b"})}}});
  CHECK(names_of(*level) == Strings{"id", "type", "z", "B", "internal:current_id", "internal:source_file"});
  CHECK(column(*level, "z") == Strings{"1", "3"});
  CHECK(column(*level, "B") == Strings{"2", "4"});
  CHECK(level->integer(level->find("internal:current_id"), 1) == 7);
}

TEST_CASE("column names that differ only in case are kept") {
  auto part = rows({"a"});
  part.emplace_back("x", texts({"1"}));
  part.emplace_back("X", texts({"2"}));
  const auto footer = merged({part, part})->tail();
  const std::string text(reinterpret_cast<const char*>(footer.data()), footer.size());
  CHECK_FALSE(has_text(text, "X_1"));
}

TEST_CASE("values of every type are merged unchanged") {
  auto part = rows({"a", "b"});
  arrow::LargeStringBuilder large;
  check(large.Append("long"));
  check(large.AppendNull());
  part.emplace_back("large", check(large.Finish()));
  arrow::BinaryBuilder binary;
  check(binary.Append("\x01\xff"));
  check(binary.AppendNull());
  part.emplace_back("binary", check(binary.Finish()));
  const auto level = merged({part, part});
  CHECK(column(*level, "large") == Strings{"long", "null", "long", "null"});
  CHECK(level->columns()[3].type == level_of(part)->columns()[3].type);
}

TEST_CASE("parts with other names or types are refused with level, file and types") {
  auto first = rows({"a"}), more = rows({"a"}), other = rows({"a"});
  first.emplace_back("x", texts({"1"}));
  more.emplace_back("x", texts({"1"}));
  more.emplace_back("y", reals({1}));
  other.emplace_back("x", integers({1}));
  const auto text_of = [&](const NamedArrays& part) -> std::string {
    try {
      merged({first, part});
    } catch (const SchemaError& error) {
      return error.what();
    }
    return "";
  };
  const std::string start = "part1.tacozip: level 1: columns differ from those of 'part0.tacozip': ";
  CHECK(text_of(rows({"a"})) == start + "column 'x' (string) is missing");
  CHECK(text_of(more) == start + "column 'y' (double) is additional");
  CHECK(text_of(other) == start + "column 'x' is int64, expected string");
}

TEST_CASE("without validation a merged level has the columns of all parts, null where one is missing") {
  auto first = rows({"a", "b"}), second = rows({"c"}), third = rows({});
  first.emplace_back("x", integers({1, {}}));
  first.emplace_back("internal:size", integers({4, 5}));
  second.emplace_back("y", texts({"two"}));
  second.emplace_back("x", reals({2.5}));
  third.emplace_back("w", texts({}));
  const auto level = merged({first, second, third}, false);
  CHECK(names_of(*level) == Strings{"id", "type", "x", "y", "w", "internal:size", "internal:source_file"});
  CHECK(level->columns()[2].type == "double");
  CHECK(column(*level, "y") == Strings{"null", "null", "two"});
  CHECK(column(*level, "w") == Strings{"null", "null", "null"});
  CHECK(level->integer(level->find("internal:size"), 2) == std::nullopt);
}

TEST_CASE("integers are widened, and text and numbers have no common type") {
  const auto with = [](std::shared_ptr<arrow::Array> values) {
    auto out = rows({"a"});
    out.emplace_back("x", std::move(values));
    return out;
  };
  const auto small = build<arrow::Int16Builder, int16_t>({7}, arrow::Int16Builder());
  const auto level = merged({with(small), with(integers({int64_t{1} << 40})), with(small)}, false);
  CHECK(level->columns()[2].type == "int64");
  CHECK(level->integer(2, 0) == 7);
  CHECK(level->integer(2, 1) == int64_t{1} << 40);
  CHECK_THROWS_WITH_AS(merged({with(small), with(texts({"1"}))}, false),
                       "part1.tacozip: level 1: columns do not fit those of the inputs from 'part0.tacozip' on: column "
                       "'x' is string, expected int16",
                       SchemaError);
}

TEST_CASE("two columns of one name are refused") {
  auto part = rows({"a"});
  part.emplace_back("x", texts({"1"}));
  part.emplace_back("x", texts({"2"}));
  CHECK_THROWS_WITH_AS(merged({part, part}), "part0.tacozip: level 1: column 'x' occurs twice", SchemaError);
}

TEST_CASE("id and type are merged first and internal columns last, for any order in the first part") {
  NamedArrays part{{"internal:size", integers({1})}, {"x", texts({"1"})},  {"internal:gdal_vsi", texts({"old"})},
                   {"type", texts({"FILE"})},        {"id", texts({"a"})}, {"internal:source_file", texts({"old"})}};
  const auto level = merged({part, part});
  CHECK(names_of(*level) == Strings{"id", "type", "x", "internal:size", "internal:source_file"});
  CHECK(column(*level, "internal:source_file") == Strings{"part0.tacozip", "part1.tacozip"});
}

TEST_CASE("parts of several row groups are merged whole and in order, for any number of threads") {
  std::vector<NamedArrays> parts;
  Strings expected;
  for (int p = 0; p < 3; ++p) {
    std::vector<std::optional<std::string>> ids;
    for (int k = 0; k < 70000; ++k) ids.emplace_back(std::to_string(p) + "_" + std::to_string(k));
    for (const auto& id : ids) expected.push_back(*id);
    parts.push_back(rows(ids));
  }
  for (const int jobs : {1, 3}) CHECK(column(*merged(parts, true, jobs), "id") == expected);
}

TEST_CASE("a part that changed since it was opened is refused") {
  const auto table = [](const NamedArrays& columns) {
    return LevelTable::open(memory_source("a", parquet_of(table_of(columns))), {.path = "a"});
  };
  auto wide = rows({"a"});
  wide.emplace_back("x", texts({"1"}));
  for (const auto& [before, after] :
       {std::pair{rows({"a"}), rows({"a", "b"})}, std::pair{wide, rows({"a"})}, std::pair{rows({"a"}), rows({})}}) {
    MergedLevel level({});
    level.add(*table(before));
    const Strings files{"a"};
    CHECK_THROWS_WITH_AS(
        merge_levels(
            level, files, [&](std::size_t) { return table(after); }, [](std::span<const std::byte>) {}, {}),
        "a: was changed while it was read", SchemaError);
  }
}

}  // namespace
