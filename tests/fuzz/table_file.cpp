#include <arrow/array.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>

#include <string>

#include "fuzz.hpp"
#include "model/wkb.hpp"
#include "table/cells.hpp"
#include "table/read_table.hpp"

/// The input is a table as users give it to create() and edit(): the first line is the end of its name.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  const std::string_view text = text_of(bytes);
  const auto line = text.find('\n');
  if (line == text.npos || line > 8) return;
  const std::string path = "fuzz." + std::string(text.substr(0, line));
  const std::string_view rest = text.substr(line + 1);
  expect_errors_only([&] {
    const auto table =
        read_table(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(std::string(rest))), path);
    for (int c = 0; c < table->num_columns(); ++c) {
      require(table->column(c)->num_chunks() == 1, "a column is in one piece");
      const auto& values = *table->column(c)->chunk(0);
      require(values.length() == table->num_rows(), "as many cells as rows");
      require(values.Validate().ok(), "an array is one");
      for (int64_t row = 0; row < std::min<int64_t>(values.length(), 100); ++row) {
        text_cell(values, row);
        integer_cell(values, row);
      }
    }
    if (!path.ends_with(".geojson")) return;
    const auto& geometries = *find_column(*table, "istac:geometry");
    for (int64_t row = 0; row < geometries.length(); ++row) {
      if (geometries.IsNull(row)) continue;
      const auto wkb = static_cast<const arrow::BinaryArray&>(geometries).GetView(row);
      wkb_envelope(std::as_bytes(std::span(wkb)));
    }
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
