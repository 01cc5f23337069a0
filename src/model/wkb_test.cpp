#include "model/wkb.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/support.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

using Bytes = std::vector<std::byte>;
using Ring = std::vector<std::pair<double, double>>;

/// Writes WKB, in either byte order.
struct Wkb {
  bool big = false;
  Bytes bytes = {};

  template <class T>
  Wkb& raw(T value) {
    std::byte buffer[sizeof value];
    std::memcpy(buffer, &value, sizeof value);
    if (big) std::reverse(std::begin(buffer), std::end(buffer));
    bytes.insert(bytes.end(), std::begin(buffer), std::end(buffer));
    return *this;
  }
  Wkb& u32(uint32_t value) { return raw(value); }
  Wkb& head(uint32_t type) {
    bytes.push_back(std::byte{static_cast<unsigned char>(big ? 0 : 1)});
    return u32(type);
  }
  Wkb& f64(std::initializer_list<double> values) {
    for (const double value : values) raw(value);
    return *this;
  }
  Wkb& ring(const Ring& points) {
    u32(static_cast<uint32_t>(points.size()));
    for (const auto& [x, y] : points) f64({x, y});
    return *this;
  }
  Wkb& add(const Bytes& other) {
    bytes.insert(bytes.end(), other.begin(), other.end());
    return *this;
  }
};

Bytes point(double x, double y) { return Wkb{}.head(1).f64({x, y}).bytes; }
Bytes line(const Ring& points) { return Wkb{}.head(2).ring(points).bytes; }
Bytes polygon(const std::vector<Ring>& rings) {
  Wkb out;
  out.head(3).u32(static_cast<uint32_t>(rings.size()));
  for (const auto& ring : rings) out.ring(ring);
  return out.bytes;
}
Bytes collection(uint32_t type, const std::vector<Bytes>& members) {
  Wkb out;
  out.head(type).u32(static_cast<uint32_t>(members.size()));
  for (const auto& member : members) out.add(member);
  return out.bytes;
}
Ring square(double x0, double y0, double x1, double y1) { return {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0}}; }

bool meets(const BBox& box, const Bytes& wkb) { return BoxTest(box).meets_wkb(wkb); }

std::string error_of(const Bytes& wkb) {
  try {
    BoxTest(BBox{}).meets_wkb(wkb);
  } catch (const FormatError& error) {
    CHECK_THROWS_AS(wkb_envelope(wkb), FormatError);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("points intersect a box on its edges and inside, modulo 360 degrees") {
  struct Case {
    std::string name;
    BBox box;
    double lon, lat;
    bool wanted;
  };
  const BBox box{0, 0, 10, 10};
  const BBox crossing{170, -10, -170, 10};
  const Case cases[] = {
      {"inside", box, 5, 5, true},
      {"corner", box, 0, 0, true},
      {"other corner", box, 10, 10, true},
      {"left", box, -0.1, 5, false},
      {"right", box, 10.1, 5, false},
      {"below", box, 5, -0.1, false},
      {"above", box, 5, 10.1, false},
      {"a turn on", box, 365, 5, true},
      {"a turn back", box, -355, 5, true},
      {"many turns on", box, 360'005, 5, true},
      {"NaN lon", box, kNan, 5, false},
      {"NaN lat", box, 5, kNan, false},
      {"infinite lon", box, kInf, 5, false},
      {"infinite lat", box, 5, -kInf, false},
      {"crossing, east", crossing, 175, 0, true},
      {"crossing, west", crossing, -175, 0, true},
      {"crossing, on it", crossing, 180, 0, true},
      {"crossing, on it from the west", crossing, -180, 0, true},
      {"crossing, 0 to 360", crossing, 185, 0, true},
      {"crossing, edges", crossing, -170, 10, true},
      {"crossing, not between", crossing, 0, 0, false},
      {"box to 180, data at -180", {170, 0, 180, 10}, -180, 5, true},
      {"box from -180, data at 180", {-180, 0, -170, 10}, 180, 5, true},
      {"box in 0 to 360", {200, 0, 210, 10}, -155, 5, true},
      {"globe", {-180, -90, 180, 90}, 180, 90, true},
      {"globe in 0 to 360", {0, -90, 360, 90}, -77, 0, true},
      {"no width", {7, 0, 7, 10}, 7, 3, true},
      {"exact at 359.7", {359.7, 0, 359.7, 10}, 359.7, 3, true},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const BoxTest test(c.box);
    CHECK(test.meets_point(c.lon, c.lat) == c.wanted);
    CHECK(test.meets_wkb(point(c.lon, c.lat)) == c.wanted);
    CHECK(test.meets_wkb(Wkb{.big = true}.head(1).f64({c.lon, c.lat}).bytes) == c.wanted);
    CHECK(test.meets_wkb(Wkb{}.head(1001).f64({c.lon, c.lat, 5}).bytes) == c.wanted);
  }
}

TEST_CASE("an invalid box is a query error") {
  for (const BBox& box : {BBox{kNan, 0, 1, 1}, BBox{0, 0, kInf, 1}, BBox{0, 2, 1, 1}}) {
    CHECK_THROWS_WITH_AS(BoxTest{box}, doctest::Contains("expected four finite numbers"), QueryError);
  }
}

TEST_CASE("all variants of WKB (ISO, EWKB, both byte orders) give the same answers") {
  const BBox in{1, 2, 1, 2};
  const BBox out{2, 1, 2, 1};
  for (const bool big : {false, true}) {
    const std::vector<std::pair<std::string, Bytes>> flavours = {
        {"plain", Wkb{big}.head(1).f64({1, 2}).bytes},
        {"ISO Z", Wkb{big}.head(1001).f64({1, 2, 9}).bytes},
        {"ISO M", Wkb{big}.head(2001).f64({1, 2, 9}).bytes},
        {"ISO ZM", Wkb{big}.head(3001).f64({1, 2, 9, 9}).bytes},
        {"EWKB Z", Wkb{big}.head(0x8000'0001).f64({1, 2, 9}).bytes},
        {"EWKB M", Wkb{big}.head(0x4000'0001).f64({1, 2, 9}).bytes},
        {"EWKB ZM", Wkb{big}.head(0xc000'0001).f64({1, 2, 9, 9}).bytes},
        {"EWKB SRID", Wkb{big}.head(0x2000'0001).u32(4326).f64({1, 2}).bytes},
        {"EWKB SRID ZM", Wkb{big}.head(0xe000'0001).u32(4326).f64({1, 2, 9, 9}).bytes},
        {"line Z", Wkb{big}.head(1002).u32(2).f64({1, 2, 9, 1, 2, 9}).bytes},
        {"polygon", Wkb{big}.head(3).u32(1).ring({{1, 2}, {1, 2}, {1, 2}, {1, 2}}).bytes},
        {"mixed orders", Wkb{big}.head(4).u32(1).add(Wkb{!big}.head(1).f64({1, 2}).bytes).bytes},
    };
    for (const auto& [name, wkb] : flavours) {
      CAPTURE(name);
      CAPTURE(big);
      CHECK(meets(in, wkb));
      CHECK_FALSE(meets(out, wkb));
      CHECK(wkb_envelope(wkb) == in);
    }
  }
}

TEST_CASE("lines and polygons are tested against a box exactly, not by their envelopes") {
  struct Case {
    std::string name;
    Bytes wkb;
    bool wanted;
  };
  const BBox box{0, 0, 10, 10};
  const Ring around = square(-20, -20, 30, 30);
  const Case cases[] = {
      {"line inside", line({{1, 1}, {2, 2}}), true},
      {"line through", line({{-5, 5}, {15, 6}}), true},
      {"line over a corner region", line({{-3, 8}, {3, 14}}), false},
      {"line cutting a corner", line({{-3, 5}, {3, 12}}), true},
      {"line touching a corner", line({{-2, 8}, {2, 12}}), true},
      {"line touching an edge", line({{10, 5}, {20, 5}}), true},
      {"line along an edge", line({{-5, 10}, {15, 10}}), true},
      {"line beside, envelope over", line({{-5, 20}, {20, 20}, {20, -5}}), false},
      {"second segment hits", line({{20, 20}, {20, 5}, {5, 5}}), true},
      {"line of one position", line({{5, 5}}), true},
      {"line of one position outside", line({{15, 5}}), false},
      {"polygon inside", polygon({square(2, 2, 3, 3)}), true},
      {"polygon around", polygon({around}), true},
      {"polygon around, other way", polygon({{around.rbegin(), around.rend()}}), true},
      {"polygon around, not closed", polygon({{around.begin(), around.end() - 1}}), true},
      {"polygon with the box in its hole", polygon({around, square(-10, -10, 20, 20)}), false},
      {"hole inside the box", polygon({around, square(2, 2, 3, 3)}), true},
      {"hole touching the box", polygon({around, square(-10, -10, 20, 10)}), true},
      {"island in the hole", polygon({around, square(-10, -10, 20, 20), square(-5, -5, 15, 15)}), true},
      {"polygon beside", polygon({square(11, 0, 12, 10)}), false},
      {"polygon sharing an edge", polygon({square(10, 0, 12, 10)}), true},
      {"polygon sharing a corner", polygon({square(10, 10, 12, 12)}), true},
      {"L around a corner", polygon({{{-5, 11}, {11, 11}, {11, -5}, {20, -5}, {20, 20}, {-5, 20}, {-5, 11}}}), false},
      {"diagonal only over the corner", polygon({{{9, 13}, {13, 9}, {20, 20}, {9, 13}}}), false},
      {"multipoint, one in", collection(4, {point(50, 50), point(5, 5)}), true},
      {"multipoint, none in", collection(4, {point(-1, 5), point(11, 5)}), false},
      {"multiline", collection(5, {line({{20, 20}, {30, 30}}), line({{-1, 5}, {11, 5}})}), true},
      {"multipolygon on both sides", collection(6, {polygon({square(-5, 0, -1, 9)}), polygon({square(11, 0, 12, 9)})}),
       false},
      {"collection of collections", collection(7, {collection(7, {point(9, 9)})}), true},
      {"empty line", line({}), false},
      {"empty polygon", polygon({}), false},
      {"polygon of an empty ring", polygon({{}}), false},
      {"empty collection", collection(7, {}), false},
      {"empty point", point(kNan, kNan), false},
      {"collection of an empty point", collection(7, {point(kNan, kNan)}), false},
      {"NaN in a line is passed over", line({{kNan, kNan}, {5, 5}, {6, 6}}), true},
      {"infinity in a line is passed over", line({{-kInf, 5}, {kInf, 5}}), false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(meets(box, c.wkb) == c.wanted);
    CHECK(meets({350, 0, 370, 10}, c.wkb) == meets({-10, 0, 10, 10}, c.wkb));
  }
}

TEST_CASE("lines and polygons intersect a box across the antimeridian") {
  const BBox crossing{170, -10, -170, 10};
  CHECK(meets(crossing, polygon({square(175, -5, 178, 5)})));
  CHECK(meets(crossing, polygon({square(-178, -5, -175, 5)})));
  CHECK(meets(crossing, polygon({square(175, -5, 185, 5)})));    // written as 0 to 360
  CHECK(meets(crossing, polygon({square(-190, -5, -185, 5)})));  // or going on below -180
  CHECK(meets(crossing, line({{181, -50}, {181, 50}})));
  CHECK(meets(crossing, polygon({square(160, -20, 200, 20)})));  // around the whole box
  CHECK_FALSE(meets(crossing, polygon({square(-160, -5, 160, 5)})));
  CHECK_FALSE(meets(crossing, line({{0, -50}, {0, 50}})));
  // An edge is the straight line between its longitudes: this one goes over Greenwich.
  CHECK(meets({-10, -10, 10, 10}, line({{179, 0}, {-179, 0}})));
  CHECK(meets({-10, -10, 10, 10}, polygon({square(350, 1, 355, 2)})));
  CHECK(meets({0, -90, 360, 90}, polygon({square(-77, -12, -76, -11)})));
}

TEST_CASE("invalid WKB is a FormatError") {
  struct Case {
    std::string name;
    Bytes wkb;
    const char* expected;
  };
  const auto cut = [](Bytes wkb, std::size_t by) {
    wkb.resize(wkb.size() - by);
    return wkb;
  };
  Bytes nested = point(0, 0);
  for (int i = 0; i < 16; ++i) nested = collection(7, {nested});
  const Case cases[] = {
      {"nothing", {}, "WKB is truncated"},
      {"byte order", Bytes(21, std::byte{2}), "has byte order 2, expected 0 or 1"},
      {"text", Bytes(21, std::byte{'P'}), "has byte order 80"},
      {"only an order", {std::byte{1}}, "WKB is truncated"},
      {"type 0", Wkb{}.head(0).f64({1, 2}).bytes, "has geometry type 0"},
      {"type 8, a curve", Wkb{}.head(8).u32(0).bytes, "has geometry type 8"},
      {"type 4001", Wkb{}.head(4001).f64({1, 2}).bytes, "has geometry type 4001"},
      {"unknown flag", Wkb{}.head(0x1000'0001).f64({1, 2}).bytes, "has geometry type"},
      {"point cut short", cut(point(1, 2), 1), "WKB is truncated: needs 16"},
      {"point without bytes", cut(point(1, 2), 16), "WKB is truncated"},
      {"point Z without Z", Wkb{}.head(1001).f64({1, 2}).bytes, "WKB is truncated: needs 24"},
      {"no SRID", Wkb{}.head(0x2000'0001).bytes, "WKB is truncated: needs 4"},
      {"line cut short", cut(line({{1, 2}, {3, 4}}), 1), "WKB is truncated: needs 32"},
      {"line count", Wkb{}.head(2).u32(0xffff'ffff).f64({1, 2}).bytes, "WKB is truncated"},
      {"ring count", Wkb{}.head(3).u32(0xffff'ffff).bytes, "WKB is truncated"},
      {"member count", Wkb{}.head(7).u32(0xffff'ffff).bytes, "WKB is truncated"},
      {"second ring cut short", cut(polygon({square(0, 0, 1, 1), square(0, 0, 1, 1)}), 8), "WKB is truncated"},
      {"cut short after a hit", cut(collection(4, {point(0, 0), point(1, 1)}), 3), "WKB is truncated"},
      {"a line in a multipoint", collection(4, {line({{0, 0}})}), "member of type 2, expected 1"},
      {"a collection in a multiline", collection(5, {collection(7, {})}), "member of type 7"},
      {"too deep", nested, "is nested deeper than 16"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const auto error = error_of(c.wkb);
    CAPTURE(error);
    CHECK(has_text(error, c.expected));
    CHECK(has_text(error, "(byte "));
  }
}

TEST_CASE("bytes after the geometry are ignored, and 16 levels are allowed") {
  CHECK(meets({}, Wkb{}.add(point(1, 2)).u32(0).bytes));
  Bytes nested = point(0, 0);
  for (int i = 0; i < 15; ++i) nested = collection(7, {nested});
  CHECK(meets({}, nested));
}

TEST_CASE("the envelope contains all finite positions") {
  CHECK(wkb_envelope(point(3, 4)) == BBox{3, 4, 3, 4});
  CHECK(wkb_envelope(line({{3, 4}, {-1, 9}})) == BBox{-1, 4, 3, 9});
  CHECK(wkb_envelope(polygon({square(170, 0, 190, 5)})) == BBox{170, 0, 190, 5});
  CHECK(wkb_envelope(collection(7, {point(1, 1), line({{5, 0}, {6, 7}})})) == BBox{1, 0, 6, 7});
  CHECK_FALSE(wkb_envelope(point(kNan, kNan)));
  CHECK_FALSE(wkb_envelope(point(kInf, 0)));
  CHECK_FALSE(wkb_envelope(polygon({})));
  CHECK_FALSE(wkb_envelope(collection(7, {})));
}

TEST_CASE("WKT points are parsed, and other text gives nothing") {
  const BoxTest test(BBox{0, 0, 10, 10});
  for (const std::string wkt :
       {"POINT (5 5)", "POINT(5 5)", " point ( +5.0  5e0 ) ", "Point Z (5 5 9)", "POINTZ(5 5 9)", "POINT M (5 5 9)",
        "POINT ZM (5 5 9 9)", "POINT(5 5 9)", "SRID=4326;POINT(5 5)", "srid = 4326 ; POINT ZM(365 5 1 1)"}) {
    CAPTURE(wkt);
    CHECK(test.meets_wkt(wkt) == true);
  }
  for (const std::string wkt :
       {"POINT (50 5)", "POINT EMPTY", "point z empty", "SRID=4326;POINT EMPTY", "POINT (nan nan)", "POINT (-0.1 5)"}) {
    CAPTURE(wkt);
    CHECK(test.meets_wkt(wkt) == false);
  }
  for (const std::string wkt : {"",
                                "POINT",
                                "POINT (",
                                "POINT ()",
                                "POINT (5)",
                                "POINT (5 5",
                                "POINT (5 5) x",
                                "POINT (5, 5)",
                                "POINT (5 5 5 5 5)",
                                "POINT Z (5 5)",
                                "POINT ZM (5 5 5)",
                                "POINTS (5 5)",
                                "LINESTRING (0 0, 5 5)",
                                "MULTIPOINT (5 5)",
                                "SRID=;POINT(5 5)",
                                "SRID=4326 POINT(5 5)",
                                "POINT (a b)",
                                "POINT (1e999 5)",
                                "POINT (5-5)",
                                "EMPTY",
                                "(5 5)"}) {
    CAPTURE(wkt);
    CHECK_FALSE(test.meets_wkt(wkt));
  }
}

namespace {

/// A star around a centre: simple, seldom convex.
Ring star(std::mt19937& random, double cx, double cy, double radius) {
  std::uniform_real_distribution<double> part(0.2, 1);
  const int corners = 3 + static_cast<int>(random() % 9);
  Ring out;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * 3.14159265358979 * i / corners;
    const double r = radius * part(random);
    out.emplace_back(cx + r * std::cos(angle), cy + r * std::sin(angle));
  }
  out.push_back(out.front());
  return out;
}

/// Even-odd over all rings, by another formula than the one under test.
bool inside(const std::vector<Ring>& rings, double x, double y) {
  bool out = false;
  for (const auto& ring : rings) {
    for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
      const auto [ax, ay] = ring[i];
      const auto [bx, by] = ring[i + 1];
      if ((ay > y) != (by > y) && x < ax + (bx - ax) * (y - ay) / (by - ay)) out = !out;
    }
  }
  return out;
}

/// Does a grid of positions in the box, or one along the edges of the polygon, find a common one?
bool sampled(const std::vector<Ring>& rings, const BBox& box) {
  constexpr int kSteps = 24;
  for (int i = 0; i <= kSteps; ++i) {
    for (int j = 0; j <= kSteps; ++j) {
      const double x = box.minx + (box.maxx - box.minx) * i / kSteps;
      const double y = box.miny + (box.maxy - box.miny) * j / kSteps;
      if (inside(rings, x, y)) return true;
    }
  }
  for (const auto& ring : rings) {
    for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
      for (int j = 0; j <= kSteps; ++j) {
        const double x = ring[i].first + (ring[i + 1].first - ring[i].first) * j / kSteps;
        const double y = ring[i].second + (ring[i + 1].second - ring[i].second) * j / kSteps;
        if (x >= box.minx && x <= box.maxx && y >= box.miny && y <= box.maxy) return true;
      }
    }
  }
  return false;
}

BBox random_box(std::mt19937& random, double reach) {
  std::uniform_real_distribution<double> at(-reach, reach), size(0.5, reach);
  const double x = at(random), y = at(random);
  return {x, y, x + size(random), y + size(random)};
}

}  // namespace

TEST_CASE("intersections of random polygons equal those found by sampling") {
  std::mt19937 random(42);
  int yes = 0, narrow = 0;
  for (int i = 0; i < 1500; ++i) {
    std::vector<Ring> rings = {star(random, 0, 0, 20)};
    if (i % 2 == 0) rings.push_back(star(random, 0, 0, 3.9));  // within the smallest star
    const BBox box = random_box(random, 15);
    const bool answer = meets(box, polygon(rings));
    const bool sample = sampled(rings, box);
    // Sampling may miss a sliver, but never finds a false one.
    if (sample) REQUIRE(answer);
    yes += answer;
    narrow += answer && !sample;
  }
  CHECK(yes > 300);
  CHECK(yes < 1400);
  CHECK(narrow < 30);
}

TEST_CASE("moving the box or the geometry by whole turns of longitude does not change the answer") {
  std::mt19937 random(9);
  std::uniform_int_distribution<int> lon(-180, 179), lat(-80, 80), size(0, 60);
  for (int i = 0; i < 3000; ++i) {
    const int x = lon(random), y = lat(random), w = size(random), h = size(random) / 6;
    const BBox box{double(lon(random)), -30, double(lon(random)), 30};
    const int turn = 360 * (static_cast<int>(random() % 5) - 2);
    const BBox moved{box.minx + turn, box.miny, box.maxx + turn, box.maxy};
    CAPTURE(box.minx);
    CAPTURE(box.maxx);
    CAPTURE(x);
    const auto shape = [&](int shift) {
      const double x0 = x + shift;
      return i % 2 ? polygon({square(x0, y, x0 + w, y + h)}) : line({{x0, y}, {x0 + w, y + h}});
    };
    const bool wanted = meets(box, shape(0));
    const BBox bounds{double(x), double(y), double(x + w), double(y + h)};
    if (i % 2) CHECK(wanted == box.intersects(bounds));
    CHECK(meets(box, shape(turn)) == wanted);
    CHECK(meets(box, point(x + turn, y)) == meets(box, point(x, y)));
    // The same width, written with a longitude beyond 180.
    if (box.minx <= box.maxx) CHECK(meets(moved, shape(0)) == wanted);
  }
}

TEST_CASE("a polygon intersects every box that one of its vertices intersects, and so does its collection") {
  std::mt19937 random(17);
  for (int i = 0; i < 1000; ++i) {
    const Ring ring = star(random, 170, 0, 25);
    const BBox box = {165, -5, -175, 5};
    const bool whole = meets(box, polygon({ring}));
    for (const auto& [x, y] : ring) {
      if (meets(box, point(x, y))) CHECK(whole);
    }
    CHECK(meets(box, collection(7, {polygon({ring})})) == whole);
    CHECK(meets(box, collection(6, {polygon({ring})})) == whole);
  }
}

TEST_CASE("any mutation of WKB is parsed or a FormatError") {
  std::mt19937 random(23);
  const std::vector<Bytes> seeds = {point(1, 2), line({{1, 2}, {3, 4}}),
                                    polygon({square(0, 0, 5, 5), square(1, 1, 2, 2)}),
                                    collection(7, {collection(4, {point(1, 1)}), polygon({square(0, 0, 1, 1)})}),
                                    Wkb{true}.head(3003).u32(1).u32(1).f64({1, 2, 3, 4}).bytes};
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes wkb = seeds[static_cast<std::size_t>(i) % seeds.size()];
    for (int changes = 1 + i % 3; changes > 0; --changes) {
      wkb[random() % wkb.size()] = static_cast<std::byte>(random() % 3 ? random() % 8 : random());
    }
    if (random() % 4 == 0) wkb.resize(random() % wkb.size());
    try {
      BoxTest(BBox{170, -10, -170, 10}).meets_wkb(wkb);
      wkb_envelope(wkb);
    } catch (const FormatError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("geometries of huge coordinates are tested in bounded time") {
  CHECK_FALSE(meets({0, 0, 1, 1}, line({{-1e300, 50}, {1e300, 51}})));
  CHECK_NOTHROW(meets({0, 0, 1, 1}, polygon({square(-1e308, -1e308, 1e308, 1e308)})));
  CHECK_NOTHROW(meets({170, 0, -170, 1}, collection(4, {point(1e300, 0), point(-1e300, 1)})));
}
