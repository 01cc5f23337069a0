#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "table/level_table.hpp"

namespace tacore {

/// A column of one level, of several tables below each other: null where one has none.
class StackedColumn {
 public:
  StackedColumn(std::span<const std::shared_ptr<const LevelTable>> tables, const std::string& name);
  /// Rows [begin, end) of one table, which keeps what is decoded.
  StackedColumn(const LevelTable& table, int column, int64_t begin, int64_t end);

  std::optional<std::string> text(int64_t row) const;

 private:
  friend void compare_columns(const StackedColumn& a, const StackedColumn& b,
                              std::span<const std::pair<int64_t, int64_t>> rows,
                              const std::function<void(std::size_t)>& differs);
  std::size_t chunk_of(int64_t row) const;

  std::vector<std::shared_ptr<arrow::Array>> chunks_;
  std::vector<int64_t> begins_;  ///< of each chunk, and the end of the last
};

/// Tells which of `rows`, pairs of one of `a` and one of `b`, hold different values, in order. NaN is equal to NaN.
/// Columns of different types differ where the texts of their values do.
void compare_columns(const StackedColumn& a, const StackedColumn& b, std::span<const std::pair<int64_t, int64_t>> rows,
                     const std::function<void(std::size_t)>& differs);

/// The names that the file gives to more than one column.
std::vector<std::string> repeated_columns(const LevelTable& table);

}  // namespace tacore
