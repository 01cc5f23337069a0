#pragma once

#include <optional>
#include <span>
#include <string>

#include "describe/json.hpp"
#include "model/wkb_centroid.hpp"
#include "tacore/bbox.hpp"

namespace tacore::descriptions {

/// Where a sample lies: longitudes and latitudes.
struct Footprint {
  std::string wkb = {};
  BBox box = {};  ///< minx > maxx over the antimeridian
};

/// Nothing for an empty geometry, one that is not finite, and latitudes beyond the poles. Throws FormatError for bytes
/// that are not WKB.
std::optional<Footprint> footprint_of(const std::string& wkb);

/// A Polygon, counter-clockwise, of corners in order; cut in two at the antimeridian where two neighbours are more than
/// 180 degrees apart. Nothing as above.
std::optional<Footprint> footprint_of(std::span<const Centroid> corners);

/// A GeoJSON geometry (RFC 7946); heights are left out. Throws FormatError for bytes that are not WKB.
Json geojson_of(const std::string& wkb);

/// [west, south, east, north]
Json bbox_of(const BBox& box);

/// "Point", "Polygon", ... as GeoParquet calls the types of WKB; with " Z" where it has heights.
std::string geometry_type_of(const std::string& wkb);

}  // namespace tacore::descriptions
