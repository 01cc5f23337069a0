#pragma once

#include <string>

#include "tacore/visibility.hpp"

namespace tacore {

/// A longitude and latitude in degrees, WGS 84.
struct LonLat {
  double lon = 0;
  double lat = 0;
};

/// Transforms coordinates to WGS 84 from coordinate reference systems (CRS) that are given as text: a code
/// (`EPSG:32630`), WKT, a PROJ string or PROJJSON. tacore itself knows the codes of EPSG:4326, OGC:CRS84, EPSG:3857 and
/// the UTM zones of WGS 84, ETRS89, NAD83 (from zone 6 on) and SIRGAS 2000, and uses a transformer for other systems
/// only. gdal::crs_transformer() of the library tacore_gdal knows all systems of PROJ (`raster/gdal.hpp`).
///
///     const auto transformer = gdal::crs_transformer();
///     const LonLat paris = transformer->to_wgs84("EPSG:2154", 652'381, 6'862'047);  // 2.35, 48.86
class TACORE_EXPORT CrsTransformer {
 public:
  virtual ~CrsTransformer();
  /// True when the coordinates of the CRS are longitudes and latitudes. Throws SchemaError for an unknown CRS.
  virtual bool is_geographic(const std::string& crs) const = 0;
  /// The longitude and latitude of a point. `x` is always the easting or longitude, whatever axis order the authority
  /// of the CRS defines. Throws SchemaError for an unknown CRS and for points that it cannot transform.
  virtual LonLat to_wgs84(const std::string& crs, double x, double y) const = 0;
};

}  // namespace tacore
