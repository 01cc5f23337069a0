#include "base/longitude.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace tacore;

TEST_CASE("longitudes wrap to [-180, 180) without rounding") {
  struct Case {
    double in, out;
  };
  for (const auto& c :
       {Case{0, 0}, Case{-180, -180}, Case{180, -180}, Case{179.9, 179.9}, Case{190, -170}, Case{360, 0},
        Case{-190, 170}, Case{540, -180}, Case{359.7, 359.7 - 360}, Case{3 * 360 + 12.5, 12.5}}) {
    CAPTURE(c.in);
    CHECK(wrap_longitude(c.in) == c.out);
  }
  CHECK(std::isnan(wrap_longitude(std::numeric_limits<double>::infinity())));
  CHECK(std::isnan(wrap_longitude(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("an arc is split where it crosses the antimeridian, and only there") {
  struct Case {
    std::string name;
    double minx, maxx, first0, last0;
    bool split;
    double last1;
  };
  for (const auto& c :
       {Case{"plain", -10, 20, -10, 20, false, 0}, Case{"globe", -180, 180, -180, 180, false, 0},
        Case{"more than the globe", -300, 300, -180, 180, false, 0}, Case{"crossing", 170, -170, 170, 180, true, -170},
        Case{"crossing, counted on", 170, 190, 170, 180, true, -170},
        Case{"ends on it", 170, 180, 170, 180, true, -180}, Case{"from 0 to 360", 200, 210, -160, -150, false, 0},
        Case{"over Greenwich", 350, 10, -10, 10, false, 0}, Case{"one meridian", 5, 5, 5, 5, false, 0}}) {
    CAPTURE(c.name);
    const auto arcs = longitude_arcs(c.minx, c.maxx);
    CHECK(arcs[0].first == c.first0);
    CHECK(arcs[0].last == c.last0);
    CHECK((arcs[1].first <= arcs[1].last) == c.split);
    if (!c.split) continue;
    CHECK(arcs[1].first == -180);
    CHECK(arcs[1].last == c.last1);
  }
}
