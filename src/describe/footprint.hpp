#pragma once

#include <optional>
#include <string>

#include "describe/json.hpp"
#include "tacore/bbox.hpp"

namespace tacore::descriptions {

/// The footprint of a sample, in longitude and latitude.
struct Footprint {
  std::string wkb = {};
  BBox box = {};  ///< minx > maxx when it crosses the antimeridian
};

/// The footprint of a WKB geometry; nullopt when it is empty, not finite, or has latitudes beyond 90 degrees. Points
/// and polygons without holes that go beyond 180 degrees are brought into [-180, 180]; where their parts meet at the
/// antimeridian, the box crosses it.
/// Throws FormatError for bytes that are not WKB.
std::optional<Footprint> footprint_of(const std::string& wkb);

/// A GeoJSON geometry (RFC 7946) without heights. Throws FormatError for bytes that are not WKB.
Json geojson_of(const std::string& wkb);

/// [west, south, east, north]
Json bbox_of(const BBox& box);

/// "Point", "Polygon", ... as GeoParquet calls the types of WKB; with " Z" where it has heights.
std::string geometry_type_of(const std::string& wkb);

}  // namespace tacore::descriptions
