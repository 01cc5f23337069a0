#include "table/level_table.hpp"

#include <arrow/array.h>

#include "format/names.hpp"
#include "fuzz.hpp"
#include "io/memory_source.hpp"
#include "table/cells.hpp"

/// The input is a Parquet file.
namespace tacore::fuzz {
namespace {

void read(const LevelTable& level, int column) {
  for (int g = 0; g < level.num_row_groups(); ++g) {
    level.may_hold(column, g, "valencia");
    expect_errors_only([&] {
      const auto cells = level.decode(column, g);
      require(cells->length() == level.group_begin(g + 1) - level.group_begin(g), "as many cells as rows");
      for (int64_t i = 0; i < cells->length(); ++i) {
        text_cell(*cells, i);
        integer_cell(*cells, i);
      }
    });
  }
}

void run(Input bytes) {
  expect_errors_only([&] {
    const auto level = LevelTable::open(memory_source("fuzz", Bytes(bytes.begin(), bytes.end())), {.path = "fuzz"});
    require(level->find(names::kId) >= 0 && level->find(names::kType) >= 0, "a level has ids and types");
    require(level->num_rows() >= 0, "no negative rows");
    for (int c = 0; c < static_cast<int>(level->columns().size()); ++c) read(*level, c);
    require(level->num_visible_rows() <= level->num_rows(), "padding takes rows away");
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
