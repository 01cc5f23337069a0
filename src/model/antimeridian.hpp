#pragma once

#include <string>
#include <vector>

#include "model/wkb_centroid.hpp"

namespace tacore {

/// WKB of a ring that is not closed, whose longitudes may go beyond 180 degrees: a Polygon, or a MultiPolygon of its
/// parts between two antimeridians, each within [-180, 180]. Counter-clockwise. A ring without area, or beyond four
/// turns of the globe, is not cut.
std::string wkb_within_180(std::vector<Centroid> ring);

}  // namespace tacore
