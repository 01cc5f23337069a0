#pragma once

#include <string>

#include "tacore/visibility.hpp"

namespace tacore {

/// A longitude and latitude in degrees, WGS 84.
struct LonLat {
  double lon = 0;
  double lat = 0;
};

/// Transforms coordinates of reference systems that are given as text: a code (`EPSG:32630`), WKT, a PROJ string or
/// PROJJSON. tacore itself knows the codes of EPSG:4326, OGC:CRS84, EPSG:3857 and the UTM zones of WGS 84, ETRS89,
/// NAD83 (from zone 6 on) and SIRGAS 2000, and uses a transformer only for other systems. The library tacore_gdal has
/// one
/// (`gdal.hpp`).
///
///     const auto transformer = gdal::crs_transformer();
///     const LonLat place = transformer->to_wgs84("EPSG:2154", 652'381, 6'862'047);  // Paris: 2.35, 48.86
class TACORE_EXPORT CrsTransformer {
 public:
  virtual ~CrsTransformer();
  /// True when the coordinates of the system are longitudes and latitudes. Throws SchemaError for an unknown system.
  virtual bool is_geographic(const std::string& crs) const = 0;
  /// The longitude and latitude of a point. x is always the easting or longitude, whatever order of axes the authority
  /// of the system defines. Throws SchemaError for an unknown system and for points that it cannot transform.
  virtual LonLat to_wgs84(const std::string& crs, double x, double y) const = 0;
};

}  // namespace tacore
