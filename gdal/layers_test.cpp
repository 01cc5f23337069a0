#include <cpl_vsi.h>
#include <doctest/doctest.h>
#include <gdal_priv.h>
#include <ogr_spatialref.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/gdal.hpp"

using namespace tacore;
using extensions::Footprint;

namespace {

struct Point {
  double x, y;
};

void put(std::string& out, const void* bytes, std::size_t size) { out.append(static_cast<const char*>(bytes), size); }

/// A little-endian WKB Polygon; rings are closed here.
Binary polygon(const std::vector<std::vector<Point>>& rings) {
  std::string out("\x01\x03\x00\x00\x00", 5);
  const auto num_rings = static_cast<uint32_t>(rings.size());
  put(out, &num_rings, 4);
  for (auto ring : rings) {
    ring.push_back(ring[0]);
    const auto size = static_cast<uint32_t>(ring.size());
    put(out, &size, 4);
    for (const Point& at : ring) put(out, &at, sizeof at);
  }
  return {out};
}

Footprint box(const char* crs, double x0, double y0, double x1, double y1) {
  return {crs, polygon({{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}})};
}

/// A GeoTIFF in memory, for as long as this lives.
class MadeRaster {
 public:
  MadeRaster(const std::string& name, int columns, std::vector<double> values, std::array<double, 6> geotransform,
             const char* crs, double no_data = -9999, double scale = 1, double offset = 0)
      : path_("/vsimem/tacore_" + name + ".tif") {
    GDALAllRegister();
    const int rows = static_cast<int>(values.size()) / columns;
    auto* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
    auto* dataset = driver->Create(path_.c_str(), columns, rows, 1, GDT_Float64, nullptr);
    dataset->SetGeoTransform(geotransform.data());
    if (crs) {
      OGRSpatialReference system;
      system.SetFromUserInput(crs);
      dataset->SetSpatialRef(&system);
    }
    auto* band = dataset->GetRasterBand(1);
    band->SetNoDataValue(no_data);
    if (scale != 1) band->SetScale(scale);
    if (offset != 0) band->SetOffset(offset);
    REQUIRE(band->RasterIO(GF_Write, 0, 0, columns, rows, values.data(), columns, rows, GDT_Float64, 0, 0, nullptr) ==
            CE_None);
    GDALClose(dataset);
  }
  ~MadeRaster() { VSIUnlink(path_.c_str()); }
  MadeRaster(const MadeRaster&) = delete;
  MadeRaster& operator=(const MadeRaster&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class MadeText {
 public:
  MadeText(const std::string& name, const std::string& text) : path_("/vsimem/tacore_" + name), text_(text) {
    VSIFCloseL(VSIFileFromMemBuffer(path_.c_str(), reinterpret_cast<GByte*>(text_.data()), text_.size(), FALSE));
  }
  ~MadeText() { VSIUnlink(path_.c_str()); }
  MadeText(const MadeText&) = delete;
  MadeText& operator=(const MadeText&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string text_;
};

double number(const Value& value) {
  REQUIRE(value.get<double>());
  return *value.get<double>();
}

const std::array<double, 6> kTenDegrees = {0, 10, 0, 80, 0, -10};

std::string feature(const std::string& name, double x0, double y0, double x1, double y1) {
  const auto at = [](double x, double y) { return "[" + std::to_string(x) + "," + std::to_string(y) + "]"; };
  return R"({"type":"Feature","properties":{"name":)" + (name.empty() ? "null" : "\"" + name + "\"") +
         R"(},"geometry":{"type":"Polygon","coordinates":[[)" + at(x0, y0) + "," + at(x1, y0) + "," + at(x1, y1) + "," +
         at(x0, y1) + "," + at(x0, y0) + "]]}}";
}

std::string collection(const std::vector<std::string>& features) {
  std::string out = R"({"type":"FeatureCollection","features":[)";
  for (std::size_t i = 0; i < features.size(); ++i) out += (i ? "," : "") + features[i];
  return out + "]}";
}

}  // namespace

TEST_CASE("the mean of a real elevation model is that of shapely, pixel by pixel" * doctest::test_suite("external")) {
  const std::string path = std::string(TACORE_SHARED_DIR) + "/imagery/olinda_dem_utm25s.tif";
  if (missing(path)) return;
  const auto dem = gdal::raster_mean({.path = path, .source = "SRTM", .version = "3"});
  CHECK(dem->source() == "SRTM");
  CHECK(dem->version() == "3");
  const std::vector<Point> quad = {
      {289000.3, 9112100.7}, {292000.9, 9113500.1}, {290900.2, 9115900.6}, {288100.4, 9114500.5}};
  const std::vector<Point> hole = {{289900, 9113500}, {290500, 9113500}, {290500, 9114200}, {289900, 9114200}};
  CHECK(number(dem->value({"EPSG:32725", polygon({quad})})) == doctest::Approx(32.951744179266676).epsilon(1e-6));
  CHECK(number(dem->value({"EPSG:32725", polygon({quad, hole})})) == doctest::Approx(31.936883384506867).epsilon(1e-6));
  // Half outside: of what is covered.
  CHECK(number(dem->value(box("EPSG:32725", 286776.25000080315, 9115000, 289776.25000080315, 9116000))) ==
        doctest::Approx(42.511426012849775).epsilon(1e-6));
  CHECK(number(dem->value(box("EPSG:4326", -34.92, -7.95, -34.89, -7.92))) ==
        doctest::Approx(39.736176166142585).epsilon(1e-6));
  CHECK(dem->value(box("EPSG:4326", 10, 10, 11, 11)).is_null());
}

TEST_CASE("layers for programs that dlopen the library are those of the library") {
  const MadeRaster raster("dlopened", 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}, kTenDegrees, "EPSG:4326");
  const gdal::RasterLayer of_pixels{.path = raster.path(), .source = "made", .version = "2"};
  const Footprint all = box("EPSG:4326", 0, 50, 30, 80);
  std::shared_ptr<const extensions::GeoLayer> layer;
  gdal::tacore_gdal_raster_mean(&of_pixels, &layer);
  CHECK(layer->value(all) == gdal::raster_mean(of_pixels)->value(all));
  CHECK(layer->version() == "2");
  const TemporaryFolder folder;
  const gdal::VectorLayer of_names{.path = folder.write("a.geojson", collection({feature("west", 0, 50, 30, 80)})),
                                   .field = "name"};
  gdal::tacore_gdal_polygon_names(&of_names, &layer);
  CHECK(layer->value(all) == Value("west"));
  const gdal::RasterLayer none{.path = folder.path("none.tif")};
  CHECK_THROWS_AS(gdal::tacore_gdal_raster_mean(&none, &layer), IoError);
}

TEST_CASE("pixels of a geographic raster are weighted by their area on the ground, no-data pixels by zero") {
  const std::vector<Point> quad = {{2, 78}, {27, 75}, {22, 52}, {4, 55}};
  const MadeRaster all("all", 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}, kTenDegrees, "EPSG:4326");
  CHECK(number(gdal::raster_mean({.path = all.path()})->value({"EPSG:4326", polygon({quad})})) ==
        doctest::Approx(5.35441291196449).epsilon(1e-12));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const MadeRaster some("some", 3, {1, 2, nan, 4, -9999, 6, 7, 8, 9}, kTenDegrees, "EPSG:4326");
  CHECK(number(gdal::raster_mean({.path = some.path()})->value({"EPSG:4326", polygon({quad})})) ==
        doctest::Approx(5.593111041909934).epsilon(1e-12));
}

TEST_CASE("a footprint that no pixel covers has null, never 0") {
  const MadeRaster raster("none", 3, {0, 0, 0, 0, -9999, 0, 0, 0, 0}, kTenDegrees, "EPSG:4326");
  const auto mean = gdal::raster_mean({.path = raster.path()});
  CHECK(mean->value(box("EPSG:4326", 12, 62, 18, 68)).is_null());
  CHECK(mean->value(box("EPSG:4326", 31, 62, 35, 68)).is_null());
  CHECK(mean->value(box("EPSG:4326", 2, 62, 8, 68)) == Value(0.));
}

TEST_CASE("scale and offset of a band are applied") {
  const MadeRaster raster("scaled", 1, {10}, kTenDegrees, "EPSG:4326", -9999, 0.5, 100);
  CHECK(gdal::raster_mean({.path = raster.path()})->value(box("EPSG:4326", 2, 72, 8, 78)) == Value(105.));
}

TEST_CASE("a footprint that crosses the antimeridian reads both sides of a layer") {
  // One row around the equator: 36 pixels of 10 degrees, numbered from the west.
  std::vector<double> values(36);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
  const MadeRaster world("world", 36, values, {-180, 10, 0, 5, 0, -10}, "EPSG:4326");
  const MadeRaster pacific("pacific", 36, values, {0, 10, 0, 5, 0, -10}, "EPSG:4326");
  // UTM 60, from 179 E across: x = 778 km is 179.5 E, 890 km about 179.5 W.
  const Footprint utm = box("EPSG:32660", 778'000, 10'000, 890'000, 20'000);
  const double mean = number(gdal::raster_mean({.path = world.path()})->value(utm));
  CHECK(mean == doctest::Approx((36 + 1) / 2.).epsilon(0.02));
  // The same place in the other convention: 175 and 185 degrees are its pixels 18 and 19.
  CHECK(number(gdal::raster_mean({.path = pacific.path()})->value(utm)) == doctest::Approx(18.5).epsilon(0.002));
  // Longitudes beyond 180 degrees are those of the other side.
  CHECK(number(gdal::raster_mean({.path = world.path()})->value(box("EPSG:4326", 170, -1, 190, 1))) ==
        doctest::Approx(18.5));
  const MadeText sides("sides.geojson",
                       collection({feature("west", -180, -10, -170, 10), feature("east", 170, -10, 180, 10)}));
  const auto names = gdal::polygon_names({.path = sides.path(), .field = "name"});
  CHECK(names->value(box("EPSG:4326", 179, -1, 183, 1)) == Value("west"));
  CHECK(names->value(box("EPSG:4326", -183, -1, -179, 1)) == Value("east"));
}

TEST_CASE("a footprint of the whole globe keeps its full width") {
  const MadeRaster world("globe", 4, {1, 2, 3, 4}, {-180, 90, 0, 90, 0, -180}, "EPSG:4326");
  CHECK(number(gdal::raster_mean({.path = world.path()})->value(box("EPSG:4326", -180, -80, 180, 80))) ==
        doctest::Approx(2.5));
}

TEST_CASE("a layer in degrees refuses a footprint around a pole") {
  const MadeRaster world("pole", 4, {1, 2, 3, 4}, {-180, 90, 0, 90, 0, -180}, "EPSG:4326");
  CHECK_THROWS_WITH_AS(
      gdal::raster_mean({.path = world.path()})->value(box("EPSG:3413", -100'000, -100'000, 100'000, 100'000)),
      doctest::Contains("pole"), SchemaError);
}

TEST_CASE("the class code with the largest covered area gives the name, codes 0 and 65535 included") {
  const MadeRaster codes("codes", 3, {0, 0, 65535, 1, 7, 65535, 1, 1, 65535}, kTenDegrees, "EPSG:4326");
  const MadeText table("names.csv", "admin_code0,name\n0,Afghanistan\n1,Albania\n65535,Ocean/Sea/Lakes\n");
  const auto names = gdal::read_names(table.path(), "admin_code0", "name");
  CHECK(names == std::map<int64_t, std::string>{{0, "Afghanistan"}, {1, "Albania"}, {65535, "Ocean/Sea/Lakes"}});
  const auto layer = gdal::raster_names({.path = codes.path()}, names);
  CHECK(layer->value(box("EPSG:4326", 1, 69, 15, 79)) == Value("Afghanistan"));
  CHECK(layer->value(box("EPSG:4326", 1, 51, 9, 69)) == Value("Albania"));
  CHECK(layer->value(box("EPSG:4326", 21, 51, 29, 69)) == Value("Ocean/Sea/Lakes"));
  // A code without a name is no data, and so is the outside.
  CHECK(layer->value(box("EPSG:4326", 11, 61, 19, 69)).is_null());
  CHECK(layer->value(box("EPSG:4326", 8.5, 60, 19, 70)) == Value("Albania"));
  CHECK(layer->value(box("EPSG:4326", 50, 0, 51, 1)).is_null());
}

TEST_CASE("a table of class names with a wrong column, a wrong code or two names for one code is refused") {
  const MadeText good("good.csv", "code,name\n1,a\n");
  CHECK_THROWS_WITH_AS(gdal::read_names(good.path(), "id", "name"), doctest::Contains("the layer has code name"),
                       SchemaError);
  const MadeText text("text.csv", "code,name\nx1,a\n");
  CHECK_THROWS_WITH_AS(gdal::read_names(text.path(), "code", "name"), doctest::Contains("'x1'"), SchemaError);
  const MadeText twice("twice.csv", "code,name\n1,a\n1,b\n");
  CHECK_THROWS_WITH_AS(gdal::read_names(twice.path(), "code", "name"), doctest::Contains("'a' and 'b'"), SchemaError);
}

TEST_CASE("the polygons with the largest area in the footprint give the name, parts of one name added up") {
  const MadeText countries(
      "countries.geojson",
      collection({feature("small", 0, 0, 2, 10), feature("split", 2, 0, 5, 10), feature("large", 5, 0, 9, 10),
                  feature("split", 9, 0, 11, 10), feature("", 11, 0, 100, 10)}));
  const auto layer = gdal::polygon_names({.path = countries.path(), .field = "name", .source = "made", .version = "1"});
  CHECK(layer->source() == "made");
  CHECK(layer->value(box("EPSG:4326", 0, 1, 11, 9)) == Value("split"));
  CHECK(layer->value(box("EPSG:4326", 0, 1, 9, 9)) == Value("large"));
  CHECK(layer->value(box("EPSG:4326", 0.5, 1, 1.5, 9)) == Value("small"));
  // Equal parts: the first of the layer. Touching is not covering, and a polygon without a name is none.
  CHECK(layer->value(box("EPSG:4326", 1, 1, 3, 9)) == Value("small"));
  CHECK(layer->value(box("EPSG:4326", -3, 1, 0, 9)).is_null());
  CHECK(layer->value(box("EPSG:4326", 20, 1, 30, 9)).is_null());
}

TEST_CASE("self-intersecting polygons are repaired") {
  // Two triangles that meet in (5, 5); GEOS calls it invalid.
  const MadeText crossed("crossed.geojson",
                         R"({"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"bow"},)"
                         R"("geometry":{"type":"Polygon","coordinates":[[[0,0],[10,10],[10,0],[0,10],[0,0]]]}}]})");
  const auto layer = gdal::polygon_names({.path = crossed.path(), .field = "name"});
  CHECK(layer->value(box("EPSG:4326", 4, 1, 9, 9)) == Value("bow"));
  CHECK(layer->value(box("EPSG:4326", 4.5, 8, 5.5, 9)).is_null());
}

TEST_CASE("one layer serves several threads") {
  const MadeRaster raster("threads", 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}, kTenDegrees, "EPSG:4326");
  const auto mean = gdal::raster_mean({.path = raster.path()});
  bool good[2] = {};
  const auto ask = [&](bool& out) {
    out = true;
    for (int i = 0; i < 300; ++i) {
      const double x = i % 3 * 10;
      out = out && mean->value(box("EPSG:4326", x + 1, 71, x + 9, 79)) == Value(i % 3 + 1.);
    }
  };
  std::thread other(ask, std::ref(good[0]));
  ask(good[1]);
  other.join();
  CHECK(good[0]);
  CHECK(good[1]);
}

TEST_CASE("layers that cannot be used are refused when they are opened") {
  CHECK_THROWS_WITH_AS(gdal::raster_mean({.path = "/vsimem/none.tif"}), doctest::Contains("/vsimem/none.tif"), IoError);
  const MadeRaster raster("one", 1, {1}, kTenDegrees, "EPSG:4326");
  CHECK_THROWS_WITH_AS(gdal::raster_mean({.path = raster.path(), .band = 2}),
                       doctest::Contains("band 2: expected 1 to 1"), SchemaError);
  const MadeRaster nowhere("nowhere", 1, {1}, kTenDegrees, nullptr);
  CHECK_THROWS_WITH_AS(gdal::raster_mean({.path = nowhere.path()}), doctest::Contains("is not georeferenced"),
                       SchemaError);
  const MadeText vector("vector.geojson", collection({feature("a", 0, 0, 1, 1)}));
  CHECK_THROWS_WITH_AS(gdal::polygon_names({.path = vector.path(), .field = "title"}),
                       doctest::Contains("no field 'title'; the layer has name"), SchemaError);
  CHECK_THROWS_WITH_AS(gdal::polygon_names({.path = vector.path(), .layer = "x", .field = "name"}),
                       doctest::Contains("no layer 'x'"), SchemaError);
  CHECK_THROWS_AS(gdal::polygon_names({.path = "/vsimem/none.geojson", .field = "name"}), IoError);
}

TEST_CASE("a footprint without area or without coordinates is refused") {
  const MadeRaster raster("place", 1, {1}, kTenDegrees, "EPSG:4326");
  const auto mean = gdal::raster_mean({.path = raster.path()});
  const Binary point{
      std::string("\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x24\x40\x00\x00\x00\x00\x00\x00\x14\x40", 21)};
  CHECK_THROWS_WITH_AS(mean->value({"EPSG:4326", point}), doctest::Contains("with an area"), SchemaError);
  CHECK_THROWS_WITH_AS(mean->value({"EPSG:4326", {"junk"}}), doctest::Contains("with an area"), SchemaError);
  CHECK_THROWS_WITH_AS(mean->value(box("EPSG:4326", 1, 1, 1, 2)), doctest::Contains("with an area"), SchemaError);
  CHECK_THROWS_WITH_AS(mean->value(box("SR-ORG:6864", 1, 1, 2, 2)), doctest::Contains("is not known"), SchemaError);
}
