#include "describe/footprint.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/longitude.hpp"
#include "model/antimeridian.hpp"
#include "model/wkb.hpp"
#include "model/wkb_walk.hpp"

namespace tacore::descriptions {
namespace {

using Ring = std::vector<Centroid>;

std::span<const std::byte> bytes_of(const std::string& wkb) { return std::as_bytes(std::span(wkb)); }

/// Gathers positions as GeoJSON has them, those that are none left out.
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

bool is_usable(const BBox& box) {
  return std::isfinite(box.minx) && std::isfinite(box.maxx) && box.miny >= -90 && box.maxy <= 90;
}

}  // namespace

std::optional<Footprint> footprint_of(const std::string& wkb) {
  auto box = wkb_envelope(bytes_of(wkb));
  if (!box || !is_usable(*box)) return std::nullopt;
  if (box->minx < -180 || box->maxx > 180) {
    const bool round = box->maxx - box->minx >= 360;
    box->minx = round ? -180 : wrap_longitude(box->minx);
    box->maxx = round ? 180 : wrap_longitude(box->maxx);
  }
  return Footprint{wkb, *box};
}

std::optional<Footprint> footprint_of(std::span<const Centroid> corners) {
  Ring ring(corners.begin(), corners.end());
  for (std::size_t i = 1; i < ring.size(); ++i) {
    while (ring[i].x - ring[i - 1].x > 180) ring[i].x -= 360;
    while (ring[i].x - ring[i - 1].x < -180) ring[i].x += 360;
  }
  const auto [least, most] =
      std::minmax_element(ring.begin(), ring.end(), [](const Centroid& a, const Centroid& b) { return a.x < b.x; });
  const double west = least->x, east = most->x;
  auto out = footprint_of(wkb_within_180(std::move(ring)));
  const bool crosses = (west < -180 || east > 180) && east - west < 360;
  if (out && crosses) out->box.minx = wrap_longitude(west), out->box.maxx = wrap_longitude(east);
  return out;
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
