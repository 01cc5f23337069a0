#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/types.hpp"

/// Metadata as users state it, and as tables.
namespace tacore {

/// One row for each list of fields. `strict`: all must have the fields of the first, in order and type, but for those
/// that are `exempt` (true at their row). Else all fields, in the order first seen. Throws SchemaError, naming rows by
/// `ids`. nullptr: no fields.
std::shared_ptr<arrow::Table> metadata_table(const std::vector<const std::vector<MetadataField>*>& rows,
                                             const std::vector<std::string>& ids, const std::vector<bool>& exempt,
                                             bool strict);

/// `table` (null: no columns yet, of `num_rows` rows) with these columns at its end. Throws SchemaError: another number
/// of values, a column that is there, a type that does not hold its values.
std::shared_ptr<arrow::Table> with_columns(const std::shared_ptr<arrow::Table>& table, int64_t num_rows,
                                           const std::vector<MetadataColumn>& columns);

/// All columns of a table in one piece, as users state them. Throws SchemaError, with its name, for a column that is
/// there twice or whose values have no form in metadata.
std::vector<MetadataColumn> stated_columns(const arrow::Table& table);

/// Throws SchemaError, with `path`, for a column that a dataset cannot have as metadata: its name is there twice or
/// may be none (why_bad_key), or check_column() has something against it. Those in `keys` say which sample a row is.
void check_metadata(const arrow::Table& table, const std::vector<std::string_view>& keys, const std::string& path);

/// A row of it, as users state it.
std::vector<MetadataField> fields_of_row(const arrow::Table& table, int64_t row);

/// A column by name, nullptr when there is none.
std::shared_ptr<arrow::ChunkedArray> column_or_null(const arrow::Table& table, std::string_view name);
std::shared_ptr<arrow::Table> without_column(const std::shared_ptr<arrow::Table>& table, std::string_view name);

}  // namespace tacore
