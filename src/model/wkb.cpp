#include "model/wkb.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "base/longitude.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "model/wkb_walk.hpp"
#include "tacore/error.hpp"

namespace tacore {

namespace {

using namespace wkb;

/// Grows around finite positions.
struct Envelope {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  BBox box = {kInfinity, kInfinity, -kInfinity, -kInfinity};

  bool empty() const { return !(box.minx <= box.maxx); }
  void point(Position p) {
    if (!p.finite()) return;
    box = {std::min(box.minx, p.x), std::min(box.miny, p.y), std::max(box.maxx, p.x), std::max(box.maxy, p.y)};
  }
  void line(const Path& path) {
    for (std::size_t i = 0; i < path.size(); ++i) point(path[i]);
  }
  void polygon(const Rings& rings) {
    rings.for_each([this](const Path& ring) { line(ring); });
  }
};

struct EnvelopeOfParts {
  std::vector<BBox> boxes = {};

  void point(Position p) {
    Envelope part;
    part.point(p);
    add(part);
  }
  void line(const Path& path) {
    Envelope part;
    part.line(path);
    add(part);
  }
  void polygon(const Rings& rings) {
    Envelope part;
    part.polygon(rings);
    add(part);
  }

 private:
  void add(const Envelope& part) {
    if (!part.empty()) boxes.push_back(part.box);
  }
};

bool contains(const BBox& box, Position p) {
  return p.x >= box.minx && p.x <= box.maxx && p.y >= box.miny && p.y <= box.maxy;
}

/// Twice the area of the triangle a b p: positive when p is left of a -> b.
double side(Position a, Position b, double x, double y) { return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x); }

/// A segment and a box are apart when a side of the box lies between them, or the line through the
/// segment has all four corners strictly on one side (separating axes).
bool segment_meets(const BBox& box, Position a, Position b) {
  if (!a.finite() || !b.finite()) return false;
  if (std::max(a.x, b.x) < box.minx || std::min(a.x, b.x) > box.maxx) return false;
  if (std::max(a.y, b.y) < box.miny || std::min(a.y, b.y) > box.maxy) return false;
  if (contains(box, a) || contains(box, b)) return true;
  const auto [least, most] = std::minmax({side(a, b, box.minx, box.miny), side(a, b, box.minx, box.maxy),
                                          side(a, b, box.maxx, box.miny), side(a, b, box.maxx, box.maxy)});
  return least <= 0 && most >= 0;
}

/// Even-odd rule: does a ray from (x, y) to the east cross this edge? Half open in y, so that a
/// vertex on the ray counts once.
bool ray_crosses(Position a, Position b, double x, double y) {
  if ((a.y > y) == (b.y > y)) return false;
  return (side(a, b, x, y) > 0) == (b.y > a.y);
}

/// The first pass over a geometry: checks every byte, and tests its points.
struct Survey : Envelope {
  explicit Survey(const BoxTest& test) : whole(test) {}

  const BoxTest& whole;
  bool found = false;

  void point(Position p) {
    Envelope::point(p);
    found = found || whole.meets_point(p.x, p.y);
  }
};

/// Whether a line or polygon of a geometry meets a plain box: one part of the query, on one turn of
/// the globe.
struct Meeting {
  BBox box;
  bool found = false;

  void point(Position) {}

  void line(const Path& path) {
    if (path.size() == 1) found = found || contains(box, path[0]);
    for (std::size_t i = 1; i < path.size() && !found; ++i) {
      found = segment_meets(box, path[i - 1], path[i]);
    }
  }

  void polygon(const Rings& rings) {
    if (found) return;
    // When no edge touches the box, the box is inside or outside as a whole: any corner tells.
    bool inside = false;
    rings.for_each([&](const Path& ring) {
      for (std::size_t i = 0; i < ring.size() && !found; ++i) {
        const Position a = ring[i];
        const Position b = ring[i + 1 < ring.size() ? i + 1 : 0];  // closes an open ring
        found = segment_meets(box, a, b);
        inside ^= a.finite() && b.finite() && ray_crosses(a, b, box.minx, box.miny);
      }
    });
    found = found || inside;
  }
};

bool overlaps(const BBox& a, const BBox& b) {
  return a.minx <= b.maxx && b.minx <= a.maxx && a.miny <= b.maxy && b.miny <= a.maxy;
}

/// A plain 21-byte little-endian point, what nearly every row of a dataset has: its coordinates.
std::optional<Position> as_plain_point(std::span<const std::byte> wkb) {
  if (std::endian::native != std::endian::little || wkb.size() != 21) return std::nullopt;
  uint32_t type;
  std::memcpy(&type, wkb.data() + 1, sizeof type);
  if (wkb[0] != std::byte{1} || type != kPoint) return std::nullopt;
  Position p;
  std::memcpy(&p.x, wkb.data() + 5, sizeof p.x);
  std::memcpy(&p.y, wkb.data() + 13, sizeof p.y);
  return p;
}

/// Text of a WKT point, token by token.
class WktReader {
 public:
  explicit WktReader(std::string_view text) : rest_(text) {}

  bool word(std::string_view wanted) {
    skip_space();
    if (lower(rest_.substr(0, wanted.size())) != wanted) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  bool at_end() {
    skip_space();
    return rest_.empty();
  }
  std::optional<double> number() {
    skip_space();
    if (rest_.starts_with('+')) rest_.remove_prefix(1);
    const auto number = parse_number_prefix(rest_);
    if (!number) return std::nullopt;
    const auto after = rest_.substr(number->size, 1);
    if (!after.empty() && !std::strchr(" \t\r\n);", after[0])) return std::nullopt;
    rest_.remove_prefix(number->size);
    return number->value;
  }

 private:
  void skip_space() {
    const auto first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(first, rest_.size()));
  }
  std::string_view rest_;
};

/// nullopt: not a point. NaN NaN: an empty one.
std::optional<Position> parse_wkt_point(std::string_view wkt) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  WktReader in(wkt);
  if (in.word("srid") && !(in.word("=") && in.number() && in.word(";"))) return std::nullopt;
  if (!in.word("point")) return std::nullopt;
  const bool z = in.word("z");
  const bool m = in.word("m");
  if (in.word("empty")) return in.at_end() ? std::optional(Position{kNan, kNan}) : std::nullopt;
  if (!in.word("(")) return std::nullopt;
  const auto x = in.number();
  const auto y = x ? in.number() : x;
  if (!y) return std::nullopt;
  int more = 0;
  while (more < 2 && in.number()) ++more;
  // Without a Z or M tag, the number of coordinates decides their meaning (EWKT).
  const bool count_fits = z || m ? more == int{z} + int{m} : true;
  if (!count_fits || !in.word(")") || !in.at_end()) return std::nullopt;
  return Position{*x, *y};
}

}  // namespace

BoxTest::BoxTest(const BBox& box) : miny_(box.miny), maxy_(box.maxy) {
  if (!box.valid()) {
    throw QueryError("bounding box (" + std::to_string(box.minx) + ", " + std::to_string(box.miny) + ", " +
                     std::to_string(box.maxx) + ", " + std::to_string(box.maxy) +
                     "): expected four finite numbers with miny <= maxy");
  }
  arcs_ = longitude_arcs(box.minx, box.maxx);
}

bool BoxTest::meets_point(double lon, double lat) const noexcept {
  // Comparisons with NaN are false. No branches: over many rows they are guessed wrong too often.
  const double x = wrap_longitude(lon);
  const bool in_first = arcs_[0].contains(x);
  const bool in_second = arcs_[1].contains(x);
  return (in_first | in_second) & (lat >= miny_) & (lat <= maxy_);
}

bool BoxTest::may_meet(BBox envelope) const noexcept {
  // Edges are moved by whole turns of the globe, which rounds.
  constexpr double kRounding = 1e-6;
  if (envelope.miny > maxy_ || envelope.maxy < miny_) return false;
  if (!(envelope.maxx - envelope.minx < 360 - 2 * kRounding)) return true;
  for (const auto& mine : longitude_arcs(envelope.minx - kRounding, envelope.maxx + kRounding)) {
    if (mine.intersects(arcs_[0]) || mine.intersects(arcs_[1])) return true;
  }
  return false;
}

bool BoxTest::meets_wkb(std::span<const std::byte> wkb) const {
  if (const auto p = as_plain_point(wkb)) return meets_point(p->x, p->y);
  return meets_any_wkb(wkb);
}

bool BoxTest::meets_any_wkb(std::span<const std::byte> wkb) const {
  Survey survey(*this);
  Walk(wkb, survey);
  if (survey.found) return true;
  const BBox& envelope = survey.box;
  if (survey.empty() || envelope.miny > maxy_ || envelope.maxy < miny_) return false;
  // The turns of the globe that the geometry reaches. Beyond a few, its x are no degrees.
  const auto turns = [](double degrees) { return std::clamp(degrees / 360, -4., 4.); };
  const double last_turn = std::floor(turns(envelope.maxx + 180));
  for (double turn = std::ceil(turns(envelope.minx - 180)); turn <= last_turn; ++turn) {
    for (const auto& arc : arcs_) {
      const BBox box{arc.first + 360 * turn, miny_, arc.last + 360 * turn, maxy_};
      if (arc.first > arc.last || !overlaps(envelope, box)) continue;
      Meeting meeting{box};
      Walk(wkb, meeting);
      if (meeting.found) return true;
    }
  }
  return false;
}

std::optional<bool> BoxTest::meets_wkt(std::string_view wkt) const {
  const auto p = parse_wkt_point(wkt);
  if (!p) return std::nullopt;
  return meets_point(p->x, p->y);
}

std::optional<BBox> wkb_envelope(std::span<const std::byte> wkb) {
  Envelope envelope;
  if (const auto p = as_plain_point(wkb)) {
    envelope.point(*p);
  } else {
    Walk(wkb, envelope);
  }
  return envelope.empty() ? std::nullopt : std::optional(envelope.box);
}

std::vector<BBox> wkb_part_envelopes(std::span<const std::byte> wkb) {
  EnvelopeOfParts parts;
  Walk(wkb, parts);
  return std::move(parts.boxes);
}

std::optional<BBox> wkt_point_envelope(std::string_view wkt) {
  Envelope envelope;
  if (const auto p = parse_wkt_point(wkt)) envelope.point(*p);
  return envelope.empty() ? std::nullopt : std::optional(envelope.box);
}

}  // namespace tacore
