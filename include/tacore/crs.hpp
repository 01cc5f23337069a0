#pragma once

#include <string>

#include "tacore/visibility.hpp"

namespace tacore {

/// Degrees, WGS 84.
struct LonLat {
  double lon = 0;
  double lat = 0;
};

/// Coordinate reference systems, each given as text: a code (`EPSG:32630`), WKT, a PROJ string or PROJJSON. tacore
/// itself knows EPSG:4326, OGC:CRS84, EPSG:3857 and the UTM zones of WGS 84, ETRS89, NAD83 (from zone 6 on) and SIRGAS
/// 2000, by their codes. A transformer is asked for others only; the library tacore_gdal has one (`gdal.hpp`).
class TACORE_EXPORT CrsTransformer {
 public:
  virtual ~CrsTransformer();
  /// Whether coordinates are longitudes and latitudes. Throws SchemaError for a system that is not known.
  virtual bool is_geographic(const std::string& crs) const = 0;
  /// Where the point lies; x is always the easting or longitude, whatever order the system's authority gives. Throws
  /// SchemaError for a system that is not known and for points it cannot transform.
  virtual LonLat to_wgs84(const std::string& crs, double x, double y) const = 0;
};

}  // namespace tacore
