#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "table/level_table.hpp"

/// Conversion between the columns of a v1 FOOTER and those of a v2 level (docs/format.md, "v1 and v2").
namespace tacore {

/// All columns of a v1 footer, under the names of its file, each in one piece. Throws FormatError.
std::shared_ptr<arrow::Table> footer_table(const LevelTable& footer);

/// The metadata of a v2 level from that of a v1 footer, row by row. Columns with the locations of samples are dropped,
/// the fields of v1 get the names, types and units of v2, and a name that v2 forbids or uses otherwise is escaped.
/// Numbers may have any width, text any type; a NaN for a time is null. No column is dropped for its values: throws
/// SchemaError, naming column and row, for a value that v2 cannot hold exactly. nullptr for nullptr, and when no column
/// is left.
std::shared_ptr<arrow::Table> from_footer_columns(const std::shared_ptr<arrow::Table>& footer);

/// The inverse, for a writer that adds tortilla:id, tortilla:offset and tortilla:length. `shape` is the name of the
/// shape column: "stac:tensor_shape" in a TACO; in a Tortilla "stac:raster_shape", beside which shapes of more
/// dimensions stay in "stac:tensor_shape". Throws SchemaError: times finer than microseconds, two columns of one name.
std::shared_ptr<arrow::Table> to_footer_columns(const std::shared_ptr<arrow::Table>& level, const std::string& shape);

/// Conversions of a column in one piece to its form in 2.0; nulls stay. Each throws SchemaError that names the column,
/// and the row of a value that cannot be converted.
///
/// Days and RFC 3339 text to timestamp[us]; timestamps stay as they are.
std::shared_ptr<arrow::Array> timestamps(const std::string& name, const std::shared_ptr<arrow::Array>& values);
/// Points as WKT, WKB or a list of longitude and latitude, to WKB.
std::shared_ptr<arrow::Array> wkb_points(const std::string& name, const std::shared_ptr<arrow::Array>& values);
/// Lists of numbers to lists of int64.
std::shared_ptr<arrow::Array> whole_shapes(const std::string& name, const std::shared_ptr<arrow::Array>& values);

}  // namespace tacore
