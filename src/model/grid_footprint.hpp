#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tacore/crs.hpp"

namespace tacore {

/// A grid of pixels in a CRS.
struct Grid {
  std::string crs = {};
  std::array<double, 6> geotransform = {};  ///< pixel to CRS, in GDAL's order
  int64_t columns = 0, rows = 0;
};

/// WKB of what the grid covers, in longitudes and latitudes (EPSG:4326): a Polygon, or a MultiPolygon that is cut at
/// the antimeridian; around a pole it goes up to it, along all longitudes. Edges that bend have as many corners as
/// are needed to keep them within a thousandth of its size. Throws SchemaError for a CRS that is not known
/// (known_crs.hpp), corners that are not on the globe, and a grid without area.
std::string grid_footprint(const Grid& grid, const CrsTransformer* transformer);

}  // namespace tacore
