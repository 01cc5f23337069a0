#pragma once

#include <ogr_geometry.h>

#include <vector>

#include "tacore/extensions/geo_layer.hpp"

namespace tacore::gdal {

/// A footprint in the CRS of a layer. Edges follow the straight ones of its own CRS; longitudes run on across the
/// antimeridian, so that they may be beyond 180 degrees. Throws SchemaError for what has no area, cannot be transformed
/// or, in degrees, goes around a pole.
OGRMultiPolygon project(const extensions::Footprint& footprint, const OGRSpatialReference& to);

/// By how much x of a geographic layer is moved to meet it in every turn of the globe; 0 alone in other systems.
std::vector<double> turns(const OGRMultiPolygon& footprint, const OGRSpatialReference& crs);

}  // namespace tacore::gdal
