#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/types.hpp"

/// Metadata fields of users, and their columns in tables.
namespace tacore {

/// A table with one row for each list of fields; nullptr without fields. `strict`: all rows must have the fields of the
/// first, in order and type, except for `exempt` ones (true at their row). Else it has all fields, in the order first
/// seen. Throws SchemaError, naming rows by `ids`.
std::shared_ptr<arrow::Table> metadata_table(const std::vector<const std::vector<MetadataField>*>& rows,
                                             const std::vector<std::string>& ids, const std::vector<bool>& exempt,
                                             bool strict);

/// Appends columns to `table` (null: no columns yet, of `num_rows` rows). Throws SchemaError for another number of
/// values, a column that exists, a type that does not hold its values.
std::shared_ptr<arrow::Table> with_columns(const std::shared_ptr<arrow::Table>& table, int64_t num_rows,
                                           const std::vector<MetadataColumn>& columns);

/// All columns of a table in one piece, as users state them. Throws SchemaError, with its name, for a column that
/// occurs twice or whose values have no form in metadata.
std::vector<MetadataColumn> stated_columns(const arrow::Table& table);

/// Throws SchemaError, with `path`, for a column that cannot be metadata: its name occurs twice or is not allowed
/// (why_bad_key), or check_column() refuses it. The columns in `keys` say which sample a row is.
void check_metadata(const arrow::Table& table, const std::vector<std::string_view>& keys, const std::string& path);

/// A row of a table as metadata fields.
std::vector<MetadataField> fields_of_row(const arrow::Table& table, int64_t row);

/// A column by name, nullptr when there is none.
std::shared_ptr<arrow::ChunkedArray> column_or_null(const arrow::Table& table, std::string_view name);
std::shared_ptr<arrow::Table> without_column(const std::shared_ptr<arrow::Table>& table, std::string_view name);

}  // namespace tacore
