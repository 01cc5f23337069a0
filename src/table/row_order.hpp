#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "table/level_batches.hpp"
#include "tacore/crs.hpp"

namespace tacore {

/// The position of a longitude and latitude on a Hilbert curve over the globe, of 2^31 by 2^31 cells: places that are
/// close on the curve are close on the globe.
uint64_t hilbert_position(double lon, double lat) noexcept;

/// The names of the orders of samples that users can ask for: along a Hilbert curve, and by time.
inline constexpr const char* kByPlace = "hilbert";
inline constexpr const char* kByTime = "time";

/// Throws ValidationError for a name that is none of these; "", the order in which samples are given, is allowed.
void check_order(const std::string& order);

/// The rows of a table in another order.
struct RowOrder {
  std::vector<int64_t> rows = {};
  int64_t num_unplaced = 0;  ///< the last ones, which have no location or no time
};

/// Orders rows by their locations on a Hilbert curve: the centre of the bounding box of the footprint, else the
/// centroid (as ExtentSum reads them). Equal rows keep their order. Throws what `rows` throws.
RowOrder rows_by_place(const NextBatch& rows, const CrsTransformer* transformer, int jobs);
/// Orders rows by the times at which they begin, likewise.
RowOrder rows_by_time(const NextBatch& rows, int jobs);
/// The numbers of the rows in the order kByPlace or kByTime. A warning says how many have no location or time.
std::vector<int64_t> rows_in_order(const std::string& order, const NextBatch& rows, const CrsTransformer* transformer,
                                   int jobs);

}  // namespace tacore
