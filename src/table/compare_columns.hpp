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

/// One column of one level, stacked from several tables; null where a table lacks it.
class ComparedColumn {
 public:
  ComparedColumn(std::span<const std::shared_ptr<const LevelTable>> tables, const std::string& name);
  /// The rows [begin, end) of a column of one table, which keeps the decoded values.
  ComparedColumn(const LevelTable& table, int column, int64_t begin, int64_t end);

  std::optional<std::string> text(int64_t row) const;

 private:
  friend void compare_columns(const ComparedColumn& a, const ComparedColumn& b,
                              std::span<const std::pair<int64_t, int64_t>> rows,
                              const std::function<void(std::size_t)>& differs);
  std::size_t chunk_of(int64_t row) const;

  std::vector<std::shared_ptr<arrow::Array>> chunks_;
  std::vector<int64_t> begins_;  ///< of each chunk, and the end of the last
};

/// Calls back for each of `rows`, pairs of a row of `a` and a row of `b`, whose values differ, in order. NaN equals
/// NaN. Columns of different types are compared by the texts of their values.
void compare_columns(const ComparedColumn& a, const ComparedColumn& b,
                     std::span<const std::pair<int64_t, int64_t>> rows,
                     const std::function<void(std::size_t)>& differs);

/// The names that the file gives to more than one column.
std::vector<std::string> repeated_columns(const LevelTable& table);

}  // namespace tacore
