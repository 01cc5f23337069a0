#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "table/level_table.hpp"
#include "tacore/value.hpp"

/// Editing the columns of an existing level.
namespace tacore {

/// The whole level as a table, each column in one piece, with list items called `item` (with_item_names()).
std::shared_ptr<arrow::Table> whole_table(const LevelTable& level);

/// A value of `rows` in set_column() that stands for no row of `values`: the old value is kept, or null is set.
inline constexpr int64_t kKeepsItsValue = -1;
inline constexpr int64_t kGetsNull = -2;

/// `level` with column `name` of `values`, in place of its own column of that name, or else behind the metadata. Row i
/// gets row `rows[i]` of `values`; one that keeps its value in a new column gets null. Types are joined by
/// common_type(), unless no row keeps its value. Throws SchemaError for types without a common one.
std::shared_ptr<arrow::Table> set_column(const std::shared_ptr<arrow::Table>& level, const arrow::Table& values,
                                         const std::string& name, const std::vector<int64_t>& rows);
/// `level` with new values of an existing column in some rows, each once; its type stays. Throws SchemaError, with
/// `where`, for a column or row that does not exist, and for a value that does not fit the type.
std::shared_ptr<arrow::Table> set_values(const std::shared_ptr<arrow::Table>& level, const std::string& name,
                                         const std::vector<int64_t>& rows, const std::vector<Value>& values,
                                         const ErrorContext& where);
/// `level` with a column of integers, one value for each row; a new column is appended.
std::shared_ptr<arrow::Table> set_integers(const std::shared_ptr<arrow::Table>& level, std::string_view name,
                                           const std::vector<std::optional<int64_t>>& values);

/// The columns of a `__meta__`: all but row numbers and paths; with `places` also the offsets and sizes of a ZIP.
std::shared_ptr<arrow::Table> meta_columns(const std::shared_ptr<arrow::Table>& level, bool places);

/// The integer in each row of a column, nullopt for null; empty when there is no such column.
std::vector<std::optional<int64_t>> integers_of(const LevelTable& level, std::string_view name);

}  // namespace tacore
