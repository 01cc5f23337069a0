#include "tacore/bbox.hpp"

#include <cmath>

#include "base/longitude.hpp"

namespace tacore {

bool BBox::valid() const noexcept {
  return std::isfinite(minx) && std::isfinite(miny) && std::isfinite(maxx) && std::isfinite(maxy) && miny <= maxy;
}

bool BBox::intersects(const BBox& other) const noexcept {
  if (!valid() || !other.valid() || miny > other.maxy || other.miny > maxy) return false;
  for (const auto& mine : longitude_arcs(minx, maxx)) {
    for (const auto& theirs : longitude_arcs(other.minx, other.maxx)) {
      if (mine.intersects(theirs)) return true;
    }
  }
  return false;
}

}  // namespace tacore
