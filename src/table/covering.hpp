#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/error.hpp"

/// Bounding boxes of the geometries of a table in columns of their own (the covering of GeoParquet 1.1), by which
/// readers find the rows of a place.
namespace tacore {

/// The fields of a bounding box.
inline constexpr const char* kBoxSides[] = {"xmin", "ymin", "xmax", "ymax"};

/// A geometry column, and the column of its bounding boxes.
struct Covering {
  std::string geometry = {};
  std::string boxes = {};
};

/// True for a column of WKB: of any binary type, or an extension type of GeoArrow.
bool is_wkb(const arrow::DataType& type);

/// The coverings that a table with these columns has, or would have: of each column of WKB that the specification names
/// (is_geometry_column). The boxes of the first are in `bbox`, those of others, and where `bbox` is another column, in
/// `{geometry}_bbox`.
std::vector<Covering> coverings_of(const arrow::Schema& schema);
std::vector<Covering> coverings_in(const arrow::Table& table);

/// True when the table has bounding boxes of one geometry at least.
bool has_coverings(const arrow::Schema& schema);

/// The same columns and those of the coverings, which come before `internal:*`. Throws SchemaError where a column of
/// another type has the name of one.
std::shared_ptr<arrow::Schema> with_coverings(const std::shared_ptr<arrow::Schema>& schema);
/// The rows with the columns of `to`: those of the rows, and bounding boxes, which are computed anew. The box of a null
/// or empty geometry is null. Throws SchemaError for a geometry that is not WKB, with the number of its row; `first` is
/// the number of the first of these rows.
std::shared_ptr<arrow::RecordBatch> with_coverings(const arrow::RecordBatch& rows,
                                                   const std::shared_ptr<arrow::Schema>& to, int64_t first,
                                                   const ErrorContext& where = {});
/// A table with the columns of its coverings: the same table where it has no geometries. Throws as above, with `where`.
std::shared_ptr<arrow::Table> with_coverings(const std::shared_ptr<arrow::Table>& table, const ErrorContext& where);

/// The name in lower case of the type of bounding boxes, and the description of such a column, for `taco:field_schema`.
std::string covering_type();
/// True for a column of this name and type (covering_type()) that may be one of bounding boxes.
bool is_covering(std::string_view name, std::string_view type);
std::string covering_description(const Covering& covering);

/// The key for what GeoParquet 1.1 states in the key `geo`: from that one DuckDB, and so the published reader, would
/// take geometries in a type of its own, of which its filters fail (docs/format.md).
inline constexpr const char* kGeoKey = "taco:geo";
/// The value of this key for the coverings that the table has; "" where it has none.
std::string geoparquet_metadata(const arrow::Schema& schema);

}  // namespace tacore
