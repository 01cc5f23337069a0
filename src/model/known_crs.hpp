#pragma once

#include <string>

#include "tacore/crs.hpp"

/// Coordinate reference systems. Built in, and never passed to a CrsTransformer, are EPSG:4326, OGC:CRS84, EPSG:3857
/// and the UTM zones of WGS 84 (EPSG:326xx, 327xx), ETRS89 (258xx), NAD83 from zone 6 on (269xx) and SIRGAS 2000
/// (319xx). As in PROJ, no shift of datum is made from these to WGS 84. `transformer` answers for all others; without
/// one they throw SchemaError.
namespace tacore {

/// Whether it is longitude and latitude of WGS 84: EPSG:4326, OGC:CRS84, or empty.
bool is_wgs84(const std::string& crs);

/// Whether coordinates of `crs` are longitudes and latitudes.
bool is_geographic(const std::string& crs, const CrsTransformer* transformer);

/// Longitude and latitude of a point, x being the easting or longitude. Built-in systems agree with PROJ within 1e-9
/// degrees; longitudes of geographic ones stay as they are, also beyond 180. Throws SchemaError for a point that is
/// not on the globe.
LonLat to_wgs84(const std::string& crs, double x, double y, const CrsTransformer* transformer);

}  // namespace tacore
