#pragma once

#include <array>
#include <cmath>

/// Longitudes are compared modulo 360: whatever the convention of the data (-180 to 180, 0 to 360),
/// both sides are brought to [-180, 180) first. No rounding happens in doing so.
namespace tacore {

/// `lon` in [-180, 180); NaN for a number that is not finite.
inline double wrap_longitude(double lon) noexcept {
  if (lon >= -180 && lon < 180) return lon;
  const double out = std::remainder(lon, 360);
  return out == 180 ? -180 : out;
}

/// Longitudes from `first` to `last`, both included; empty when first > last.
struct LongitudeArc {
  double first = 1;
  double last = 0;

  /// Without branches: called for each row of a filter.
  bool contains(double lon) const noexcept { return (lon >= first) & (lon <= last); }
  bool intersects(const LongitudeArc& other) const noexcept {
    return first <= last && other.first <= other.last && first <= other.last && other.first <= last;
  }
};

/// The arc from `minx` east to `maxx`, which may cross the antimeridian (minx > maxx, or either
/// beyond 180), as arcs within [-180, 180]. The second is empty when one is enough.
inline std::array<LongitudeArc, 2> longitude_arcs(double minx, double maxx) noexcept {
  if (maxx - minx >= 360) return {LongitudeArc{-180, 180}, {}};
  const double first = wrap_longitude(minx);
  const double last = wrap_longitude(maxx);
  if (first <= last) return {LongitudeArc{first, last}, {}};
  return {LongitudeArc{first, 180}, {-180, last}};
}

}  // namespace tacore
