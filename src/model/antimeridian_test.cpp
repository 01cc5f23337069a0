#include "model/antimeridian.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <span>

#include "model/wkb.hpp"

using namespace tacore;

namespace {

bool meets(const std::string& wkb, double lon, double lat) {
  const BBox point{lon, lat, lon, lat};
  return BoxTest(point).meets_wkb(std::as_bytes(std::span(wkb)));
}

BBox envelope(const std::string& wkb) { return *wkb_envelope(std::as_bytes(std::span(wkb))); }

}  // namespace

TEST_CASE("a ring that stays within 180 degrees is one polygon, counter-clockwise") {
  const std::vector<Centroid> clockwise = {{1, 1}, {1, 3}, {4, 3}, {4, 1}};
  const std::vector<Centroid> turned(clockwise.rbegin(), clockwise.rend());
  CHECK(wkb_within_180(clockwise) == wkb_polygon(turned));
  CHECK(wkb_within_180(turned) == wkb_polygon(turned));
}

TEST_CASE("a ring beyond 180 degrees is split there, in either direction") {
  for (const double turn : {0., -360.}) {
    CAPTURE(turn);
    const std::string wkb = wkb_within_180({{175 + turn, 0}, {190 + turn, 0}, {190 + turn, 10}, {175 + turn, 10}});
    CHECK(envelope(wkb).minx == -180);
    CHECK(envelope(wkb).maxx == 180);
    CHECK(meets(wkb, 176, 5));
    CHECK(meets(wkb, -171, 5));
    CHECK_FALSE(meets(wkb, -169, 5));
    CHECK_FALSE(meets(wkb, 0, 5));
  }
}

TEST_CASE("a ring that touches 180 degrees is not split, and one beyond it is shifted back") {
  CHECK(static_cast<uint8_t>(wkb_within_180({{170, 0}, {180, 0}, {180, 1}, {170, 1}})[1]) == 3);
  const std::string moved = wkb_within_180({{190, 0}, {200, 0}, {200, 1}, {190, 1}});
  CHECK(static_cast<uint8_t>(moved[1]) == 3);
  CHECK(envelope(moved).minx == -170);
  CHECK(envelope(moved).maxx == -160);
}

TEST_CASE("a slanted edge is split at its crossing of 180 degrees") {
  const std::string wkb = wkb_within_180({{170, 0}, {190, 20}, {170, 20}});
  CHECK(meets(wkb, 179.9, 15));
  CHECK(meets(wkb, -179.9, 15));
  CHECK_FALSE(meets(wkb, -179.9, 9));
}

TEST_CASE("a ring without area or with invalid longitudes is returned unsplit") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double x : {1e9, kInfinity, -kInfinity, std::nan("")}) {
    CAPTURE(x);
    CHECK(static_cast<uint8_t>(wkb_within_180({{0, 0}, {x, 0}, {0, 1}})[1]) == 3);
  }
  CHECK(wkb_within_180({{0, 0}, {200, 0}}).size() == wkb_polygon(std::vector<Centroid>{{0, 0}, {200, 0}}).size());
}
