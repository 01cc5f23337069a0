#pragma once

#include <ogr_spatialref.h>

#include <cstddef>
#include <memory>
#include <string>

namespace tacore::gdal {

/// The most CRSs in a cache: datasets have few, unless the WKT of each sample differs.
constexpr std::size_t kMostKept = 256;

/// The CRS that a text names; x is easting or longitude, whatever axis order the authority defines. Throws SchemaError
/// for an unknown CRS.
OGRSpatialReference parse_crs(const std::string& crs);

/// Longitudes and latitudes in degrees.
bool is_in_degrees(const OGRSpatialReference& crs);

/// Throws SchemaError, naming `crs`, when there is no way from one to the other.
std::unique_ptr<OGRCoordinateTransformation> transformation(const OGRSpatialReference& from,
                                                            const OGRSpatialReference& to, const std::string& crs);

}  // namespace tacore::gdal
