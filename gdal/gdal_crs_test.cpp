#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <thread>

#include "tacore/error.hpp"
#include "tacore/extensions/stac.hpp"
#include "tacore/raster/gdal.hpp"

using namespace tacore;

namespace {

/// Longitudes and latitudes by pyproj 3.7 (PROJ 9.5), always_xy. Those of systems that are built in:
/// src/model/known_crs_test.cpp.
struct Case {
  const char* crs;
  double x, y, lon, lat;
};

const Case kCases[] = {
    {"EPSG:4326", 2.5, 48.75, 2.5, 48.75},
    {"OGC:CRS84", 2.5, 48.75, 2.5, 48.75},
    {"EPSG:3035", 4321000, 3210000, 10, 52},
    {"EPSG:5041", 2100000, 1900000, 45, 88.72625736726899},
    {"+proj=utm +zone=30 +datum=WGS84", 440720, 3751320, -3.641169915168651, 33.900601837269285},
};

double double_at(const std::string& bytes, std::size_t offset) {
  double out;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

}  // namespace

TEST_CASE("points are within 1e-9 degrees of pyproj, longitude first") {
  const auto crs = gdal::crs_transformer();
  for (const Case& c : kCases) {
    CAPTURE(c.crs);
    const LonLat at = crs->to_wgs84(c.crs, c.x, c.y);
    CHECK(std::abs(at.lon - c.lon) < 1e-9);
    CHECK(std::abs(at.lat - c.lat) < 1e-9);
  }
}

TEST_CASE("the centroid of a rotated UTM grid is within 1e-9 degrees of pyproj") {
  const auto crs = gdal::crs_transformer();
  const extensions::STAC stac(
      {.crs = "EPSG:32630",
       .tensor_shape = {512, 256},
       .geotransform = {600000, 8.660254037844387, 4.999999999999999, 4400040, 4.999999999999999, -8.660254037844387},
       .transformer = crs.get()});
  const std::string& wkb = stac.values()[4].get<Binary>()->bytes;
  CHECK(std::abs(double_at(wkb, 5) - -1.8052153199367367) < 1e-9);
  CHECK(std::abs(double_at(wkb, 13) - 39.729910040164945) < 1e-9);
}

TEST_CASE("a built-in system agrees with PROJ in each of its zones") {
  const auto crs = gdal::crs_transformer();
  struct Codes {
    int first, last;
  };
  for (const Codes& codes : {Codes{32601, 32660},
                             {32701, 32760},
                             {25828, 25838},
                             {26906, 26923},
                             {31965, 31985},
                             {6210, 6211},
                             {5396, 5396},
                             {3857, 3857}}) {
    for (int code = codes.first; code <= codes.last; ++code) {
      const std::string name = "EPSG:" + std::to_string(code);
      CAPTURE(name);
      CHECK_FALSE(crs->is_geographic(name));
      for (const double x : {166100., 312345.678, 500000., 833900.}) {
        for (const double y : {10., 1234567.891, 4649776.5, 9300000.}) {
          const extensions::STAC stac(
              {.crs = name, .tensor_shape = {2, 2}, .geotransform = {x - 1, 1, 0, y + 1, 0, -1}});
          const std::string& wkb = stac.values()[4].get<Binary>()->bytes;
          const LonLat expected = crs->to_wgs84(name, x, y);
          CHECK(std::abs(std::remainder(double_at(wkb, 5) - expected.lon, 360)) < 1e-9);
          CHECK(std::abs(double_at(wkb, 13) - expected.lat) < 1e-9);
        }
      }
    }
  }
}

TEST_CASE("a coordinate system is geographic when its coordinates are in degrees") {
  const auto crs = gdal::crs_transformer();
  CHECK(crs->is_geographic("EPSG:4326"));
  CHECK(crs->is_geographic("EPSG:4277"));
  CHECK_FALSE(crs->is_geographic("EPSG:32630"));
  CHECK_FALSE(crs->is_geographic("EPSG:4807"));  // grads from Paris
}

TEST_CASE("text that is not a coordinate reference system is refused, file names and URLs included") {
  const auto crs = gdal::crs_transformer();
  for (const char* text : {"", "EPSG:999999", "SR-ORG:6864", "nonsense", "/etc/hostname", "http://localhost/x.prj"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(crs->is_geographic(text), doctest::Contains("is not known"), SchemaError);
    CHECK_THROWS_AS(crs->to_wgs84(text, 0, 0), SchemaError);
  }
}

TEST_CASE("a point that has no longitude and latitude is refused") {
  const auto crs = gdal::crs_transformer();
  CHECK_THROWS_WITH_AS(crs->to_wgs84("EPSG:32630", 1e300, 1e300), doctest::Contains("no longitude and latitude"),
                       SchemaError);
}

TEST_CASE("one coordinate transformer serves several threads") {
  const auto crs = gdal::crs_transformer();
  bool good[2] = {};
  const auto ask = [&](bool& out) {
    out = true;
    for (int i = 0; i < 500; ++i) {
      const Case& c = kCases[static_cast<std::size_t>(i) % std::size(kCases)];
      out = out && std::abs(crs->to_wgs84(c.crs, c.x, c.y).lon - c.lon) < 1e-9;
    }
  };
  std::thread other(ask, std::ref(good[0]));
  ask(good[1]);
  other.join();
  CHECK(good[0]);
  CHECK(good[1]);
}
