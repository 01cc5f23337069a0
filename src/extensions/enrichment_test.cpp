#include "extensions/enrichment.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "model/wkb.hpp"
#include "model/wkb_centroid.hpp"
#include "support/sample_data.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/geo_layers.hpp"

using namespace tacore;
using namespace tacore::extensions;

namespace {

BBox envelope_of(const Footprint& footprint) {
  return wkb_envelope(std::as_bytes(std::span(footprint.geometry.bytes))).value();
}

/// A layer whose values a test computes from the envelope of the footprint.
class MadeUp : public GeoLayer {
 public:
  using Answer = std::function<Value(const BBox&)>;
  explicit MadeUp(Answer answer, std::string source = "made", std::string version = "1")
      : answer_(std::move(answer)), source_(std::move(source)), version_(std::move(version)) {}
  Value value(const Footprint& footprint) const override { return answer_(envelope_of(footprint)); }
  const std::string& source() const noexcept override { return source_; }
  const std::string& version() const noexcept override { return version_; }

 private:
  Answer answer_;
  std::string source_;
  std::string version_;
};

std::shared_ptr<const GeoLayer> always(Value value) {
  return std::make_shared<MadeUp>([value](const BBox&) { return value; });
}

Footprint somewhere() { return square_around({10, 50}, 1000); }

}  // namespace

TEST_CASE("RAI has the same nine columns for any set of layers") {
  const auto schema = rai_schema({{"elevation", always(1.)}});
  CHECK(names_and_types(schema) == std::vector<std::string>{"rai:elevation int64", "rai:cisi double", "rai:gdp double",
                                                            "rai:hdi double", "rai:gmi double", "rai:pop double",
                                                            "rai:admin0 string", "rai:admin1 string",
                                                            "rai:admin2 string"});
  CHECK(rai_values({}, somewhere()) == std::vector<Value>(9));
}

TEST_CASE("RAI records source and version of each layer") {
  const GeoLayers layers = {
      {"pop", std::make_shared<MadeUp>([](const BBox&) { return Value(1.); }, "LandScan Global", "2023")}};
  const auto schema = rai_schema(layers);
  CHECK(schema[5].description == "Mean population of the footprint. Source: LandScan Global, version 2023");
  CHECK(schema[0].description == "Mean elevation of the footprint, m. Not computed");
}

TEST_CASE("RAI stores elevation in whole metres, and indices and names unchanged") {
  const auto values = rai_values({{"elevation", always(-12.5)},
                                  {"cisi", always(1 + 1e-12)},
                                  {"gdp", always(1.5e9)},
                                  {"hdi", always(0.25)},
                                  {"pop", always(0.)},
                                  {"admin0", always("Brazil")}},
                                 somewhere());
  CHECK(values == std::vector<Value>{int64_t{-13}, 1., 1.5e9, 0.25, {}, 0., "Brazil", {}, {}});
  CHECK(rai_values({{"elevation", always(7.49)}}, somewhere())[0] == Value(int64_t{7}));
}

TEST_CASE("RAI stores null for a footprint without coverage, never 0") {
  GeoLayers layers;
  for (const char* name : {"elevation", "cisi", "gdp", "hdi", "gmi", "pop", "admin0", "admin1", "admin2"}) {
    layers[name] = always({});
  }
  CHECK(rai_values(layers, somewhere()) == std::vector<Value>(9));
}

TEST_CASE("RAI refuses an index outside 0 to 1 and a layer of the wrong kind") {
  for (const char* index : {"cisi", "hdi", "gmi"}) {
    CAPTURE(index);
    for (const double value : {-0.1, 1.01, 87.}) {
      CHECK_THROWS_WITH_AS(rai_values({{index, always(value)}}, somewhere()), doctest::Contains("expected 0 to 1"),
                           SchemaError);
    }
  }
  CHECK_THROWS_WITH_AS(rai_values({{"pop", always("many")}}, somewhere()),
                       doctest::Contains("expected a layer of numbers"), SchemaError);
  CHECK_THROWS_WITH_AS(rai_values({{"admin0", always(4.)}}, somewhere()),
                       doctest::Contains("expected a layer of names"), SchemaError);
  CHECK_THROWS_WITH_AS(rai_values({{"elevation", always(-3.4e38)}}, somewhere()),
                       doctest::Contains("expected an elevation in metres"), SchemaError);
}

TEST_CASE("RAI refuses layers without a known name, a source and a version") {
  CHECK_THROWS_WITH_AS(check_rai_layers({{"height", always(1.)}}),
                       doctest::Contains("Invalid variables: [height]\nValid options: [elevation, cisi,"), SchemaError);
  const auto answer = [](const BBox&) { return Value(1.); };
  CHECK_THROWS_AS(check_rai_layers({{"pop", std::make_shared<MadeUp>(answer, "", "1")}}), SchemaError);
  CHECK_THROWS_AS(check_rai_layers({{"pop", std::make_shared<MadeUp>(answer, "a", "")}}), SchemaError);
  CHECK_THROWS_AS(check_rai_layers({{"pop", nullptr}}), SchemaError);
}

TEST_CASE("the footprint of a sample is its grid, or else its geometry") {
  const Value crs("EPSG:32630");
  const Value shape(Value::List{3, 100, 200});
  const Value geotransform(Value::List{600000., 10., 1., 4400000., -2., -10.});
  const Footprint grid =
      footprint_of({.stac_crs = &crs, .stac_tensor_shape = &shape, .stac_geotransform = &geotransform}, "s");
  CHECK(grid.crs == "EPSG:32630");
  const std::vector<Centroid> corners = {{600000, 4400000}, {602000, 4399600}, {602100, 4398600}, {600100, 4399000}};
  CHECK(grid.geometry == Binary{wkb_polygon(corners)});
  const Value degrees("EPSG:4326");
  const Value geometry(Binary{"wkb"});
  const Footprint any = footprint_of({.istac_crs = &degrees, .istac_geometry = &geometry}, "s");
  CHECK(any.crs == "EPSG:4326");
  CHECK(any.geometry == Binary{"wkb"});
}

TEST_CASE("RAI without STAC is an error that names the sample") {
  const Value crs("EPSG:32630");
  const Value null;
  CHECK_THROWS_WITH_AS(footprint_of({}, "s1"), doctest::Contains("[s1] RAI requires STAC"), SchemaError);
  CHECK_THROWS_WITH_AS(footprint_of({.stac_crs = &crs}, "s1"), doctest::Contains("RAI requires STAC"), SchemaError);
  CHECK_THROWS_WITH_AS(footprint_of({.istac_crs = &crs, .istac_geometry = &null}, "s1"),
                       doctest::Contains("RAI requires STAC"), SchemaError);
  const Value shape(Value::List{5});
  const Value geotransform(Value::List{0., 1., 0., 0., 0., -1.});
  CHECK_THROWS_WITH_AS(
      footprint_of({.stac_crs = &crs, .stac_tensor_shape = &shape, .stac_geotransform = &geotransform}, "s1"),
      doctest::Contains("at least 2 dimensions"), SchemaError);
  CHECK_THROWS_WITH_AS(
      footprint_of({.stac_crs = &crs, .stac_tensor_shape = &crs, .stac_geotransform = &geotransform}, "s1"),
      doctest::Contains("stac:tensor_shape: expected a list of numbers"), SchemaError);
}

TEST_CASE("the square around a centroid has equal sides in metres everywhere, and is cut at the poles") {
  for (const double lat : {0., 45., -80.}) {
    CAPTURE(lat);
    const BBox box = envelope_of(square_around({20, lat}, 5120));
    constexpr double kMetresOfDegree = 6'371'007.2 * 3.141592653589793 / 180;
    CHECK((box.maxy - box.miny) * kMetresOfDegree == doctest::Approx(5120));
    CHECK((box.maxx - box.minx) * kMetresOfDegree * std::cos(lat * 3.141592653589793 / 180) == doctest::Approx(5120));
  }
  const BBox pole = envelope_of(square_around({20, 90}, 5120));
  CHECK(pole.maxy == 90);
  CHECK(pole.maxx - pole.minx == 360);
}

TEST_CASE("GeoEnrich has 15 variables, in the order of its columns and its schema") {
  CHECK(geo_enrich_variables() == std::vector<std::string>{"elevation", "cisi", "precipitation", "temperature",
                                                           "soil_clay", "soil_sand", "soil_carbon", "soil_bulk_density",
                                                           "soil_ph", "gdp", "human_modification", "population",
                                                           "admin_countries", "admin_states", "admin_districts"});
  const GeoLayers layers = {
      {"admin_countries", always("Peru")}, {"population", always(5.)}, {"elevation", always(2.5)}};
  CHECK(names_and_types(geo_enrich_schema(layers)) == std::vector<std::string>{"geoenrich:elevation float",
                                                                               "geoenrich:population float",
                                                                               "geoenrich:admin_countries string"});
  const std::vector<std::optional<LonLat>> positions = {LonLat{1, 2}, std::nullopt};
  CHECK(geo_enrich_columns(layers, 5120, positions) ==
        std::vector<std::vector<Value>>{{2.5, {}}, {5., {}}, {"Peru", {}}});
}

TEST_CASE("a null centroid gives a null row, and each sample is queried at its own location") {
  const auto layer = std::make_shared<MadeUp>([](const BBox& box) { return Value((box.minx + box.maxx) / 2); });
  const std::vector<std::optional<LonLat>> positions = {LonLat{30, 2}, std::nullopt, LonLat{-70, 60}};
  const auto columns = geo_enrich_columns({{"gdp", layer}}, 100, positions);
  CHECK(*columns[0][0].get<double>() == doctest::Approx(30));
  CHECK(columns[0][1].is_null());
  CHECK(*columns[0][2].get<double>() == doctest::Approx(-70));
}

TEST_CASE("unknown variables and scales below a metre are refused") {
  CHECK_THROWS_WITH_AS(check_geo_enrich({{"height", always(1.)}}, 5120),
                       doctest::Contains("Invalid variables: [height]\nValid options: [elevation"), SchemaError);
  CHECK_THROWS_WITH_AS(check_geo_enrich({}, 5120), doctest::Contains("no layer"), SchemaError);
  for (const double scale : {0., 0.5, -3., std::nan("")}) {
    CHECK_THROWS_WITH_AS(check_geo_enrich({{"gdp", always(1.)}}, scale), doctest::Contains("scale_m"), SchemaError);
  }
}
