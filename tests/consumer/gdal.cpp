// Asks the second library where a point lies. The error must cross both library boundaries.
#include <tacore/error.hpp>
#include <tacore/raster/gdal.hpp>

#include <cstdio>

int main() {
  const auto crs = tacore::gdal::crs_transformer();
  const tacore::LonLat at = crs->to_wgs84("EPSG:32630", 500000, 4649776);
  std::printf("%.6f %.6f\n", at.lon, at.lat);
  try {
    crs->is_geographic("nonsense");
  } catch (const tacore::SchemaError& error) {
    std::puts(error.what());
    return 0;
  }
  return 1;
}
