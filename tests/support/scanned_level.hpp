#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/counting.hpp"
#include "support/table_files.hpp"
#include "table/parquet_write.hpp"

namespace tacore {

inline constexpr int kColumns = 6;  ///< id, type, and numbers

/// A level whose columns take 8 bytes a row, or next to none, in row groups of so many rows.
inline std::shared_ptr<const CountingSource> scanned_level(int64_t rows, bool is_wide, int64_t row_group_size = 65'536,
                                                           int num_columns = kColumns) {
  std::mt19937_64 random(7);
  std::vector<std::optional<std::string>> ids, types(static_cast<std::size_t>(rows), "FILE");
  for (int64_t row = 0; row < rows; ++row) ids.emplace_back("s" + std::to_string(row));
  NamedArrays columns{{"id", texts(ids)}, {"type", texts(types)}};
  for (int c = 2; c < num_columns; ++c) {
    std::vector<std::optional<int64_t>> values;
    for (int64_t row = 0; row < rows; ++row) values.emplace_back(is_wide ? static_cast<int64_t>(random()) : row / 1000);
    columns.push_back({"c" + std::to_string(c), integers(values)});
  }
  return std::make_shared<CountingSource>(
      encode_parquet(*table_of(columns), {.row_group_size = row_group_size, .use_content_defined_chunking = false}));
}

}  // namespace tacore
