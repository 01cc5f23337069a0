#include "model/grid_footprint.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/antimeridian.hpp"
#include "model/known_crs.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

using Ring = std::vector<Centroid>;

/// The number of pieces of each edge, before those that lie on a line are removed.
constexpr int kPieces = 64;
constexpr double kTolerance = 1e-3;
/// Distance from a pole in degrees below which longitudes are meaningless.
constexpr double kAtPole = 1e-7;

Centroid in_crs(const Grid& grid, double column, double row) {
  const auto& map = grid.geotransform;
  return {map[0] + column * map[1] + row * map[2], map[3] + column * map[4] + row * map[5]};
}

/// The corners in pixels, so that their ring in the CRS has its inside on the left.
std::vector<Centroid> corners_of(const Grid& grid) {
  const auto& map = grid.geotransform;
  const double turn = map[1] * map[5] - map[2] * map[4];
  const auto columns = static_cast<double>(grid.columns), rows = static_cast<double>(grid.rows);
  if (!(columns > 0 && rows > 0) || turn == 0 || !std::isfinite(turn)) {
    throw SchemaError("the grid has no area: " + std::to_string(grid.columns) + " x " + std::to_string(grid.rows) +
                      " pixels, with a geotransform that has no inverse");
  }
  std::vector<Centroid> out = {{0, 0}, {0, rows}, {columns, rows}, {columns, 0}};
  if (turn > 0) std::reverse(out.begin(), out.end());
  return out;
}

LonLat on_globe(const Grid& grid, const CrsTransformer* transformer, const Centroid& at) {
  LonLat out = to_wgs84(grid.crs, at.x, at.y, transformer);
  if (!std::isfinite(out.lon) || !std::isfinite(out.lat)) throw SchemaError("a corner of the grid is not on the globe");
  out.lat = std::clamp(out.lat, -90., 90.);
  return out;
}

/// Straight edges stay straight, and longitudes continue beyond 180 as those of the grid do.
Ring ring_in_degrees(const Grid& grid, const CrsTransformer* transformer) {
  Ring out;
  for (const Centroid& corner : corners_of(grid)) {
    const Centroid at = in_crs(grid, corner.x, corner.y);
    const LonLat lonlat = on_globe(grid, transformer, at);
    out.push_back({lonlat.lon + 360 * std::nearbyint((at.x - lonlat.lon) / 360), lonlat.lat});
  }
  const auto [west, east] =
      std::minmax_element(out.begin(), out.end(), [](const Centroid& a, const Centroid& b) { return a.x < b.x; });
  if (east->x - west->x < 360) return out;
  const auto [south, north] =
      std::minmax_element(out.begin(), out.end(), [](const Centroid& a, const Centroid& b) { return a.y < b.y; });
  return {{-180, south->y}, {180, south->y}, {180, north->y}, {-180, north->y}};
}

bool is_at_pole(const LonLat& at) { return 90 - std::abs(at.lat) < kAtPole; }

/// Longitudes that run on: the next position is the nearer way, and at a pole, with the inside on the left, the way
/// that has it between: west around the north pole, east around the south pole.
class Unwrapped {
 public:
  /// The first one is not at a pole.
  void add(const LonLat& at) {
    if (is_at_pole(at)) {
      at_pole_ = at.lat > 0 ? 90 : -90;
      return;
    }
    if (ring_.empty()) return ring_.push_back({at.lon, at.lat});
    double lon = at.lon - 360 * std::nearbyint((at.lon - ring_.back().x) / 360);
    if (at_pole_ != 0) {
      const double from = ring_.back().x;
      if (at_pole_ > 0 && lon > from) lon -= 360;
      if (at_pole_ < 0 && lon < from) lon += 360;
      ring_.push_back({from, at_pole_});
      ring_.push_back({lon, at_pole_});
      at_pole_ = 0;
    }
    ring_.push_back({lon, at.lat});
  }

  /// A ring around a pole ends a turn from where it began; it is closed along the pole.
  Ring close() {
    const LonLat start{ring_.front().x, ring_.front().y};
    add(start);
    const double turn = ring_.back().x - ring_.front().x;
    if (std::abs(turn) > 180) {
      const double pole = turn > 0 ? 90 : -90;
      ring_.push_back({ring_.back().x, pole});
      ring_.push_back({ring_.front().x, pole});
    } else {
      ring_.pop_back();
    }
    return std::move(ring_);
  }

 private:
  Ring ring_ = {};
  double at_pole_ = 0;  ///< 90 or -90 when it has been there since the last position
};

/// The positions from `first` to `last` that a line would miss by more than `tolerance` (Douglas-Peucker algorithm).
void keep_bends(const Ring& ring, std::size_t first, std::size_t last, double tolerance, Ring& out) {
  const Centroid &a = ring[first], &b = ring[last % ring.size()];
  const double dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
  double most = 0;
  std::size_t at = first;
  for (std::size_t i = first + 1; i < last; ++i) {
    const double x = ring[i].x - a.x, y = ring[i].y - a.y;
    const double away = length > 0 ? std::abs(dx * y - dy * x) / length : std::hypot(x, y);
    if (away > most) most = away, at = i;
  }
  if (most > tolerance) {
    keep_bends(ring, first, at, tolerance, out);
    keep_bends(ring, at, last, tolerance, out);
  } else {
    out.push_back(a);
  }
}

Ring simplified(const Ring& ring) {
  double width = 0, height = 0;
  for (const Centroid& at : ring) {
    width = std::max(width, std::abs(at.x - ring[0].x));
    height = std::max(height, std::abs(at.y - ring[0].y));
  }
  Ring out;
  // From the first corner to the opposite one and back: a line from a position to itself has no direction.
  const std::size_t middle = ring.size() / 2;
  const double tolerance = kTolerance * std::max(width, height);
  keep_bends(ring, 0, middle, tolerance, out);
  keep_bends(ring, middle, ring.size(), tolerance, out);
  return out;
}

/// The corners on the globe where edges between them are straight enough: most grids are small, and a transformation
/// for each of hundreds of positions takes long when there are millions of them. Empty for others.
Ring straight_ring(const Grid& grid, const CrsTransformer* transformer) {
  constexpr double kWidest = 10, kFarthest = 85;  // degrees, between corners and from the equator
  Ring out;
  double size = 0;
  for (const Centroid& corner : corners_of(grid)) {
    const Centroid at = in_crs(grid, corner.x, corner.y);
    LonLat lonlat = on_globe(grid, transformer, at);
    if (!out.empty()) lonlat.lon -= 360 * std::nearbyint((lonlat.lon - out[0].x) / 360);
    out.push_back({lonlat.lon, lonlat.lat});
    size = std::max({size, std::abs(lonlat.lon - out[0].x), std::abs(lonlat.lat - out[0].y)});
    if (size > kWidest || std::abs(lonlat.lat) > kFarthest) return {};
  }
  const auto corners = corners_of(grid);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t next = (i + 1) % out.size();
    const Centroid middle{(corners[i].x + corners[next].x) / 2, (corners[i].y + corners[next].y) / 2};
    const LonLat lonlat = on_globe(grid, transformer, in_crs(grid, middle.x, middle.y));
    const double x = std::remainder(lonlat.lon - (out[i].x + out[next].x) / 2, 360);
    const double y = lonlat.lat - (out[i].y + out[next].y) / 2;
    if (std::hypot(x, y) > kTolerance / 2 * size) return {};
  }
  return out;
}

Ring ring_on_globe(const Grid& grid, const CrsTransformer* transformer) {
  if (Ring straight = straight_ring(grid, transformer); !straight.empty()) return straight;
  const auto corners = corners_of(grid);
  std::vector<LonLat> edge;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Centroid &a = corners[i], &b = corners[(i + 1) % corners.size()];
    for (int piece = 0; piece < kPieces; ++piece) {
      const double part = static_cast<double>(piece) / kPieces;
      edge.push_back(on_globe(grid, transformer, in_crs(grid, a.x + part * (b.x - a.x), a.y + part * (b.y - a.y))));
    }
  }
  const auto first = std::find_if_not(edge.begin(), edge.end(), is_at_pole);
  if (first == edge.end()) throw SchemaError("all edges of the grid are at a pole");
  std::rotate(edge.begin(), first, edge.end());
  Unwrapped out;
  for (const LonLat& at : edge) out.add(at);
  return simplified(out.close());
}

}  // namespace

std::string grid_footprint(const Grid& grid, const CrsTransformer* transformer) {
  return wkb_within_180(is_geographic(grid.crs, transformer) ? ring_in_degrees(grid, transformer)
                                                             : ring_on_globe(grid, transformer));
}

}  // namespace tacore
