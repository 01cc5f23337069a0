#include "model/grid_footprint.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "model/wkb.hpp"
#include "model/wkb_centroid.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// Coordinate systems whose results can be computed by hand.
class MadeSystems : public CrsTransformer {
 public:
  bool is_geographic(const std::string& crs) const override { return crs == "degrees"; }
  LonLat to_wgs84(const std::string& crs, double x, double y) const override {
    if (crs == "degrees") return {std::remainder(x, 360), y};
    // Degrees from a pole, with Greenwich below the north pole and above the south pole.
    if (crs == "north") return {std::atan2(x, -y) / kDegree, 90 - std::hypot(x, y)};
    if (crs == "south") return {std::atan2(x, y) / kDegree, std::hypot(x, y) - 90};
    if (crs == "east") return {std::remainder(179 + x, 360), y};
    if (crs == "bent") return {x, y + 0.01 * x * x};
    throw SchemaError("no CRS " + crs);
  }
};

const MadeSystems kSystems;

Grid box(const char* crs, double x0, double y0, double x1, double y1) {
  return {crs, {x0, (x1 - x0) / 10, 0, y1, 0, (y0 - y1) / 10}, 10, 10};
}

/// Whether a footprint has a point.
bool has(const std::string& wkb, double lon, double lat) {
  return BoxTest({lon, lat, lon, lat}).meets_wkb(std::as_bytes(std::span(wkb)));
}

bool is_multi(const std::string& wkb) { return wkb[1] == 6; }
/// The corners of a Polygon, without the closing one.
std::size_t num_corners(const std::string& wkb) { return (wkb.size() - 13) / 16 - 1; }

struct At {
  double lon, lat;
};

void check(const std::string& wkb, const std::vector<At>& inside, const std::vector<At>& outside) {
  for (const At& at : inside) {
    CAPTURE(at.lon);
    CAPTURE(at.lat);
    CHECK(has(wkb, at.lon, at.lat));
  }
  for (const At& at : outside) {
    CAPTURE(at.lon);
    CAPTURE(at.lat);
    CHECK_FALSE(has(wkb, at.lon, at.lat));
  }
}

}  // namespace

TEST_CASE("a grid in degrees has its corners counter-clockwise, for any direction of rows and columns") {
  const std::string expected = grid_footprint(box("EPSG:4326", 1, 2, 3, 5), nullptr);
  CHECK(num_corners(expected) == 4);
  CHECK(expected == wkb_polygon(std::vector<Centroid>{{1, 5}, {1, 2}, {3, 2}, {3, 5}}));
  const auto envelope = *wkb_envelope(std::as_bytes(std::span(expected)));
  for (const auto& to_crs : {std::array<double, 6>{1, .2, 0, 2, 0, .3}, {3, -.2, 0, 5, 0, -.3}, {1, 0, .2, 2, .3, 0}}) {
    const std::string wkb = grid_footprint({"EPSG:4326", to_crs, 10, 10}, nullptr);
    const auto found = *wkb_envelope(std::as_bytes(std::span(wkb)));
    CHECK(found.minx == doctest::Approx(envelope.minx));
    CHECK(found.maxy == doctest::Approx(envelope.maxy));
    check(wkb, {{2, 3}}, {{0, 3}, {2, 6}});
  }
}

TEST_CASE("a rotated grid has a rotated footprint") {
  // Half a square's diagonal to each side of (10, 20).
  const std::string wkb = grid_footprint({"EPSG:4326", {10, .1, .1, 21, -.1, .1}, 10, 10}, nullptr);
  CHECK(num_corners(wkb) == 4);
  check(wkb, {{11, 21}, {11, 20.1}, {11, 21.9}, {10.1, 21}, {11.9, 21}}, {{10.2, 20.2}, {11.8, 21.8}, {11.8, 20.2}});
}

TEST_CASE("a grid over the antimeridian is split into two polygons, in degrees and in a projection") {
  for (const auto& grid :
       {box("degrees", 175, -5, 190, 5), box("degrees", -185, -5, -170, 5), box("east", -4, -5, 11, 5)}) {
    CAPTURE(grid.crs);
    const std::string wkb = grid_footprint(grid, &kSystems);
    CHECK(is_multi(wkb));
    check(wkb, {{176, 0}, {179.9, 0}, {-179.9, 0}, {-170.5, 0}}, {{174, 0}, {-169, 0}, {0, 0}, {177, 6}});
  }
}

TEST_CASE("a grid of the whole globe has the globe as footprint") {
  for (const auto& grid : {box("degrees", -180, -90, 180, 90), box("degrees", 0, -90, 360, 90),
                           box("degrees", -180.25, -90.25, 179.75, 90.25), box("degrees", -180.5, -90, 180.5, 90)}) {
    CAPTURE(grid.geotransform[0]);
    const std::string wkb = grid_footprint(grid, &kSystems);
    check(wkb, {{-179.9, 0}, {0, 0}, {179.9, 0}, {90, 90}, {-90, -90}, {1, 45}}, {});
    const auto envelope = *wkb_envelope(std::as_bytes(std::span(wkb)));
    CHECK(envelope.minx == -180);
    CHECK(envelope.maxx == 180);
    CHECK(envelope.miny == -90);
    CHECK(envelope.maxy == 90);
  }
}

TEST_CASE("the footprint of a grid around a pole reaches the pole along all longitudes") {
  for (const int side : {1, -1}) {
    const char* crs = side > 0 ? "north" : "south";
    CAPTURE(crs);
    for (const auto& grid : {box(crs, -10, -10, 10, 10), box(crs, -12, -9, 7, 14), box(crs, -200, -10, 10, 10)}) {
      const std::string wkb = grid_footprint(grid, &kSystems);
      std::vector<At> inside;
      for (double lon = -179; lon < 180; lon += 7) {
        for (const double lat : {84., 89.9, 90.}) inside.push_back({lon, side * lat});
      }
      check(wkb, inside, {{0, side * 70.}, {0, 0}, {0, side * -89.}});
    }
  }
}

TEST_CASE("a grid with a corner or an edge at a pole covers only its own longitudes") {
  check(grid_footprint(box("north", 0, -10, 10, 0), &kSystems), {{45, 85}, {1, 85}, {89, 85}, {45, 89.9}},
        {{-1, 85}, {91, 85}, {-135, 89.9}, {45, 70}});
  check(grid_footprint(box("north", -10, -10, 10, 0), &kSystems), {{0, 85}, {-89, 85}, {89, 85}, {0, 89.9}},
        {{91, 85}, {-91, 85}, {180, 89}});
  check(grid_footprint(box("north", -10, 0, 10, 10), &kSystems), {{179, 85}, {-179, 85}, {91, 85}, {-91, 89.9}},
        {{89, 85}, {-89, 85}, {0, 89}});
  check(grid_footprint(box("south", 0, 0, 10, 10), &kSystems), {{45, -85}, {1, -85}, {89, -85}, {45, -89.9}},
        {{-1, -85}, {91, -85}, {-135, -89.9}});
  check(grid_footprint(box("south", -10, -10, 10, 0), &kSystems), {{179, -85}, {-179, -85}, {91, -89.9}},
        {{89, -85}, {-89, -85}});
}

TEST_CASE("curved edges get as many vertices as needed, and straight ones none") {
  CHECK(num_corners(grid_footprint(box("east", -40, 0, -30, 10), &kSystems)) == 4);
  const std::string wkb = grid_footprint(box("bent", -10, 0, 10, 5), &kSystems);
  CHECK(num_corners(wkb) > 8);
  CHECK(num_corners(wkb) < 40);
  check(wkb, {{0, .05}, {0, 4.95}, {9, .9}, {9, 5.7}}, {{0, -.05}, {0, 5.05}, {9, .7}, {9, 5.9}});
}

TEST_CASE("a grid of a UTM zone needs no transformer") {
  const std::string wkb = grid_footprint({"EPSG:32725", {288776.25, 28.5, 0, 9120760.75, 0, -28.5}, 64, 64}, nullptr);
  // Corners by pyproj 3.7, and what lies just outside of the edges.
  check(wkb, {{-34.9161, -7.9499}, {-34.8998, -7.9663}, {-34.908, -7.958}}, {{-34.9163, -7.9499}, {-34.908, -7.9496}});
}

TEST_CASE("grids without area and with an unknown CRS are refused") {
  CHECK_THROWS_WITH_AS(grid_footprint({"EPSG:4326", {0, 1, 0, 0, 0, 0}, 10, 10}, nullptr), doctest::Contains("no area"),
                       SchemaError);
  CHECK_THROWS_WITH_AS(grid_footprint({"EPSG:4326", {0, 1, 0, 0, 0, -1}, 0, 10}, nullptr),
                       doctest::Contains("0 x 10 pixels"), SchemaError);
  CHECK_THROWS_WITH_AS(grid_footprint({"EPSG:4326", {0, std::nan(""), 0, 0, 0, -1}, 10, 10}, nullptr),
                       doctest::Contains("no area"), SchemaError);
  CHECK_THROWS_WITH_AS(grid_footprint(box("EPSG:3035", 0, 0, 1, 1), nullptr), doctest::Contains("CrsTransformer"),
                       SchemaError);
}
