#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "table/level_table.hpp"

/// The columns of a v1 FOOTER and those of a v2 level (docs/format.md, "v1 and v2"; dossier v1 1.3, 5.1-5.3).
namespace tacore {

/// All columns of a v1 footer, by the names that its file gives them, each in one piece. Throws FormatError.
std::shared_ptr<arrow::Table> footer_table(const LevelTable& footer);

/// The metadata of a v2 level from that of a v1 footer, row by row: what says where samples lie is gone, the fields of
/// v1 have the names, types and units of v2, and a name that v2 does not allow or means otherwise is escaped. Numbers
/// may have any width, text any kind; a NaN for a time is null. A column is never left out for what it holds: throws
/// SchemaError, naming column and row, for a value that v2 cannot hold exactly. nullptr stays nullptr, and is returned
/// when no column is left.
std::shared_ptr<arrow::Table> from_footer_columns(const std::shared_ptr<arrow::Table>& footer);

/// The reverse, for a writer that adds tortilla:id, tortilla:offset and tortilla:length. `shape` is the name for
/// shapes: "stac:tensor_shape" in a TACO; in a Tortilla "stac:raster_shape", to which those of more dimensions add theirs,
/// "stac:tensor_shape". Throws SchemaError: times finer than microseconds, two columns that get one name.
std::shared_ptr<arrow::Table> to_footer_columns(const std::shared_ptr<arrow::Table>& level, const std::string& shape);

/// Columns of one piece as 2.0 has them; nulls stay. Each throws SchemaError, naming the column, and the row of a value
/// that has no such form.
///
/// Days and RFC 3339 text as timestamp[us]; timestamps stay as they are.
std::shared_ptr<arrow::Array> timestamps(const std::string& name, const std::shared_ptr<arrow::Array>& values);
/// Points as WKT, WKB or a list of longitude and latitude, as WKB.
std::shared_ptr<arrow::Array> wkb_points(const std::string& name, const std::shared_ptr<arrow::Array>& values);
/// Lists of numbers as lists of int64.
std::shared_ptr<arrow::Array> whole_shapes(const std::string& name, const std::shared_ptr<arrow::Array>& values);

}  // namespace tacore
