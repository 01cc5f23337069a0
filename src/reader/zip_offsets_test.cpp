#include "reader/zip_offsets.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "reader/counting_source.hpp"
#include "table/table_test_files.hpp"

namespace tacore {
namespace {

constexpr int64_t kRows = 65536 * 3 + 7;  // four row groups

/// A level whose offsets ascend, but for that of row `wrong`.
std::shared_ptr<const CountingSource> level_of(const char* type, int64_t wrong = -1) {
  std::vector<std::optional<std::string>> ids, paths, types(kRows, type);
  std::vector<std::optional<int64_t>> offsets;
  for (int64_t row = 0; row < kRows; ++row) {
    const std::string number = std::to_string(1'000'000 + row);
    ids.emplace_back("s" + number);
    paths.emplace_back("root/s" + number);
    offsets.emplace_back(row == wrong ? 1 : row * 7919 + row % 5);
  }
  return std::make_shared<CountingSource>(parquet_of(table_of({{"id", texts(ids)},
                                                               {"type", texts(types)},
                                                               {"internal:offset", integers(offsets)},
                                                               {"internal:relative_path", texts(paths)}})));
}

TEST_CASE("whether the offsets of a remote level are in order takes one question, whatever its row groups are") {
  for (const char* type : {"FILE", "FOLDER"}) {
    CAPTURE(type);
    for (const int64_t wrong : {int64_t{-1}, int64_t{5}, kRows - 1}) {
      CAPTURE(wrong);
      const auto source = level_of(type, wrong);
      const auto level = LevelTable::open(source, {});
      REQUIRE(level->num_row_groups() == 4);
      source->num_questions = 0;
      const int path = level->find("internal:relative_path");
      const auto path_of = [&](int64_t row) { return level->text(path, row).value_or(""); };
      CHECK(offsets_in_order(*level, path_of) == (wrong < 0));
      CHECK(source->num_questions == 1);
      CHECK(offsets_in_order(*level, path_of) == (wrong < 0));
      CHECK(source->num_questions == 1);
    }
  }
}

}  // namespace
}  // namespace tacore
