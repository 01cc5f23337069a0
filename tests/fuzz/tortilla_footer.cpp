#include "table/read_table.hpp"
#include "table/tortilla_columns.hpp"
#include "tortilla/footer_columns.hpp"

#include <arrow/array.h>
#include <arrow/table.h>

#include "fuzz.hpp"
#include "io/memory_source.hpp"

/// The input is the table of samples of a Tortilla: columns of any type and name, on their way to 2.0 and back.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  expect_errors_only([&] {
    const ErrorContext where{.path = "fuzz", .offset = {}, .level = 0};
    const auto level = LevelTable::open(memory_source("fuzz", Bytes(bytes.begin(), bytes.end())), where,
                                        [&](const std::vector<Column>& stored) {
                                          return v1::footer_columns(stored, 200, std::nullopt, where);
                                        });
    const auto table = from_footer_columns(footer_table(*level));
    if (!table) return;
    require(table->num_rows() == level->num_rows(), "as many rows as there were");
    require(table->ValidateFull().ok() || !footer_table(*level)->ValidateFull().ok(), "sound columns stay sound");
    const auto back = to_footer_columns(table, "stac:tensor_shape");
    const auto again = back ? from_footer_columns(back) : nullptr;
    require(!again || column_names(*again) == column_names(*table), "names come back");
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
