#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "raster/tiff_directory.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

using Transform = std::array<double, 6>;

/// The keys, four numbers each, with the directory before them.
std::vector<uint16_t> keys(std::vector<std::array<uint16_t, 2>> shorts) {
  std::vector<uint16_t> out = {1, 1, 0, static_cast<uint16_t>(shorts.size())};
  for (const auto& [key, value] : shorts) out.insert(out.end(), {key, 0, 1, value});
  return out;
}

constexpr std::array<uint16_t, 2> kIsProjected{1024, 1}, kIsGeographic{1024, 2}, kIsPoint{1025, 2};

TiffDirectory scaled(std::vector<double> scale, std::vector<double> tiepoints) {
  TiffDirectory out;
  out.pixel_scale = std::move(scale);
  out.tiepoints = std::move(tiepoints);
  return out;
}

}  // namespace

TEST_CASE("pixel scale and a tie point give the geotransform, for any tied pixel") {
  CHECK(georeference_of(scaled({10, 20, 0}, {0, 0, 0, 300, 400, 0})).geotransform ==
        Transform{300, 10, 0, 400, 0, -20});
  CHECK(georeference_of(scaled({10, 20, 0}, {2, 3, 0, 300, 400, 0})).geotransform ==
        Transform{280, 10, 0, 460, 0, -20});
  // Rows run south whatever sign the scale has.
  CHECK(georeference_of(scaled({10, -20, 0}, {0, 0, 0, 300, 400, 0})).geotransform ==
        Transform{300, 10, 0, 400, 0, -20});
}

TEST_CASE("a transformation matrix may contain rotation") {
  TiffDirectory directory;
  directory.transformation = {1, 2, 0, 3, 4, 5, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1};
  CHECK(georeference_of(directory).geotransform == Transform{3, 1, 2, 6, 4, 5});
  directory.geo_keys = keys({kIsPoint});
  CHECK(georeference_of(directory).geotransform == Transform{1.5, 1, 2, 1.5, 4, 5});
}

TEST_CASE("a pixel-is-point raster has its corner half a pixel off") {
  auto directory = scaled({10, 20, 0}, {0, 0, 0, 300, 400, 0});
  directory.geo_keys = keys({kIsPoint});
  CHECK(georeference_of(directory).geotransform == Transform{295, 10, 0, 410, 0, -20});
}

TEST_CASE("a TIFF without scale, tie point or matrix has no geotransform") {
  CHECK_FALSE(georeference_of({}).geotransform);
  CHECK_FALSE(georeference_of(scaled({10, 20, 0}, {})).geotransform);
  CHECK_FALSE(georeference_of(scaled({0, 20, 0}, {0, 0, 0, 300, 400, 0})).geotransform);
  // Ground control points.
  CHECK_FALSE(georeference_of(scaled({}, {0, 0, 0, 1, 2, 0, 5, 5, 0, 7, 8, 0})).geotransform);
}

TEST_CASE("a CRS is the EPSG code of its GeoKeys") {
  struct Case {
    const char* what;
    std::vector<uint16_t> keys;
    const char* crs;
  };
  const Case cases[] = {
      {"none", {}, ""},
      {"a remark on pixels alone", keys({kIsPoint}), ""},
      {"projected", keys({kIsProjected, {3072, 32725}}), "EPSG:32725"},
      {"projected, on a datum that is named too", keys({kIsProjected, {2048, 4326}, {3072, 3857}}), "EPSG:3857"},
      {"geographic", keys({kIsGeographic, {2048, 4326}}), "EPSG:4326"},
      {"user-defined projection", keys({kIsProjected, {2048, 4326}, {3072, 32767}}), ""},
      {"user-defined datum", keys({kIsGeographic, {2048, 32767}}), ""},
      {"private code", keys({kIsProjected, {3072, 54009}}), ""},
      {"projected without code", keys({kIsProjected, {2048, 4326}}), ""},
      {"geocentric", keys({{1024, 3}, {2048, 4978}}), ""},
      {"with heights", keys({kIsProjected, {3072, 32725}, {4096, 5773}}), ""},
      {"model not said", keys({{3072, 32725}}), ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    TiffDirectory directory;
    directory.geo_keys = c.keys;
    CHECK(georeference_of(directory).crs == c.crs);
  }
}

TEST_CASE("truncated GeoKeys are refused") {
  TiffDirectory directory;
  for (const std::vector<uint16_t>& stored :
       {std::vector<uint16_t>{1, 1, 0}, {1, 1, 0, 1}, {1, 1, 0, 2, 1024, 0, 1, 1}, {1, 1, 0, 65535, 1024, 0, 1, 1}}) {
    directory.geo_keys = stored;
    CHECK_THROWS_WITH_AS(georeference_of(directory), doctest::Contains("GeoTIFF keys are cut short"), FormatError);
  }
}
