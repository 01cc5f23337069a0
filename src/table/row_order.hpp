#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <vector>

#include "tacore/crs.hpp"

namespace tacore {

/// The position of a longitude and latitude on a Hilbert curve over the globe, of 2^31 by 2^31 cells: places that are
/// close on the curve are close on the globe.
uint64_t hilbert_position(double lon, double lat) noexcept;

/// The rows of a table in the order of their locations on a Hilbert curve: the centre of the bounding box of the
/// footprint, else the centroid (as ExtentSum reads them). Rows without a location are last; equal ones keep their
/// order.
std::vector<int64_t> rows_by_place(const arrow::Table& rows, const CrsTransformer* transformer, int jobs);
/// The rows in the order of the times at which they begin, likewise.
std::vector<int64_t> rows_by_time(const arrow::Table& rows, int jobs);

}  // namespace tacore
