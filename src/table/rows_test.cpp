#include "table/rows.hpp"

#include <arrow/array.h>
#include <doctest/doctest.h>

#include <string>

#include "support/table_files.hpp"
#include "table/cells.hpp"

namespace {

using namespace tacore;

/// Three row groups: 65,536, 65,536 and 8,928 rows.
constexpr int64_t kRows = 140000;

std::shared_ptr<const LevelTable> large() {
  static const auto level = [] {
    std::vector<std::optional<std::string>> ids, types;
    std::vector<std::optional<int64_t>> numbers;
    for (int64_t i = 0; i < kRows; ++i) {
      ids.emplace_back(i == 70000 ? "__TACOPAD__0" : "ID_" + std::to_string(i));
      types.emplace_back("FILE");
      numbers.emplace_back(i == 70000 ? std::nullopt : std::optional<int64_t>(i));
    }
    return level_of({{"id", texts(ids)}, {"type", texts(types)}, {"n", integers(numbers)}});
  }();
  return level;
}

TEST_CASE("a row key encodes and decodes part, level and row") {
  const RowKey keys[] = {
      {}, {1, 5, 0}, {RowKey::kMaxParts - 1, 5, (int64_t{1} << 40) - 1}, {0, 3, 7}, {12345, 0, 987654321}};
  for (const RowKey& key : keys) {
    const RowKey back = RowKey::decode(key.encode());
    CHECK(key.encode() >= 0);
    CHECK(back.part == key.part);
    CHECK(back.level == key.level);
    CHECK(back.row == key.row);
  }
}

TEST_CASE("keys of later rows are greater, within a level of a part") {
  CHECK(RowKey{0, 0, 1}.encode() == RowKey{0, 0, 0}.encode() + 1);
  CHECK(RowKey{1, 0, 0}.encode() > RowKey{0, 5, kRows}.encode());
}

TEST_CASE("passing_rows gives the visible rows without keeping them in the level") {
  const auto level = level_of({{"id", texts({"a", "__TACOPAD__0", "b"})}, {"type", texts({"FILE", "FILE", "FILE"})}});
  const auto few = passing_rows(level, RowKey{2, 0, 0});
  CHECK(few->num_rows() == 2);
  CHECK(few->text(0, 1) == "b");
  CHECK(few->key(1)->row == 2);
  const auto rows = passing_rows(large(), RowKey{}), kept = visible_rows(large(), RowKey{});
  REQUIRE(rows->num_rows() == kept->num_rows());
  for (const int64_t row : {0, 65535, 65536, 70000, 131072, 5}) {
    CAPTURE(row);
    CHECK(rows->integer(2, row) == kept->integer(2, row));
  }
  CHECK(rows->array(0, 0, 10) != rows->array(0, 65536, 10));
}

TEST_CASE("level_rows gives all rows of a level, across row groups") {
  const auto rows = level_rows(large(), RowKey{}, 0, kRows);
  CHECK(rows->num_rows() == kRows);
  CHECK(rows->find("n") == 2);
  CHECK(rows->integer(2, 65536) == 65536);
  CHECK(rows->run(0) == 65536);
  CHECK(rows->run(65535) == 1);
  CHECK(rows->run(131072) == kRows - 131072);
  CHECK(rows->array(2, 65530, 12)->length() == 12);
  CHECK(integer_cell(*rows->array(2, 65530, 12), 11) == 65541);
  CHECK(rows->array(2, 5, 0)->length() == 0);
  CHECK(rows->key(131072)->row == 131072);
}

TEST_CASE("level_rows gives a range of a level, which can be sliced further") {
  const auto rows = level_rows(large(), RowKey{3, 1, 0}, 65000, 1000);
  CHECK(rows->num_rows() == 1000);
  CHECK(rows->integer(2, 0) == 65000);
  CHECK(rows->run(0) == 536);
  const auto inner = rows->slice(500, 100);
  CHECK(inner->num_rows() == 100);
  CHECK(inner->integer(2, 99) == 65599);
  CHECK(inner->key(0)->row == 65500);
  CHECK(inner->key(0)->part == 3);
  CHECK(inner->key(0)->level == 1);
  CHECK(inner->array(2, 0, 100)->length() == 100);
}

TEST_CASE("level_rows gives the chosen rows of a level") {
  const auto rows = level_rows(large(), RowKey{}, std::vector<int64_t>{2, 3, 65535, 65536, 139999});
  CHECK(rows->num_rows() == 5);
  const auto all = rows->array(2, 0, 5);
  for (const auto& [at, value] : {std::pair{0, 2}, {1, 3}, {2, 65535}, {3, 65536}, {4, 139999}})
    CHECK(integer_cell(*all, at) == value);
  CHECK(rows->run(0) == 3);
  CHECK(rows->run(3) == 1);
  CHECK(rows->key(4)->row == 139999);
  CHECK(rows->slice(1, 3)->integer(2, 1) == 65535);
  CHECK(rows->slice(1, 3)->run(0) == 2);
}

TEST_CASE("rows without a first key have no keys") { CHECK_FALSE(level_rows(large(), std::nullopt, 0, 1)->key(0)); }

TEST_CASE("padding is left out of visible rows, and the others keep their keys") {
  const auto rows = visible_rows(large(), RowKey{});
  CHECK(rows->num_rows() == kRows - 1);
  CHECK(rows->key(69999)->row == 69999);
  CHECK(rows->key(70000)->row == 70001);
  CHECK(rows->integer(2, 70000) == 70001);
}

TEST_CASE("find_text returns the first match from a row on, or -1") {
  const auto rows = level_rows(large(), RowKey{}, 0, kRows);
  CHECK(rows->find_text(0, "ID_0") == 0);
  CHECK(rows->find_text(0, "ID_99999") == 99999);
  CHECK(rows->find_text(0, "ID_139999") == 139999);
  CHECK(rows->find_text(0, "ID_140000") == -1);
  CHECK(rows->find_text(0, "") == -1);
  CHECK(rows->find_text(0, "ID_5", 6) == -1);
  CHECK(rows->find_text(1, "FILE", 70001) == 70001);
  const auto chosen = level_rows(large(), RowKey{}, std::vector<int64_t>{7, 70000, 99999});
  CHECK(chosen->find_text(0, "ID_99999") == 2);
  CHECK(chosen->find_text(0, "ID_8") == -1);
  const auto table = table_rows(table_of({{"id", texts({"a", std::nullopt, "b", "b"})}}));
  CHECK(table->find_text(0, "b") == 2);
  CHECK(table->find_text(0, "b", 3) == 3);
  CHECK(table->find_text(0, "") == -1);  // null is not the empty text
}

TEST_CASE("table_rows gives the rows of a computed table with joined chunks") {
  const auto a = table_of({{"n", integers({1, 2})}}), b = table_of({{"n", integers({3, std::nullopt})}});
  const auto both = check(arrow::ConcatenateTables({a, b}));
  const auto rows = table_rows(both);
  CHECK(rows->num_rows() == 4);
  CHECK(rows->integer(0, 2) == 3);
  CHECK_FALSE(rows->integer(0, 3));
  CHECK(rows->run(1) == 3);
  CHECK(rows->slice(1, 2)->integer(0, 1) == 3);
  CHECK_FALSE(rows->key(0));
  CHECK(rows->columns() == std::vector<Column>{{"n", "int64"}});
}

TEST_CASE("table_rows keeps large chunks of a computed table, and spans them") {
  std::vector<std::optional<int64_t>> first, second;
  for (int64_t i = 0; i < 8000; ++i) {
    first.emplace_back(i);
    second.emplace_back(i == 17 ? std::nullopt : std::optional<int64_t>(8000 + i));
  }
  const auto a = table_of({{"n", integers(first)}}), none = table_of({{"n", integers({})}}),
             b = table_of({{"n", integers(second)}});
  const auto rows = table_rows(check(arrow::ConcatenateTables({a, none, b})));
  CHECK(rows->num_rows() == 16000);
  CHECK(rows->run(0) == 8000);
  CHECK(rows->run(7999) == 1);
  CHECK(rows->run(8000) == 8000);
  CHECK(rows->integer(0, 7999) == 7999);
  CHECK(rows->integer(0, 8000) == 8000);
  CHECK_FALSE(rows->integer(0, 8017));
  CHECK(rows->array(0, 7990, 20)->length() == 20);
  CHECK(integer_cell(*rows->array(0, 7990, 20), 19) == 8009);
  CHECK(rows->array(0, 15999, 0)->length() == 0);
  const auto part = rows->slice(7998, 4);
  CHECK(part->num_rows() == 4);
  CHECK(part->run(0) == 2);
  CHECK(part->run(2) == 2);
  CHECK(part->integer(0, 3) == 8001);
  CHECK(part->slice(1, 2)->integer(0, 1) == 8000);
}

TEST_CASE("table_rows takes keys from the key column, and a negative or null key is none") {
  const auto rows =
      table_rows(table_of({{"id", texts({"a", "b", "c"})},
                           {std::string(kRowKeyColumn), integers({RowKey{2, 1, 9}.encode(), -1, std::nullopt})}}));
  CHECK(rows->key(0)->part == 2);
  CHECK(rows->key(0)->row == 9);
  CHECK_FALSE(rows->key(1));
  CHECK_FALSE(rows->key(2));
}

TEST_CASE("with_keys adds the key as a column, once") {
  const auto rows = with_keys(level_rows(large(), RowKey{1, 2, 0}, 65530, 10));
  const int key = rows->find(kRowKeyColumn);
  REQUIRE(key == 3);
  CHECK(RowKey::decode(*rows->integer(key, 9)).row == 65539);
  CHECK(rows->array(key, 4, 3)->length() == 3);
  CHECK(rows->integer(2, 9) == 65539);
  CHECK(rows->slice(5, 2)->integer(key, 0) == rows->integer(key, 5));
  CHECK(with_keys(rows) == rows);
  const auto none = table_rows(table_of({{"id", texts({"a"})}}));
  CHECK(with_keys(none) == none);
}

TEST_CASE("the type of a column is known without rows") {
  CHECK(type_name(*table_rows(table_of({{"n", integers({})}}))->type(0)) == "int64");
  CHECK(type_name(*level_rows(large(), RowKey{}, 0, 0)->type(2)) == "int64");
}

}  // namespace
