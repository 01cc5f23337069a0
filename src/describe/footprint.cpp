#include "describe/footprint.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "base/longitude.hpp"
#include "base/text.hpp"
#include "model/antimeridian.hpp"
#include "model/collection_merge.hpp"
#include "model/wkb_walk.hpp"

namespace tacore::descriptions {
namespace {

/// Collects the finite positions of a geometry as GeoJSON.
struct Members {
  std::vector<Json> points = {}, lines = {}, polygons = {};

  static Json position(wkb::Position p) { return Json::array({p.x, p.y}); }
  static Json positions(const wkb::Path& path) {
    Json out = Json::array();
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path[i].finite()) out.push_back(position(path[i]));
    }
    return out;
  }
  void point(wkb::Position p) {
    if (p.finite()) points.push_back(position(p));
  }
  void line(const wkb::Path& path) { lines.push_back(positions(path)); }
  void polygon(const wkb::Rings& rings) {
    Json out = Json::array();
    rings.for_each([&](const wkb::Path& ring) { out.push_back(positions(ring)); });
    polygons.push_back(std::move(out));
  }
};

/// "Point" of one, "MultiPoint" of several.
Json geometry(const char* type, const std::vector<Json>& members) {
  if (members.size() == 1) return {{"type", type}, {"coordinates", members[0]}};
  return {{"type", std::string("Multi") + type}, {"coordinates", members}};
}

/// The box of each part of a geometry, and its positions where that part is a ring.
struct Parts {
  std::vector<BBox> boxes = {};
  std::vector<std::vector<Centroid>> rings = {};

  void point(wkb::Position p) {
    if (p.finite()) boxes.push_back({p.x, p.y, p.x, p.y});
  }
  void line(const wkb::Path& path) { add(path); }
  void polygon(const wkb::Rings& all) {
    all.for_each([this](const wkb::Path& ring) { rings.push_back(add(ring)); });
  }

 private:
  std::vector<Centroid> add(const wkb::Path& path) {
    std::vector<Centroid> out;
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path[i].finite()) out.push_back({path[i].x, path[i].y});
    }
    if (out.empty()) return out;
    BBox box{out[0].x, out[0].y, out[0].x, out[0].y};
    for (const Centroid& at : out) {
      box.minx = std::min(box.minx, at.x), box.maxx = std::max(box.maxx, at.x);
      box.miny = std::min(box.miny, at.y), box.maxy = std::max(box.maxy, at.y);
    }
    boxes.push_back(box);
    return out;
  }
};

bool is_beyond_180(const BBox& box) { return box.minx < -180 || box.maxx > 180; }

/// The box shifted into [-180, 180], where it may cross the antimeridian.
BBox wrapped(BBox box) {
  if (!is_beyond_180(box)) return box;
  const bool round = box.maxx - box.minx >= 360;
  box.minx = round ? -180 : wrap_longitude(box.minx);
  box.maxx = round ? 180 : wrap_longitude(box.maxx);
  return box;
}

/// The box around all parts; it crosses the antimeridian where parts meet there.
BBox box_of(const std::vector<BBox>& parts) {
  const bool ends_there = std::any_of(parts.begin(), parts.end(), [](const BBox& part) { return part.maxx == 180; });
  const bool begins_there = std::any_of(parts.begin(), parts.end(), [](const BBox& part) { return part.minx == -180; });
  if (ends_there && begins_there) return merge_boxes(parts);
  BBox out = parts[0];
  for (const BBox& part : parts) {
    out = {std::min(out.minx, part.minx), std::min(out.miny, part.miny), std::max(out.maxx, part.maxx),
           std::max(out.maxy, part.maxy)};
  }
  return out;
}

}  // namespace

std::optional<Footprint> footprint_of(const std::string& wkb) {
  Parts parts;
  wkb::Walk(bytes_of(wkb), parts);
  if (parts.boxes.empty()) return std::nullopt;
  const BBox all = box_of(parts.boxes);
  if (!(all.miny >= -90 && all.maxy <= 90)) return std::nullopt;
  if (!is_beyond_180(all)) return Footprint{wkb, all};
  const bool is_one = parts.boxes.size() == 1;
  if (is_one && parts.rings.size() == 1 && parts.rings[0].size() > 3) {
    auto ring = parts.rings[0];
    ring.pop_back();  // where it is closed
    const std::string within = wkb_within_180(std::move(ring));
    if (within != wkb) return footprint_of(within);
  }
  if (is_one && all.minx == all.maxx && all.miny == all.maxy) {
    return footprint_of(wkb_point(wrap_longitude(all.minx), all.miny));
  }
  for (BBox& box : parts.boxes) box = wrapped(box);
  return Footprint{wkb, merge_boxes(parts.boxes)};
}

Json geojson_of(const std::string& wkb) {
  Members members;
  wkb::Walk(bytes_of(wkb), members);
  std::vector<Json> all;
  if (!members.points.empty()) all.push_back(geometry("Point", members.points));
  if (!members.lines.empty()) all.push_back(geometry("LineString", members.lines));
  if (!members.polygons.empty()) all.push_back(geometry("Polygon", members.polygons));
  if (all.size() == 1) return all[0];
  return {{"type", "GeometryCollection"}, {"geometries", all}};
}

Json bbox_of(const BBox& box) { return Json::array({box.minx, box.miny, box.maxx, box.maxy}); }

std::string geometry_type_of(const std::string& wkb) {
  static constexpr const char* kNames[] = {"Point",           "LineString",   "Polygon",           "MultiPoint",
                                           "MultiLineString", "MultiPolygon", "GeometryCollection"};
  if (wkb.size() < 5) return "";
  uint32_t code;
  std::memcpy(&code, wkb.data() + 1, sizeof code);
  if (wkb[0] == 0) code = __builtin_bswap32(code);
  const uint32_t plain = code & 0x1fff'ffff, type = plain % 1000, iso = plain / 1000;
  if (type < wkb::kPoint || type > wkb::kCollection) return "";
  const bool z = (code & 0x8000'0000) != 0 || iso == 1 || iso == 3;
  return std::string(kNames[type - 1]) + (z ? " Z" : "");
}

}  // namespace tacore::descriptions
