#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "table/level_table.hpp"

/// Columns of a level that is there already.
namespace tacore {

/// All of it, each column in one piece.
std::shared_ptr<arrow::Table> whole_table(const LevelTable& level);

/// What a row of a level that is edited gets instead of the number of a row.
inline constexpr int64_t kKeepsItsValue = -1;
inline constexpr int64_t kGetsNull = -2;

/// `level` with the column `name` of `values` in the place of its own, or, if it has none, behind those of metadata:
/// row i gets that of row `rows[i]` of `values`. What a row keeps of a new column is null. Types give way to each
/// other as common_type() has it, unless no row keeps its value. Throws SchemaError for those that have none in common.
std::shared_ptr<arrow::Table> set_column(const std::shared_ptr<arrow::Table>& level, const arrow::Table& values,
                                         const std::string& name, const std::vector<int64_t>& rows);
/// The same of whole numbers, one for each row; a new column comes last.
std::shared_ptr<arrow::Table> set_integers(const std::shared_ptr<arrow::Table>& level, std::string_view name,
                                           const std::vector<std::optional<int64_t>>& values);

/// The columns of a `__meta__`: all but the numbers and paths, and `places` of a ZIP.
std::shared_ptr<arrow::Table> meta_columns(const std::shared_ptr<arrow::Table>& level, bool places);

/// The number in each row of a column of integers, if it has one; none where there is no such column.
std::vector<std::optional<int64_t>> integers_of(const LevelTable& level, std::string_view name);

}  // namespace tacore
