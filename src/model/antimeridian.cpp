#include "model/antimeridian.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "model/wkb_walk.hpp"

namespace tacore {
namespace {

using Ring = std::vector<Centroid>;

constexpr double kMostDegrees = 4 * 360;

double twice_area(const Ring& ring) {
  double out = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Centroid &a = ring[i], &b = ring[(i + 1) % ring.size()];
    out += (a.x - ring[0].x) * (b.y - ring[0].y) - (b.x - ring[0].x) * (a.y - ring[0].y);
  }
  return out;
}

/// The part of a ring on one side of a meridian (algorithm of Sutherland and Hodgman).
Ring clip(const Ring& ring, double meridian, bool west) {
  Ring out;
  const auto inside = [&](const Centroid& p) { return west ? p.x <= meridian : p.x >= meridian; };
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Centroid &a = ring[i], &b = ring[(i + 1) % ring.size()];
    if (inside(a)) out.push_back(a);
    if (inside(a) != inside(b)) out.push_back({meridian, a.y + (b.y - a.y) * (meridian - a.x) / (b.x - a.x)});
  }
  return out;
}

template <class Number>
void put(std::string& out, Number value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

std::string wkb_of(const std::vector<Ring>& rings) {
  if (rings.size() == 1) return wkb_polygon(rings[0]);
  std::string out;
  put(out, uint8_t{1});
  put(out, uint32_t{wkb::kMultiPolygon});
  put(out, static_cast<uint32_t>(rings.size()));
  for (const Ring& ring : rings) out += wkb_polygon(ring);
  return out;
}

}  // namespace

std::string wkb_within_180(std::vector<Centroid> ring) {
  if (twice_area(ring) < 0) std::reverse(ring.begin(), ring.end());
  const auto [west, east] =
      std::minmax_element(ring.begin(), ring.end(), [](const Centroid& a, const Centroid& b) { return a.x < b.x; });
  std::vector<Ring> parts;
  if (!(west->x > -kMostDegrees && east->x < kMostDegrees)) return wkb_polygon(ring);
  const double first = std::floor((west->x + 180) / 360), last = std::ceil((east->x - 180) / 360);
  for (double turn = first; turn <= last; ++turn) {
    Ring part = clip(clip(ring, 360 * turn - 180, false), 360 * turn + 180, true);
    for (Centroid& at : part) at.x -= 360 * turn;
    if (twice_area(part) > 0) parts.push_back(std::move(part));
  }
  return parts.empty() ? wkb_polygon(ring) : wkb_of(parts);
}

}  // namespace tacore
