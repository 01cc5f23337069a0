#include <doctest/doctest.h>

#include "support/temporary_folder.hpp"
#include "tacore/extensions/geo_layers.hpp"
#include "tacore/extensions/stac.hpp"
#include "tacore/raster/gdal.hpp"
#include "tacore/write/sample.hpp"

// RAI and GeoEnrich over a real elevation model and made borders, from a sample to its columns.
namespace {

using namespace tacore;
using namespace tacore::extensions;

std::string dem() { return std::string(TACORE_SOURCE_DIR) + "/examples/data/scene/elevation.tif"; }

/// 20 by 20 pixels of the scene, or of a place far from it.
Sample chip(const std::string& id, double west) {
  Sample out(id, Bytes(1));
  out.extend_with(STAC({.crs = "EPSG:31985",
                        .tensor_shape = {6, 20, 20},
                        .geotransform = {west, 28.5, 0, 9117000, 0, -28.5},
                        .transformer = gdal::crs_transformer().get()}));
  return out;
}

struct Borders {
  TemporaryFolder folder;
  std::string path = folder.write("borders.geojson", R"({"type": "FeatureCollection", "features": [{"type": "Feature",
      "properties": {"name": "Pernambuco"}, "geometry": {"type": "Polygon", "coordinates":
      [[[-36, -9], [-34, -9], [-34, -7], [-36, -7], [-36, -9]]]}}]})");
};

GeoLayers layers(const Borders& borders) {
  return {{"elevation", gdal::raster_mean({.path = dem(), .source = "Olinda DEM", .version = "1"})},
          {"admin1", gdal::polygon_names({.path = borders.path, .field = "name", .source = "made", .version = "1"})}};
}

TEST_CASE("RAI stores elevation in whole metres and the name of the state, and null outside all layers") {
  const Borders borders;
  Sample here = chip("here", 293000), far = chip("far", 500000);
  here.extend_with(RAI(layers(borders)));
  far.extend_with(RAI(layers(borders)));
  REQUIRE(here.find("rai:elevation")->get<int64_t>());
  CHECK(*here.find("rai:elevation") == Value(int64_t{37}));  // gdalwarp -r average: 37.005
  CHECK(*here.find("rai:admin1") == Value("Pernambuco"));
  CHECK(here.find("rai:pop")->is_null());
  CHECK(far.find("rai:elevation")->is_null());
  CHECK(far.find("rai:admin1")->is_null());
  const Tortilla both({here, far});
  CHECK(both.fields().size() == 7 + 9);
  CHECK(both.fields()[7].type == "int64");
  CHECK(both.fields()[7].description.find("Olinda DEM") != std::string::npos);
}

TEST_CASE("GeoEnrich samples the square around each centroid") {
  const Borders borders;
  const GeoLayers known{{"elevation", layers(borders).at("elevation")}, {"admin_states", layers(borders).at("admin1")}};
  const Tortilla rich = Tortilla({chip("here", 293000), chip("far", 500000)}).extend_with(GeoEnrich(known, 500));
  CHECK(rich.column("geoenrich:admin_states") == std::vector<Value>{"Pernambuco", {}});
  const auto elevation = rich.column("geoenrich:elevation");
  REQUIRE(elevation[0].get<double>());
  CHECK(*elevation[0].get<double>() > 0);
  CHECK(*elevation[0].get<double>() < 67);
  CHECK(elevation[1].is_null());
}

}  // namespace
