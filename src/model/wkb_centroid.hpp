#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace tacore {

struct Centroid {
  double x;
  double y;
};

/// Whether longitudes are as they are, or turn around the globe: then each is brought within 180 degrees of the
/// position before it, and of the first one of the geometry where a part begins.
enum class Longitudes { Plain, ShorterWay };

/// The planar centroid of a WKB geometry of any type, in its own coordinates (with ShorterWay x in [-180, 180)): of its
/// polygons by area, holes taken out; where there is no area, of its lines by length; where there is no length, of its
/// points. nullopt for an empty geometry. Not finite when a position is not. Throws FormatError for bytes that are not
/// WKB, SchemaError for a ring around a pole, taken the shorter way.
std::optional<Centroid> wkb_centroid(std::span<const std::byte> wkb, Longitudes longitudes = Longitudes::Plain);

/// A Point, little-endian, without SRID: 21 bytes.
std::string wkb_point(double x, double y);
/// A Polygon of one ring, which is closed here.
std::string wkb_polygon(std::span<const Centroid> corners);
/// The position of a Point; nullopt for other types and the empty point. Throws FormatError for bytes that are not WKB.
std::optional<Centroid> point_of_wkb(std::span<const std::byte> wkb);

}  // namespace tacore
