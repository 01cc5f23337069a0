#pragma once

#include <optional>
#include <string>

#include "describe/json.hpp"
#include "tacore/bbox.hpp"

namespace tacore::descriptions {

/// Where a sample lies: longitudes and latitudes.
struct Footprint {
  std::string wkb = {};
  BBox box = {};  ///< minx > maxx over the antimeridian
};

/// Nothing for an empty geometry, one that is not finite, and latitudes beyond the poles. A point, and a polygon
/// without holes, beyond 180 degrees is brought within; the box of parts that meet at the antimeridian crosses it.
/// Throws FormatError for bytes that are not WKB.
std::optional<Footprint> footprint_of(const std::string& wkb);

/// A GeoJSON geometry (RFC 7946); heights are left out. Throws FormatError for bytes that are not WKB.
Json geojson_of(const std::string& wkb);

/// [west, south, east, north]
Json bbox_of(const BBox& box);

/// "Point", "Polygon", ... as GeoParquet calls the types of WKB; with " Z" where it has heights.
std::string geometry_type_of(const std::string& wkb);

}  // namespace tacore::descriptions
