#include "describe/map.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

#include "describe/items.hpp"
#include "describe/pit_tree.hpp"
#include "model/wkb_walk.hpp"

namespace tacore {
namespace descriptions {
namespace {

constexpr int64_t kMostFootprints = 1500;
constexpr double kWorldWidth = 360;
constexpr double kSmallestShown = 3;  // of pixels: what is smaller becomes a dot

struct OutlinePoint {
  std::string_view land;
  double lon, lat;
};

/// A coarse outline of the land, drawn by hand for these maps: the corners of one ring after another, to be closed. It
/// is only precise enough to tell the continents apart.
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
  char buffer[64];
  const double tenths = std::round(value * 10) / 10;
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, tenths == 0 ? 0 : tenths).ptr};
}

/// From degrees to pixels: equirectangular, degrees of longitude shortened as they are in the middle of the map.
class View {
 public:
  /// `west` < `east`, which may be beyond 180.
  View(double west, double south, double east, double north, double width, double least_height, double most_height)
      : west_(west), north_(north), width_(width) {
    const double shortened = std::max(0.2, std::cos((south + north) / 2 * 3.14159265358979 / 180));
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

std::string degrees(double value, double step, const char* positive, const char* negative) {
  const int digits = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::fixed, digits).ptr;
  const bool is_zero = std::abs(value) < step / 1000;
  return std::string(buffer, end) + "°" + (is_zero ? "" : value > 0 ? positive : negative);
}

std::string line(double x1, double y1, double x2, double y2) {
  return "M" + px(x1) + " " + px(y1) + "L" + px(x2) + " " + px(y2);
}

/// Lines at round degrees, and what they are, inside the frame.
std::string graticule(const View& view, double step_x, double step_y, bool labels) {
  std::string path, text;
  for (double lon = std::ceil(view.west() / step_x) * step_x; lon <= view.east(); lon += step_x) {
    const double x = view.plain_x(lon), shown = lon > 180 ? lon - 360 : lon < -180 ? lon + 360 : lon;
    path += line(x, 0, x, view.height());
    if (labels && x > 20 && x < view.width() - 30) {
      text += "<text x=\"" + px(x + 3) + "\" y=\"" + px(view.height() - 5) + "\">" + degrees(shown, step_x, "E", "W") +
              "</text>";
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

std::string land(const View& view) {
  const auto rings = land_outline();
  std::string path;
  // Once more on each side, for maps over the antimeridian.
  for (const double turn : {-360., 0., 360.}) {
    for (const OutlineRing& ring : rings) {
      const bool seen = std::any_of(ring.begin(), ring.end(), [&](const auto& point) {
        return point[0] + turn >= view.west() - 60 && point[0] + turn <= view.east() + 60;
      });
      if (!seen) continue;
      char command = 'M';
      for (const auto& [lon, lat] : ring) {
        path += command + px(view.plain_x(lon + turn)) + " " + px(view.y(lat));
        command = 'L';
      }
      path += "Z";
    }
  }
  return "<path class=\"land\" d=\"" + path + "\"/>";
}

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

std::string paint(const MapData& data, const View& view) {
  Painter painter{view};
  for (const Footprint& footprint : data.footprints) {
    wkb::Walk(std::as_bytes(std::span(footprint.wkb)), painter);
  }
  std::string parts;
  for (const BBox& box : data.sources) paint_box(box, view, parts);
  return paths("part", parts) + paths("shape", painter.shapes) + paths("dot", painter.dots);
}

bool is_globe(const BBox& box) { return box.maxx - box.minx >= 359 && box.maxy - box.miny >= 179; }

/// The region to show: of the footprints, else of the parts, else of the extent. minx <= maxx, which may be beyond 180.
std::optional<BBox> region(const MapData& data) {
  std::vector<BBox> boxes;
  for (const Footprint& footprint : data.footprints) boxes.push_back(footprint.box);
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
  const auto shown = static_cast<uint64_t>(data.footprints.size());
  const auto all = static_cast<uint64_t>(data.num_samples);
  std::string out;
  if (shown > 0) {
    out = shown == all ? "All " + grouped(all) : grouped(shown) + " of " + grouped(all);
    out += all == 1 ? " sample" : " samples";
    if (data.step > 1) out += ", evenly chosen";
    if (shown < all && data.step == 1) out += ", those that have a place";
    if (data.level > 0) out += " of level " + std::to_string(data.level);
  } else {
    out = "The extent of the dataset";
  }
  if (!data.sources.empty()) out += "; dashed: the " + grouped(data.sources.size()) + " parts";
  return out;
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
    out.step = (out.num_samples + kMostFootprints - 1) / kMostFootprints;
    LevelItems items(dataset, facts, out.level, options);
    items.for_each_nth(std::max<int64_t>(1, out.step), [&](const Item& item) {
      if (item.footprint) out.footprints.push_back(*item.footprint);
    });
  }
  return out;
}

std::string draw_map(const MapData& data) {
  const auto where = region(data);
  if (!where) return "";
  constexpr double kNear = 100;  // degrees: what is wider is shown on the globe alone
  const bool is_near = where->maxx - where->minx < kNear && where->maxy - where->miny < kNear;
  const bool has_footprints = !data.footprints.empty() || !data.sources.empty();
  // The globe beside a closer look is small; alone it shows everything.
  const View world(-180, -90, 180, 90, is_near && has_footprints ? kWorldWidth : 2 * kWorldWidth, 0, 1e9);
  std::string on_globe;
  if (is_near || !has_footprints) {
    std::string box;
    paint_box(is_near || !data.extent ? BBox{where->minx, where->miny, where->maxx, where->maxy} : *data.extent, world,
              box);
    on_globe = paths("here", box);
  }
  if (!is_near) on_globe += paint(data, world);
  std::string out = "<figure class=\"maps\">";
  if (is_near && has_footprints) {
    const double margin = std::max({(where->maxx - where->minx) * 0.08, (where->maxy - where->miny) * 0.08, 0.002});
    const View near(where->minx - margin, std::max(-90., where->miny - margin), where->maxx + margin,
                    std::min(90., where->maxy + margin), 2 * kWorldWidth, 280, 520);
    const bool is_wide = near.east() - near.west() > 25;  // below that the outline is too coarse
    out += svg(
        near, "Map of the footprints",
        (is_wide ? land(near) : "") +
            graticule(near, nice_step(near.east() - near.west(), 6), nice_step(near.north() - near.south(), 5), true) +
            paint(data, near));
  }
  out += svg(world, is_near ? "Where on the globe" : "Map of the globe",
             land(world) + graticule(world, 30, 30, false) + on_globe);
  return out + "<figcaption>" + caption(data) + ".</figcaption></figure>";
}

}  // namespace descriptions

std::vector<OutlineRing> land_outline() {
  std::vector<OutlineRing> out;
  std::string_view land;
  for (const auto& point : descriptions::kOutline) {
    if (point.land != land) out.emplace_back();
    land = point.land;
    out.back().push_back({point.lon, point.lat});
  }
  return out;
}

}  // namespace tacore
