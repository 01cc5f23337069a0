#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacore/write/table_options.hpp"

namespace tacore {

/// Reads a `.parquet`, `.csv`, `.tsv`, `.jsonl` or `.geojson` file, each column in one piece, with the names that it
/// has in the file. Types of the text formats are inferred: whole numbers are int64, numbers double, ISO 8601 times
/// timestamps (micro- or nanoseconds), an empty CSV field is null. The columns of CSV that `options` rename to those in
/// `text`, or that are called so, are text even where all values look like numbers: "007". GeoJSON has a row for each
/// feature: its properties, its `id` if it has one, and the column `istac:geometry` (ISO WKB). Throws IoError;
/// FormatError for what cannot be read, and for another extension; as read_csv().
std::shared_ptr<arrow::Table> read_table(const std::string& path, const TableOptions& options = {},
                                         const std::vector<std::string>& text = {"id", "path", "type"});
/// As read_table(path) for the contents `file`; the extension of `path` gives the format.
std::shared_ptr<arrow::Table> read_table(const std::shared_ptr<arrow::io::RandomAccessFile>& file,
                                         const std::string& path, const TableOptions& options = {},
                                         const std::vector<std::string>& text = {"id", "path", "type"});

/// The lines, from 1, at which these rows of a `.csv`, `.tsv` or `.jsonl` file begin; nothing for another file. `rows`
/// are ascending.
std::vector<uint64_t> lines_of_rows(const std::string& path, const TableOptions& options,
                                    const std::vector<int64_t>& rows);

/// A copy of the table with each column in one piece, also without rows. Timestamps in seconds become microseconds,
/// since Parquet has no seconds; extension types become their storage types, views of text and bytes `string` and
/// `binary`. Throws SchemaError for times beyond microseconds.
std::shared_ptr<arrow::Table> in_one_piece(const std::shared_ptr<arrow::Table>& table);
/// The values of a column of in_one_piece(), or of a table made from it. Throws SchemaError that lists all names when
/// there is no such column.
std::shared_ptr<arrow::Array> find_column(const arrow::Table& table, const std::string& name,
                                          const std::string& path = "");

/// The text of a column of such a table, nullopt for null. Throws SchemaError when the column is missing or is not
/// text.
std::vector<std::optional<std::string>> text_column(const arrow::Table& table, const std::string& name,
                                                    const std::string& path);

/// The rows of `table` with these numbers, -1 for a row of nulls, in the given columns.
std::shared_ptr<arrow::Table> take_rows(const arrow::Table& table, const std::vector<int64_t>& rows,
                                        const std::vector<int>& columns);
/// The rows of `table` with these numbers, in all columns.
std::shared_ptr<arrow::Table> take_rows(const arrow::Table& table, const std::vector<int64_t>& rows);

/// The columns of these names, in their order.
std::shared_ptr<arrow::Table> select_columns(const std::shared_ptr<arrow::Table>& table,
                                             const std::vector<std::string>& names);

/// True when one of these rows (-1: none) has a value in a column; for all rows, when any has.
bool has_value(const arrow::Table& table, int column, const std::vector<int64_t>& rows);
bool has_value(const arrow::Table& table, int column);

std::vector<std::string> column_names(const arrow::Table& table);

}  // namespace tacore
