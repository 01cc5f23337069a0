#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tacore {

/// The rows of a `.parquet`, `.csv`, `.jsonl` or `.geojson` file, each column in one piece. Types of the text formats
/// are inferred: whole numbers are int64, numbers double, ISO 8601 times timestamps (micro- or nanoseconds), an empty
/// field of CSV is null; its `id`, `path` and `type` are text. Of GeoJSON the rows are the features: their properties,
/// `id` when they have one, and the column `istac:geometry` (ISO WKB). Throws IoError; FormatError for what cannot be
/// read, and for a name of another kind.
std::shared_ptr<arrow::Table> read_table(const std::string& path);
/// read_table() of what is in `file`; `path` says which kind it is.
std::shared_ptr<arrow::Table> read_table(const std::shared_ptr<arrow::io::RandomAccessFile>& file,
                                         const std::string& path);

/// The same rows, each column in one piece, also of none; timestamps in seconds become those in microseconds, since
/// Parquet has none, extension types what they store, and views of text and bytes `string` and `binary`. Throws
/// SchemaError for times beyond microseconds.
std::shared_ptr<arrow::Table> in_one_piece(const std::shared_ptr<arrow::Table>& table);
/// The values of a column of such a table, or one made of it. Throws SchemaError, with the names of all, when there is
/// none of this name.
std::shared_ptr<arrow::Array> find_column(const arrow::Table& table, const std::string& name,
                                          const std::string& path = "");

/// The text of a column of such a table, nullopt for null. Throws SchemaError when there is no such column, or it is
/// not text.
std::vector<std::optional<std::string>> text_column(const arrow::Table& table, const std::string& name,
                                                    const std::string& path);

/// Rows of `table` by number, -1 for a row of nulls, in these columns.
std::shared_ptr<arrow::Table> take_rows(const arrow::Table& table, const std::vector<int64_t>& rows,
                                        const std::vector<int>& columns);
/// The same in all columns.
std::shared_ptr<arrow::Table> take_rows(const arrow::Table& table, const std::vector<int64_t>& rows);

/// The columns of these names, in their order.
std::shared_ptr<arrow::Table> select_columns(const std::shared_ptr<arrow::Table>& table,
                                             const std::vector<std::string>& names);

/// Whether one of these rows (-1: none) has a value in a column; of all rows, whether any has.
bool has_value(const arrow::Table& table, int column, const std::vector<int64_t>& rows);
bool has_value(const arrow::Table& table, int column);

std::vector<std::string> column_names(const arrow::Table& table);

}  // namespace tacore
