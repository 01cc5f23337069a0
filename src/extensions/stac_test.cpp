#include "tacore/extensions/stac.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "base/text.hpp"
#include "model/wkb_centroid.hpp"
#include "support/sample_data.hpp"
#include "tacore/error.hpp"

using namespace tacore;
using namespace tacore::extensions;

namespace {

/// Two systems: `metres`, in which a degree is 1000, and `degrees`.
class FixedCrs : public CrsTransformer {
 public:
  bool is_geographic(const std::string& crs) const override {
    if (crs != "metres" && crs != "degrees") throw SchemaError("CRS " + in_quotes(crs) + " is not known");
    return crs == "degrees";
  }
  LonLat to_wgs84(const std::string& crs, double x, double y) const override {
    return is_geographic(crs) ? LonLat{x, y} : LonLat{x / 1000, y / 1000};
  }
};
const FixedCrs kMadeUp;

StacOptions good_stac() {
  return {.sample_id = "s1",
          .crs = "EPSG:4326",
          .tensor_shape = {3, 100, 200},
          .geotransform = {10, 0.01, 0, 50, 0, -0.01},
          .time_start = {1'000'000}};
}

Binary polygon(const std::vector<Centroid>& corners) { return {wkb_polygon(corners)}; }

IstacOptions good_istac() {
  return {.sample_id = "s1",
          .crs = "EPSG:4326",
          .geometry = polygon({{0, 0}, {10, 0}, {10, 4}, {0, 4}}),
          .time_start = {1'000'000}};
}

Centroid centroid_of(const Value& value) {
  return point_of_wkb(std::as_bytes(std::span(value.get<Binary>()->bytes))).value();
}

template <class Extension, class Options>
void check_refused(const Options& options, const char* text) {
  CHECK_THROWS_WITH_AS(Extension{options}, doctest::Contains(text), SchemaError);
  CHECK_THROWS_WITH_AS(Extension{options}, doctest::Contains("[s1] "), SchemaError);
}

}  // namespace

TEST_CASE("STAC has its columns in order, with a value for each") {
  const STAC stac(good_stac());
  CHECK(names_and_types(stac.schema()) ==
        std::vector<std::string>{"stac:crs string", "stac:tensor_shape list<item: int64>",
                                 "stac:geotransform list<item: double>", "stac:time_start timestamp[us]",
                                 "stac:centroid binary", "stac:time_end timestamp[us]",
                                 "stac:time_middle timestamp[us]"});
  REQUIRE(stac.values().size() == 7);
  CHECK(stac.values()[0] == Value("EPSG:4326"));
  CHECK(stac.values()[1] == Value(Value::List{3, 100, 200}));
  CHECK(stac.values()[2] == Value(Value::List{10., 0.01, 0., 50., 0., -0.01}));
  CHECK(stac.values()[3] == Value(Timestamp{1'000'000}));
  CHECK(stac.values()[5].is_null());
  CHECK(stac.values()[6].is_null());
}

TEST_CASE("the centroid is the centre of the grid, as 21 bytes of WKB") {
  auto in = good_stac();
  in.tensor_shape = {100, 200};
  in.geotransform = {9, 0.01, 0, 5.5, 0, -0.01};
  const STAC stac(in);
  CHECK(*stac.values()[4].get<Binary>() == Binary{wkb_point(10, 5)});
}

TEST_CASE("a start after the end is refused, and the middle is rounded down and needs an end") {
  auto in = good_stac();
  in.time_end = Timestamp{999'999};
  check_refused<STAC>(in, "time_start (1970-01-01T00:00:01Z) > time_end (1970-01-01T00:00:00.999999Z)");
  struct Case {
    int64_t start, end, middle;
  };
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const Case& c :
       {Case{10, 13, 11}, {-4, -1, -3}, {-1, 0, -1}, {5, 5, 5}, {kMost - 3, kMost, kMost - 2}, {-kMost, kMost, 0}}) {
    CAPTURE(c.start);
    in.time_start = {c.start};
    in.time_end = Timestamp{c.end};
    CHECK(STAC(in).values()[6] == Value(Timestamp{c.middle}));
  }
  in.time_middle = Timestamp{77};
  CHECK(STAC(in).values()[6] == Value(Timestamp{77}));
}

TEST_CASE("a given centroid is kept byte by byte") {
  auto in = good_stac();
  in.centroid = Binary{wkb_point(1, 2)};
  CHECK(*STAC(in).values()[4].get<Binary>() == *in.centroid);
}

TEST_CASE("a shape without rows and columns and an unknown CRS are refused, always") {
  auto in = good_stac();
  in.tensor_shape = {5};
  check_refused<STAC>(in, "tensor_shape must have >= 2 dimensions");
  in.tensor_shape = {0, 5};
  check_refused<STAC>(in, "tensor_shape holds 0");
  in = good_stac();
  in.centroid = Binary{wkb_point(1, 2)};
  in.crs = "EPSG:3035";
  check_refused<STAC>(in, "pass one (tacore_gdal has it)");
  in.crs = "nonsense";
  in.transformer = &kMadeUp;
  check_refused<STAC>(in, "'nonsense' is not known");
  in.crs = "";
  check_refused<STAC>(in, "Invalid CRS: it is empty");
}

TEST_CASE("codes of SR-ORG are accepted with a given centroid only") {
  auto in = good_stac();
  in.crs = "SR-ORG:6864";
  check_refused<STAC>(in, "SR-ORG:6864");
  in.centroid = Binary{wkb_point(1, 2)};
  CHECK(STAC(in).values()[0] == Value("SR-ORG:6864"));
}

TEST_CASE("a centroid off the globe, not finite or not a WKB Point is refused") {
  auto in = good_stac();
  in.geotransform[0] = 400;
  check_refused<STAC>(in, "Longitude 401.0");
  in = good_stac();
  in.geotransform[3] = 95;
  check_refused<STAC>(in, "Latitude 94.5");
  in.geotransform[3] = std::nan("");
  check_refused<STAC>(in, "geotransform holds NaN");
  in = good_stac();
  in.geotransform = {1e308, 1e308, 0, 0, 0, 1};
  check_refused<STAC>(in, "Centroid is NaN or infinite");
  in = good_stac();
  in.centroid = polygon({{0, 0}, {1, 0}, {1, 1}});
  check_refused<STAC>(in, "expected a WKB Point");
  in.centroid = Binary{"junk"};
  check_refused<STAC>(in, "WKB");
}

TEST_CASE("the centroid of a rotated grid is the centre of the rotated grid") {
  auto in = good_stac();
  in.crs = "metres";
  in.transformer = &kMadeUp;
  in.tensor_shape = {512, 256};
  in.geotransform = {60000.0, 8.660254037844387, 4.999999999999999, 40040.0, 4.999999999999999, -8.660254037844387};
  const Centroid at = centroid_of(STAC(in).values()[4]);
  // numpy: [[gt1, gt2], [gt4, gt5]] @ [128, 256] + [gt0, gt3]
  CHECK(at.x * 1000 == doctest::Approx(62388.5125168441).epsilon(1e-14));
  CHECK(at.y * 1000 == doctest::Approx(38462.974966312).epsilon(1e-14));
}

TEST_CASE("times come from ISO 8601 text, to the microsecond") {
  auto in = good_stac();
  in.time_start = Timestamp::parse("2024-02-29T12:00:00.123456+02:00");
  CHECK(STAC(in).values()[3] == Value(Timestamp{1709200800123456}));
}

TEST_CASE("ISTAC has its columns in order, with a value for each") {
  const ISTAC istac(good_istac());
  CHECK(names_and_types(istac.schema()) ==
        std::vector<std::string>{"istac:crs string", "istac:geometry binary", "istac:time_start timestamp[us]",
                                 "istac:time_end timestamp[us]", "istac:time_middle timestamp[us]",
                                 "istac:centroid binary"});
  REQUIRE(istac.values().size() == 6);
  CHECK(*istac.values()[1].get<Binary>() == good_istac().geometry);
  CHECK(*istac.values()[5].get<Binary>() == Binary{wkb_point(5, 2)});
}

TEST_CASE("the centroid is computed in the CRS, then transformed") {
  auto in = good_istac();
  in.crs = "metres";
  in.transformer = &kMadeUp;
  in.geometry = polygon({{0, 0}, {6000, 0}, {0, 3000}});
  const Centroid at = centroid_of(ISTAC(in).values()[5]);
  CHECK(at.x == doctest::Approx(2));
  CHECK(at.y == doctest::Approx(1));
}

TEST_CASE("empty and invalid geometries and an unknown CRS are refused") {
  auto in = good_istac();
  in.geometry = {};
  check_refused<ISTAC>(in, "Invalid WKB geometry");
  in.geometry = {"not WKB"};
  check_refused<ISTAC>(in, "Invalid WKB geometry");
  in.geometry = {std::string("\x01\x03\x00\x00\x00\x00\x00\x00\x00", 9)};
  check_refused<ISTAC>(in, "Geometry is empty");
  in.centroid = Binary{wkb_point(1, 2)};
  check_refused<ISTAC>(in, "Geometry is empty");
  in = good_istac();
  in.crs = "EPSG:999999";
  check_refused<ISTAC>(in, "Invalid CRS");
  in = good_istac();
  in.time_end = Timestamp{0};
  check_refused<ISTAC>(in, "> time_end");
}

TEST_CASE("check_antimeridian takes the shorter way in geographic systems") {
  auto in = good_istac();
  in.geometry = polygon({{178, 0}, {-176, 0}, {-176, 10}, {178, 10}});
  CHECK(centroid_of(ISTAC(in).values()[5]).x == doctest::Approx(1));
  in.check_antimeridian = true;
  CHECK(centroid_of(ISTAC(in).values()[5]).x == doctest::Approx(-179));
  in.crs = "metres";
  in.transformer = &kMadeUp;
  CHECK(centroid_of(ISTAC(in).values()[5]).x == doctest::Approx(0.001));
}
