#pragma once

#include <ogr_spatialref.h>

#include <cstddef>
#include <memory>
#include <string>

namespace tacore::gdal {

/// Datasets name few systems; of WKT that is different each time no more than this is kept.
constexpr std::size_t kMostKept = 256;

/// x is easting or longitude, whatever the authority says. Throws SchemaError when it is not known.
OGRSpatialReference parse_crs(const std::string& crs);

/// Longitudes and latitudes in degrees.
bool is_in_degrees(const OGRSpatialReference& crs);

/// Throws SchemaError, naming `crs`, when there is no way from one to the other.
std::unique_ptr<OGRCoordinateTransformation> transformation(const OGRSpatialReference& from,
                                                            const OGRSpatialReference& to, const std::string& crs);

}  // namespace tacore::gdal
