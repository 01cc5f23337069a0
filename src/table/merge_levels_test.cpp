#include "table/merge_levels.hpp"

#include <doctest/doctest.h>

#include "table/table_test_files.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;
using Strings = std::vector<std::string>;

std::shared_ptr<const LevelTable> merged(const std::vector<NamedArrays>& parts) {
  Strings files;
  for (std::size_t i = 0; i < parts.size(); ++i) files.push_back("part" + std::to_string(i) + ".tacozip");
  Bytes out;
  merge_levels(
      files, 1, [&](std::size_t i) { return memory_source(files[i], parquet_of(table_of(parts[i]))); },
      [&](std::span<const std::byte> more) { out.insert(out.end(), more.begin(), more.end()); });
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

TEST_CASE("T115, T116: rows stand in the order of the parts, each with the file it is from") {
  const auto level = merged({rows({"a", "b"}), rows({"a"}), rows({}), rows({"c"})});
  CHECK(column(*level, "id") == Strings{"a", "b", "a", "c"});
  CHECK(column(*level, "internal:source_file") ==
        Strings{"part0.tacozip", "part0.tacozip", "part1.tacozip", "part3.tacozip"});
}

TEST_CASE("T118, T120: columns stand as in the first part, whatever their order in others, and the file is the last") {
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

TEST_CASE("names that differ only in case stay as they are") {
  auto part = rows({"a"});
  part.emplace_back("x", texts({"1"}));
  part.emplace_back("X", texts({"2"}));
  const auto footer = merged({part, part})->tail();
  const std::string text(reinterpret_cast<const char*>(footer.data()), footer.size());
  CHECK(text.find("X_1") == std::string::npos);
}

TEST_CASE("values of any type come through") {
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

TEST_CASE("T118: other names or types are refused with level, file and types") {
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
  const std::string start = "part1.tacozip: level 1: other columns than in 'part0.tacozip': ";
  CHECK(text_of(rows({"a"})) == start + "column 'x' (string) is missing");
  CHECK(text_of(more) == start + "column 'y' (double) is not there");
  CHECK(text_of(other) == start + "column 'x' (int64) is string there");
}

}  // namespace
