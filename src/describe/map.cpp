#include "describe/map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/number_text.hpp"
#include "describe/items.hpp"
#include "describe/pit_tree.hpp"
#include "model/wkb_walk.hpp"

namespace tacore {
namespace descriptions {
namespace {

constexpr std::size_t kMostFootprints = 400;  // more are drawn as a density
constexpr double kWorldWidth = 360;
constexpr double kSmallestShown = 3;  // of pixels: what is smaller becomes a dot
constexpr double kLeastWithLand = 4;  // degrees: on a narrower map the outline of the land would be wrong by pixels
constexpr double kRegion = 15;        // degrees around the place, on the map between such a one and the world
constexpr double kKilometresPerDegree = 111.32;
constexpr double kHexagon = 9;  // pixels from the centre to a corner
constexpr double kPi = 3.14159265358979;

struct OutlinePoint {
  int16_t ring, lon, lat;  // in hundredths of a degree
};

/// The land of Natural Earth at 1:110,000,000 (public domain): the corners of one ring after another, to be closed. The
/// Caspian Sea is a ring inside of another. Coasts are precise to some 20 km.
constexpr OutlinePoint kOutline[] = {
#include "describe/world_outline.inc"
};

bool has_places(const LevelFacts& level) {
  return std::any_of(level.fields.begin(), level.fields.end(), [](const FieldDescription& field) {
    return field.name == "istac:geometry" || field.name == "stac:centroid" || field.name == "istac:centroid" ||
           field.name == "stac:geotransform";
  });
}

/// One decimal: a tenth of a pixel.
std::string px(double value) {
  const double tenths = std::round(value * 10) / 10;
  return number_text(tenths == 0 ? 0.0 : tenths);
}

/// From degrees to pixels: equirectangular, degrees of longitude shortened as they are in the middle of the map.
class View {
 public:
  /// `west` < `east`, which may be beyond 180.
  View(double west, double south, double east, double north, double width, double least_height, double most_height)
      : west_(west), north_(north), width_(width) {
    const double shortened = std::max(0.2, std::cos((south + north) / 2 * kPi / 180));
    scale_x_ = width / (east - west);
    scale_y_ = scale_x_ / shortened;
    height_ = (north - south) * scale_y_;
    if (height_ > most_height || height_ < least_height) {  // shown larger around it, or smaller
      const double wanted = std::clamp(height_, least_height, most_height);
      if (height_ > wanted) {
        const double factor = wanted / height_;
        scale_x_ *= factor, scale_y_ *= factor;
        west_ -= (width / scale_x_ - (east - west)) / 2;
      } else {
        north_ += (wanted / scale_y_ - (north - south)) / 2;
      }
      height_ = wanted;
    }
  }

  double width() const { return width_; }
  double height() const { return height_; }
  double west() const { return west_; }
  double east() const { return west_ + width_ / scale_x_; }
  double north() const { return north_; }
  double south() const { return north_ - height_ / scale_y_; }
  /// The turn of the globe that brings `lon` closest east of the map's western edge.
  double x(double lon) const {
    const double middle = west_ + width_ / scale_x_ / 2;
    return (lon + 360 * std::round((middle - lon) / 360) - west_) * scale_x_;
  }
  double plain_x(double lon) const { return (lon - west_) * scale_x_; }
  double y(double lat) const { return (north_ - lat) * scale_y_; }
  /// Of a pixel, in the middle of the map.
  double kilometres() const { return kKilometresPerDegree / scale_y_; }

 private:
  double west_, north_, width_, height_;
  double scale_x_, scale_y_;
};

/// 1, 2 or 5 times a power of ten, for about `count` lines.
double nice_step(double range, double count) {
  const double raw = range / count, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1., 2., 5.}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

/// "10° N": `positive` and `negative` are the letters.
std::string degrees(double value, double step, const char* positive, const char* negative) {
  const int digits = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  const bool is_zero = std::abs(value) < step / 1000;
  const bool is_antimeridian = *positive == 'E' && std::abs(value) > 180 - step / 1000;
  return fixed_number_text(std::abs(value), digits) + "°" +
         (is_zero || is_antimeridian ? "" : std::string("\u00a0") + (value > 0 ? positive : negative));
}

std::string line(double x1, double y1, double x2, double y2) {
  return "M" + px(x1) + " " + px(y1) + "L" + px(x2) + " " + px(y2);
}

/// Lines at round degrees, and what they are, inside the frame.
std::string graticule(const View& view, double step_x, double step_y, bool labels) {
  std::string path, text;
  bool is_second = false;  // which a telephone has no room for
  for (double lon = std::ceil(view.west() / step_x) * step_x; lon <= view.east(); lon += step_x) {
    const double x = view.plain_x(lon), shown = lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon;
    path += line(x, 0, x, view.height());
    if (labels && x > 20 && x < view.width() - 60) {
      text += std::string("<text") + (is_second ? " class=\"second\"" : "") + " x=\"" + px(x + 3) + "\" y=\"" +
              px(view.height() - 5) + "\">" + degrees(shown, step_x, "E", "W") + "</text>";
      is_second = !is_second;
    }
  }
  for (double lat = std::ceil(view.south() / step_y) * step_y; lat <= view.north(); lat += step_y) {
    if (std::abs(lat) > 90) continue;
    const double y = view.y(lat);
    path += line(0, y, view.width(), y);
    if (labels && y > 12 && y < view.height() - 18) {
      text += "<text x=\"4\" y=\"" + px(y - 3) + "\">" + degrees(lat, step_y, "N", "S") + "</text>";
    }
  }
  return "<path class=\"grid\" d=\"" + path + "\"/>" + text;
}

using Corner = std::pair<double, double>;

/// The part of a ring on one side of a line, for which `depth` is not negative (Sutherland and Hodgman).
template <class Depth>
std::vector<Corner> clipped(const std::vector<Corner>& ring, const Depth& depth) {
  std::vector<Corner> out;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Corner &from = ring[i == 0 ? ring.size() - 1 : i - 1], &to = ring[i];
    const double before = depth(from), after = depth(to);
    if ((before < 0) != (after < 0)) {
      const double part = before / (before - after);
      out.emplace_back(from.first + (to.first - from.first) * part, from.second + (to.second - from.second) * part);
    }
    if (after >= 0) out.push_back(to);
  }
  return out;
}

/// The part of a ring on the map and a little around it, so that its edges are not seen.
std::vector<Corner> clipped(std::vector<Corner> ring, const View& view) {
  constexpr double kMargin = 3;
  ring = clipped(ring, [](const Corner& at) { return at.first + kMargin; });
  ring = clipped(ring, [&](const Corner& at) { return view.width() + kMargin - at.first; });
  ring = clipped(ring, [](const Corner& at) { return at.second + kMargin; });
  return clipped(ring, [&](const Corner& at) { return view.height() + kMargin - at.second; });
}

std::string land(const View& view) {
  constexpr double kSeen = 0.6;  // pixels: a corner closer to the one before is left out
  std::string path;
  // Once more on each side, for maps over the antimeridian.
  for (const double turn : {-360., 0., 360.}) {
    for (const OutlineRing& corners : land_outline()) {
      std::vector<Corner> ring;
      for (const auto& [lon, lat] : corners) ring.emplace_back(view.plain_x(lon + turn), view.y(lat));
      ring = clipped(std::move(ring), view);
      std::string drawn;
      Corner last = {-1e9, -1e9};
      for (const Corner& at : ring) {
        if (std::abs(at.first - last.first) + std::abs(at.second - last.second) < kSeen) continue;
        drawn += (drawn.empty() ? "M" : "L") + px(at.first) + " " + px(at.second);
        last = at;
      }
      if (drawn.find('L') != drawn.npos) path += drawn + "Z";
    }
  }
  return "<path class=\"land\" d=\"" + path + "\"/>";
}

/// A bar of 1, 2 or 5 times a power of ten kilometres, in the upper right corner.
std::string scale_bar(const View& view) {
  const double most = view.kilometres() * view.width() / 4;
  const double power = std::pow(10, std::floor(std::log10(most)));
  const double length = most >= 5 * power ? 5 * power : most >= 2 * power ? 2 * power : power;
  const double width = length / view.kilometres(), right = view.width() - 14, left = right - width;
  const auto whole = [](double number) { return grouped(static_cast<uint64_t>(std::lround(number))); };
  const std::string text = length < 1 ? whole(1000 * length) + " m" : whole(length) + " km";
  return "<path class=\"plate\" d=\"M" + px(left - 8) + " 6H" + px(right + 8) + "V40H" + px(left - 8) +
         "Z\"/><path class=\"bar-line\" d=\"M" + px(left) + " 29v5H" + px(right) +
         "v-5\"/><text text-anchor=\"middle\" x=\"" + px((left + right) / 2) + "\" y=\"25\">" + text + "</text>";
}

/// The numbers of samples in hexagons, drawn in shades for ranges of numbers.
class Density {
 public:
  Density(const std::vector<MapPoint>& points, const View& view) {
    for (const MapPoint& point : points) add(view.x(point.lon), view.y(point.lat));
    uint64_t most = 1;
    for (const auto& [cell, count] : counts_) most = std::max(most, count);
    for (int shade = 1; shade <= kShades; ++shade) {
      const double share = static_cast<double>(shade) / kShades;
      const auto last = static_cast<uint64_t>(std::lround(std::pow(static_cast<double>(most), share)));
      if (lasts_.empty() || last > lasts_.back()) lasts_.push_back(last);
    }
  }

  std::string draw() const {
    std::string paths[kShades];
    for (const auto& [cell, count] : counts_) {
      const auto [x, y] = centre(cell);
      const double side = kHexagon * std::sqrt(3) / 2;
      paths[shade_of(count)] += "M" + px(x) + " " + px(y - kHexagon) + "l" + px(side) + " " + px(kHexagon / 2) + "v" +
                                px(kHexagon) + "l" + px(-side) + " " + px(kHexagon / 2) + "l" + px(-side) + " " +
                                px(-kHexagon / 2) + "v" + px(-kHexagon) + "Z";
    }
    std::string out;
    for (std::size_t shade = 0; shade < kShades; ++shade) {
      if (!paths[shade].empty()) out += "<path class=\"" + css(shade) + "\" d=\"" + paths[shade] + "\"/>";
    }
    return out;
  }

  std::string legend() const {
    std::string out = "<ul class=\"legend\">";
    uint64_t first = 1;
    for (std::size_t shade = 0; shade < lasts_.size(); ++shade) {
      const std::string last = grouped(lasts_[shade]);
      out += "<li><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path class=\"" + css(shade) +
             "\" d=\"M8 1l6 3.5v7l-6 3.5l-6-3.5v-7Z\"/></svg>" +
             (first == lasts_[shade] ? last : grouped(first) + " to " + last) + "</li>";
      first = lasts_[shade] + 1;
    }
    return out + "</ul>";
  }

 private:
  static constexpr int kShades = 5;
  using Cell = std::pair<int64_t, int64_t>;  // row, column

  Corner centre(const Cell& cell) const {
    const double width = kHexagon * std::sqrt(3), shift = cell.first % 2 == 0 ? 0 : 0.5;
    return {(static_cast<double>(cell.second) + shift) * width, static_cast<double>(cell.first) * 1.5 * kHexagon};
  }

  /// Counts a point in the hexagon whose centre is the nearest: of those of the two rows around it.
  void add(double x, double y) {
    const double width = kHexagon * std::sqrt(3);
    Cell nearest;
    double least = 1e300;
    const auto above = static_cast<int64_t>(std::floor(y / (1.5 * kHexagon)));
    for (const int64_t row : {above, above + 1}) {
      const Cell cell = {row, std::llround(x / width - (row % 2 == 0 ? 0 : 0.5))};
      const auto [cx, cy] = centre(cell);
      const double distance = (x - cx) * (x - cx) + (y - cy) * (y - cy);
      if (distance < least) least = distance, nearest = cell;
    }
    ++counts_[nearest];
  }

  std::size_t shade_of(uint64_t count) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(lasts_, count) - lasts_.begin());
  }
  /// Of few shades the darker ones.
  std::string css(std::size_t shade) const { return "hex d" + std::to_string(shade + 1 + kShades - lasts_.size()); }

  std::map<Cell, uint64_t> counts_ = {};
  std::vector<uint64_t> lasts_ = {};  ///< the largest number of each shade
};

/// The rings, lines and points of footprints as two paths: of shapes and of dots.
struct Painter {
  const View& view;
  std::string shapes = {}, dots = {};

  void dot(double lon, double lat) { dots += "M" + px(view.x(lon)) + " " + px(view.y(lat)) + "h0"; }
  void point(wkb::Position p) {
    if (p.finite()) dot(p.x, p.y);
  }
  void line(const wkb::Path& path) { draw(path, false); }
  void polygon(const wkb::Rings& rings) {
    rings.for_each([this](const wkb::Path& ring) { draw(ring, true); });
  }
  /// Draws the path unclipped, on each turn of the globe that the map shows of it.
  void draw(const wkb::Path& path, bool closed) {
    double least = 1e9, most = -1e9;
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path[i].finite()) least = std::min(least, path[i].x), most = std::max(most, path[i].x);
    }
    for (double turn = -720; turn <= 720; turn += 360) {
      if (most + turn > view.west() && least + turn < view.east()) draw_turn(path, closed, turn);
    }
  }
  void draw_turn(const wkb::Path& path, bool closed, double turn) {
    double least_x = 1e9, most_x = -1e9, least_y = 1e9, most_y = -1e9;
    std::string out, before;
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (!path[i].finite()) continue;
      const double x = view.plain_x(path[i].x + turn), y = view.y(path[i].y);
      least_x = std::min(least_x, x), most_x = std::max(most_x, x);
      least_y = std::min(least_y, y), most_y = std::max(most_y, y);
      std::string at = px(x) + " " + px(y);
      if (at == before) continue;  // not visible at this scale
      out += (out.empty() ? "M" : "L") + at;
      before = std::move(at);
    }
    if (most_x - least_x < kSmallestShown && most_y - least_y < kSmallestShown) {
      dots += "M" + px((least_x + most_x) / 2) + " " + px((least_y + most_y) / 2) + "h0";
    } else {
      shapes += out + (closed ? "Z" : "");
    }
  }
};

void paint_box(const BBox& box, const View& view, std::string& shapes) {
  const double east = box.maxx < box.minx ? box.maxx + 360 : box.maxx;
  for (const double turn : {-360., 0., 360.}) {
    const double left = std::max(0., view.plain_x(box.minx + turn));
    const double right = std::min(view.width(), view.plain_x(east + turn));
    if (right <= left && !(box.minx == box.maxx && left == right)) continue;
    const double top = view.y(box.maxy), bottom = view.y(box.miny);
    // A box too small to be seen is made large enough.
    const double more_x = std::max(0., 6 - (right - left)) / 2, more_y = std::max(0., 6 - (bottom - top)) / 2;
    shapes += "M" + px(left - more_x) + " " + px(top - more_y) + "H" + px(right + more_x) + "V" + px(bottom + more_y) +
              "H" + px(left - more_x) + "Z";
  }
}

std::string svg(const View& view, const std::string& label, const std::string& content) {
  return "<svg viewBox=\"0 0 " + px(view.width()) + " " + px(view.height()) + "\" role=\"img\" aria-label=\"" + label +
         "\"><rect class=\"sea\" width=\"100%\" height=\"100%\"/>" + content + "</svg>";
}

std::string paths(const std::string& css, const std::string& d) {
  return d.empty() ? "" : "<path class=\"" + css + "\" d=\"" + d + "\"/>";
}

/// One dot for all points that lie in the same two pixels.
std::string dots(const std::vector<MapPoint>& points, const View& view) {
  std::set<std::pair<int64_t, int64_t>> places;  // row, column
  for (const auto& [lon, lat] : points) places.emplace(std::llround(view.y(lat) / 2), std::llround(view.x(lon) / 2));
  std::string out;
  for (const auto& [row, column] : places) {
    out += "M" + std::to_string(2 * column) + " " + std::to_string(2 * row) + "h0";
  }
  return out;
}

std::string paint(const MapData& data, const View& view, std::string& legend) {
  std::string parts;
  for (const BBox& box : data.sources) paint_box(box, view, parts);
  parts = paths("part", parts);
  const std::string marks = paths("mark", dots(data.marks, view));
  if (!data.points.empty()) {
    const Density density(data.points, view);
    legend = density.legend();
    return density.draw() + parts + marks;
  }
  Painter painter{view};
  for (const Footprint& footprint : data.footprints) {
    wkb::Walk(std::as_bytes(std::span(footprint.wkb)), painter);
  }
  return parts + paths("shape", painter.shapes) + paths("dot", painter.dots) + marks;
}

bool is_globe(const BBox& box) { return box.maxx - box.minx >= 359 && box.maxy - box.miny >= 179; }

/// The region to show: of the footprints, else of the parts, else of the extent. minx <= maxx, which may be beyond 180.
std::optional<BBox> region(const MapData& data) {
  std::vector<BBox> boxes;
  for (const Footprint& footprint : data.footprints) boxes.push_back(footprint.box);
  for (const auto* points : {&data.points, &data.marks}) {
    for (const auto& [lon, lat] : *points) boxes.push_back({lon, lat, lon, lat});
  }
  if (boxes.empty()) boxes = data.sources;
  if (boxes.empty() && data.extent) boxes.push_back(*data.extent);
  if (boxes.empty()) return std::nullopt;
  const bool crosses = std::any_of(boxes.begin(), boxes.end(), [](const BBox& b) { return b.minx > b.maxx; });
  const bool extent_crosses = data.extent && data.extent->minx > data.extent->maxx;
  BBox out{1e9, 1e9, -1e9, -1e9};
  for (BBox box : boxes) {
    if (box.maxx - box.minx >= 360) return BBox{-180, -90, 180, 90};
    // All of it east of 0, so that what lies on both sides of 180 is in one piece.
    const bool turn = crosses || extent_crosses;
    if (turn && box.minx < 0) box.minx += 360;
    if (turn && box.maxx < 0) box.maxx += 360;
    out = {std::min(out.minx, box.minx), std::min(out.miny, box.miny), std::max(out.maxx, std::max(box.minx, box.maxx)),
           std::max(out.maxy, box.maxy)};
  }
  return out;
}

std::string caption(const MapData& data) {
  const auto shown = static_cast<uint64_t>(data.footprints.size() + data.points.size());
  const auto all = static_cast<uint64_t>(data.num_samples);
  std::string out;
  if (shown > 0) {
    out = shown == all ? "All " + grouped(all) : grouped(shown) + " of " + grouped(all);
    out += all == 1 ? " sample" : " samples";
    if (shown < all) out += ", those that have a place";
    if (data.level > 0) out += " of level " + std::to_string(data.level);
    if (!data.points.empty()) out += "; the shade of a hexagon is the number of samples whose centre is in it";
  } else {
    out = "The extent of the dataset";
  }
  if (!data.sources.empty()) out += "; dashed: the " + grouped(data.sources.size()) + " parts";
  if (!data.marks.empty()) out += "; dots: " + data.about_marks;
  return out;
}

MapPoint centre_of(const Item& item) {
  if (item.centroid) return {static_cast<float>(item.centroid->x), static_cast<float>(item.centroid->y)};
  const BBox& box = item.footprint->box;
  const double lon = (box.minx + box.maxx) / 2 + (box.minx > box.maxx ? 180 : 0);
  return {static_cast<float>(lon > 180 ? lon - 360 : lon), static_cast<float>((box.miny + box.maxy) / 2)};
}

}  // namespace

MapData extents(const Facts& facts) {
  MapData out;
  for (const Source& source : facts.collection.sources) {
    if (source.extent.spatial && !is_globe(*source.extent.spatial)) out.sources.push_back(*source.extent.spatial);
  }
  if (facts.collection.extent.spatial && !is_globe(*facts.collection.extent.spatial)) {
    out.extent = facts.collection.extent.spatial;
  }
  return out;
}

MapData map_data(const Dataset& dataset, const Facts& facts, const DescribeOptions& options) {
  MapData out = extents(facts);
  for (std::size_t level = 0; level < facts.levels.size() && out.footprints.empty(); ++level) {
    if (!has_places(facts.levels[level])) continue;
    out.level = static_cast<int>(level);
    out.num_samples = facts.levels[level].num_rows;
    out.points.clear();
    LevelItems items(dataset, facts, out.level, options);
    items.for_each(false, [&](Item& item) {
      if (!item.footprint) return;
      out.points.push_back(centre_of(item));
      if (out.footprints.size() < kMostFootprints) out.footprints.push_back(std::move(*item.footprint));
    });
  }
  const bool are_many = out.points.size() > kMostFootprints;
  are_many ? out.footprints.clear() : out.points.clear();
  return out;
}

std::string draw_map(const MapData& data) {
  const auto where = region(data);
  if (!where) return "";
  constexpr double kNear = 100;  // degrees: what is wider is shown on the globe alone
  const bool has_samples =
      !data.footprints.empty() || !data.points.empty() || !data.sources.empty() || !data.marks.empty();
  const bool is_near = has_samples && where->maxx - where->minx < kNear && where->maxy - where->miny < kNear;
  std::string legend;
  // Beside a closer look, the place is marked on smaller maps; alone, the globe shows everything.
  const auto around = [&](const char* label, const View& view, double step) {
    std::string here;
    paint_box(is_near || !data.extent ? *where : *data.extent, view, here);
    const std::string shown = is_near || !has_samples ? paths("here", here) : paint(data, view, legend);
    return svg(view, label, land(view) + graticule(view, step, step, !is_near) + shown);
  };
  const View world(-180, -90, 180, 90, is_near ? kWorldWidth : 2 * kWorldWidth, 0, 1e9);
  std::string out = "<figure class=\"maps\">";
  if (is_near) {
    const double margin = std::max({(where->maxx - where->minx) * 0.08, (where->maxy - where->miny) * 0.08, 0.002});
    const View near(where->minx - margin, std::max(-90., where->miny - margin), where->maxx + margin,
                    std::min(90., where->maxy + margin), 2 * kWorldWidth, 280, 520);
    const bool has_land = near.east() - near.west() >= kLeastWithLand;
    out += svg(near, "Map of the samples",
               (has_land ? land(near) : "") +
                   graticule(near, nice_step(near.east() - near.west(), 6), nice_step(near.north() - near.south(), 5),
                             true) +
                   paint(data, near, legend) + scale_bar(near)) +
           "<div>";
    if (!has_land) {
      const double lon = (where->minx + where->maxx) / 2;
      const double lat = std::clamp((where->miny + where->maxy) / 2, -80., 80.);
      out += around("Map of the region", View(lon - kRegion, lat - 10, lon + kRegion, lat + 10, kWorldWidth, 200, 240),
                    10);
    }
    out += around("Map of the world", world, 30) + "</div>";
  } else {
    out += around("Map of the world", world, 30);
  }
  return out + "<figcaption>" + caption(data) + "." + legend + "</figcaption></figure>";
}

}  // namespace descriptions

std::vector<OutlineRing> land_outline() {
  std::vector<OutlineRing> out;
  int ring = -1;
  for (const auto& point : descriptions::kOutline) {
    if (point.ring != ring) out.emplace_back();
    ring = point.ring;
    out.back().push_back({point.lon / 100., point.lat / 100.});
  }
  return out;
}

}  // namespace tacore
