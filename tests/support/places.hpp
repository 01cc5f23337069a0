#pragma once

#include <random>
#include <string>
#include <vector>

#include "model/wkb_centroid.hpp"
#include "tacore/bbox.hpp"

/// Places as plain numbers, so that a test finds those in a box without any geometry.
namespace tacore {

struct Place {
  double lon = 0;
  double lat = 0;
  double half = 0;  ///< of the side of the square around it; 0 for a point
};

/// Squares and points all over the globe, some across the antimeridian and beyond 180 degrees, and at the poles.
inline std::vector<Place> places(int num) {
  std::mt19937 random(7);
  const auto between = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random()) / 4294967296.);
  };
  std::vector<Place> out;
  for (int i = 0; i < num; ++i) {
    const double half = i % 3 == 0 ? 0 : between(0.001, 0.5);
    const double lon = i % 50 == 0 ? 180 : i % 51 == 0 ? between(170, 200) : between(-180, 180);
    out.push_back({lon, i % 70 == 0 ? 90 - half : between(-90 + half, 90 - half), half});
  }
  return out;
}

inline std::string wkb_of(const Place& place) {
  const auto& [x, y, half] = place;
  if (half == 0) return wkb_point(x, y);
  const Centroid corners[] = {{x - half, y - half}, {x + half, y - half}, {x + half, y + half}, {x - half, y + half}};
  return wkb_polygon(corners);
}

/// Whether a square meets a box, longitude by longitude modulo 360.
inline bool meets(const Place& place, const BBox& box) {
  if (place.lat + place.half < box.miny || place.lat - place.half > box.maxy) return false;
  const double east = box.maxx < box.minx ? box.maxx + 360 : box.maxx;
  for (const double turn : {-720., -360., 0., 360., 720.}) {
    if (place.lon + place.half + turn >= box.minx && place.lon - place.half + turn <= east) return true;
  }
  return false;
}

inline const std::vector<BBox>& boxes() {
  static const std::vector<BBox> all{
      {10, 45, 11, 46}, {-180, -90, 180, 90},  {179, -20, -179, 20},   {175, 10, 185, 12}, {-181, 0, -179.5, 30},
      {0, 89.5, 1, 90}, {-180, -90, 180, -89}, {-0.5, -0.5, 0.5, 0.5}, {300, -5, 301, 5},  {12.5, 33.25, 12.5, 33.25}};
  return all;
}

}  // namespace tacore
