#include "tacore/bbox.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <string>

using namespace tacore;

TEST_CASE("a box is valid when it is finite and its south is not above its north") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  CHECK(BBox{}.valid());
  CHECK(BBox{170, -10, -170, 10}.valid());
  CHECK(BBox{1, 1, 1, 1}.valid());
  CHECK_FALSE(BBox{0, 10, 1, 9}.valid());
  CHECK_FALSE(BBox{kNan, 0, 1, 1}.valid());
  CHECK_FALSE(BBox{0, kNan, 1, 1}.valid());
  CHECK_FALSE(BBox{0, 0, kInf, 1}.valid());
  CHECK_FALSE(BBox{0, -kInf, 1, 1}.valid());
}

TEST_CASE("an invalid box intersects nothing") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const BBox world;
  CHECK_FALSE(BBox{0, 10, 1, 9}.intersects(world));
  for (const double bad : {kNan, kInf, -kInf}) {
    for (const BBox& box : {BBox{bad, 0, 1, 1}, BBox{0, bad, 1, 1}, BBox{0, 0, bad, 1}, BBox{0, 0, 1, bad}}) {
      CAPTURE(bad);
      CHECK_FALSE(box.intersects(world));
      CHECK_FALSE(world.intersects(box));
    }
  }
}

TEST_CASE("boxes intersect when they share a point, edges included") {
  struct Case {
    std::string name;
    BBox a, b;
    bool wanted;
  };
  const Case cases[] = {
      {"overlap", {0, 0, 10, 10}, {5, 5, 15, 15}, true},
      {"within", {0, 0, 10, 10}, {2, 2, 3, 3}, true},
      {"edge", {0, 0, 10, 10}, {10, 0, 20, 10}, true},
      {"corner", {0, 0, 10, 10}, {10, 10, 20, 20}, true},
      {"beside", {0, 0, 10, 10}, {10.1, 0, 20, 10}, false},
      {"above", {0, 0, 10, 10}, {0, 10.1, 10, 20}, false},
      {"crossing meets east", {170, 0, -170, 10}, {175, 0, 178, 1}, true},
      {"crossing meets west", {170, 0, -170, 10}, {-175, 0, -172, 1}, true},
      {"crossing misses the middle", {170, 0, -170, 10}, {-160, 0, 160, 10}, false},
      {"crossing meets crossing", {170, 0, -170, 10}, {179, 5, -179, 6}, true},
      {"touch on the antimeridian", {170, 0, 180, 10}, {-180, 0, -170, 10}, true},
      {"0 to 360 and -180 to 180", {350, 0, 355, 10}, {-8, 0, -6, 10}, true},
      {"NaN meets nothing", {0, std::numeric_limits<double>::quiet_NaN(), 1, 1}, {}, false},
      {"globe meets all", {}, {12, 12, 13, 13}, true},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(c.a.intersects(c.b) == c.wanted);
    CHECK(c.b.intersects(c.a) == c.wanted);
  }
}

TEST_CASE("moving either box by whole turns of longitude does not change whether they intersect") {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> lon(-180, 180), lat(-90, 90), turn(-2, 2);
  for (int i = 0; i < 2000; ++i) {
    const auto box = [&] {
      const int y0 = lat(random), y1 = lat(random);
      return BBox{double(lon(random)), double(std::min(y0, y1)), double(lon(random)), double(std::max(y0, y1))};
    };
    const BBox a = box();
    const BBox b = box();
    const int shift = 360 * turn(random);
    const BBox moved{b.minx + shift, b.miny, b.maxx + shift, b.maxy};
    CHECK(a.intersects(b) == a.intersects(moved));
    CHECK(a.intersects(b) == b.intersects(a));
    CHECK(a.intersects(a));
  }
}
