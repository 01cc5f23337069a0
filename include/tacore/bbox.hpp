#pragma once

#include "tacore/visibility.hpp"

namespace tacore {

/// A bounding box of longitudes and latitudes in degrees, WGS 84 (EPSG:4326), edges included. A box whose minx is
/// greater than its maxx crosses the antimeridian (RFC 7946, 5.2): `BBox{170, -20, -170, 0}` is 20 degrees wide.
struct TACORE_EXPORT BBox {
  double minx = -180;
  double miny = -90;
  double maxx = 180;
  double maxy = 90;

  /// True when all four numbers are finite and miny <= maxy.
  bool valid() const noexcept;
  /// True when the two boxes share at least one point; false where one of them is not valid(). Longitudes are compared
  /// modulo 360.
  bool intersects(const BBox& other) const noexcept;

  bool operator==(const BBox&) const = default;
};

}  // namespace tacore
