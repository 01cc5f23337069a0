#include "model/wkb_centroid.hpp"

#include <bit>
#include <cmath>

#include "base/little_endian.hpp"
#include "base/longitude.hpp"
#include "model/wkb_walk.hpp"
#include "tacore/error.hpp"

namespace tacore {

namespace {

using namespace wkb;

/// Sums of positions times their weights: area, length or 1.
struct WeightedSum {
  double weight = 0;
  double x = 0;
  double y = 0;

  void add(double w, double at_x, double at_y) {
    weight += w;
    x += w * at_x;
    y += w * at_y;
  }
};

/// Everything is measured from the first position: far from the origin (UTM) products of coordinates lose digits.
class CentroidOf {
 public:
  explicit CentroidOf(Longitudes longitudes) : shorter_way_(longitudes == Longitudes::ShorterWay) {}

  void point(Position p) {
    p = relative(p, begin(p));
    points_.add(1, p.x, p.y);
  }

  void line(const Path& path) {
    if (path.size() > 0) walk(path);
  }

  void polygon(const Rings& rings) {
    bool hole = false;
    rings.for_each([&](const Path& ring) {
      if (ring.size() == 0) return;
      WeightedSum sum = walk(ring);
      // The sign depends on the orientation of the ring, which must not matter.
      const double sign = (sum.weight < 0) == hole ? 1 : -1;
      areas_.weight += sign * sum.weight;
      areas_.x += sign * sum.x;
      areas_.y += sign * sum.y;
      hole = true;
    });
  }

  std::optional<Centroid> result() const {
    if (!first_) return std::nullopt;
    const WeightedSum& sum = areas_.weight != 0 ? areas_ : lengths_.weight != 0 ? lengths_ : points_;
    const double x = first_->x + sum.x / sum.weight;
    return Centroid{shorter_way_ ? wrap_longitude(x) : x, first_->y + sum.y / sum.weight};
  }

 private:
  /// Adds the edges to the lengths, a path of no length to the points; returns the area, as if closed.
  WeightedSum walk(const Path& path) {
    WeightedSum area;
    const Position start = relative(path[0], begin(path[0]));
    Position a = start;
    double length = 0;
    for (std::size_t i = 1; i < path.size(); ++i) {
      const Position b = relative(path[i], a);
      const double edge = std::hypot(b.x - a.x, b.y - a.y);
      lengths_.add(edge, (a.x + b.x) / 2, (a.y + b.y) / 2);
      length += edge;
      // The triangle from the start: a small ring far away keeps its digits.
      const double twice_area = (a.x - start.x) * (b.y - start.y) - (b.x - start.x) * (a.y - start.y);
      area.add(twice_area, (start.x + a.x + b.x) / 3, (start.y + a.y + b.y) / 3);
      a = b;
    }
    if (path.size() > 1 && path[0].x == path[path.size() - 1].x && std::abs(a.x - start.x) > 180 && shorter_way_) {
      throw SchemaError("geometry: a ring goes around a pole; expected one that has a planar centroid");
    }
    if (length == 0) points_.add(1, start.x, start.y);
    return area;
  }

  /// Where a part begins: near the first position.
  Position begin(Position p) {
    if (!first_) first_ = p;
    return {0, 0};
  }

  Position relative(Position p, Position previous) const {
    const double x = p.x - first_->x;
    return {shorter_way_ ? x - 360 * std::nearbyint((x - previous.x) / 360) : x, p.y - first_->y};
  }

  bool shorter_way_;
  std::optional<Position> first_;
  WeightedSum areas_;
  WeightedSum lengths_;
  WeightedSum points_;
};

void put_number(FieldWriter& out, double value) { out.u64(std::bit_cast<uint64_t>(value)); }

std::string text_of(FieldWriter& out) {
  const auto bytes = out.take();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::optional<Centroid> wkb_centroid(std::span<const std::byte> wkb, Longitudes longitudes) {
  CentroidOf centroid(longitudes);
  Walk(wkb, centroid);
  return centroid.result();
}

std::string wkb_point(double x, double y) {
  FieldWriter out;
  out.u8(1);
  out.u32(kPoint);
  put_number(out, x);
  put_number(out, y);
  return text_of(out);
}

std::string wkb_polygon(std::span<const Centroid> corners) {
  FieldWriter out;
  out.u8(1);
  out.u32(kPolygon);
  out.u32(1);
  out.u32(static_cast<uint32_t>(corners.size() + 1));
  for (std::size_t i = 0; i <= corners.size(); ++i) {
    const Centroid& corner = corners[i % corners.size()];
    put_number(out, corner.x);
    put_number(out, corner.y);
  }
  return text_of(out);
}

std::optional<Centroid> point_of_wkb(std::span<const std::byte> wkb) {
  struct OnlyPoint {
    std::optional<Centroid> at;
    bool other = false;
    int num_points = 0;
    void point(Position p) {
      at = Centroid{p.x, p.y};
      ++num_points;
    }
    void line(const Path&) { other = true; }
    void polygon(const Rings&) { other = true; }
  } visitor;
  Walk(wkb, visitor);
  return visitor.other || visitor.num_points != 1 ? std::nullopt : visitor.at;
}

}  // namespace tacore
