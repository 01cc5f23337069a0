#include "writer/extent.hpp"

#include <doctest/doctest.h>

#include "model/antimeridian.hpp"
#include "model/wkb_centroid.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"
#include "tacore/dataset.hpp"
#include "tacore/error.hpp"
#include "tacore/ops/inspect.hpp"
#include "tacore/write/create.hpp"

namespace {

using namespace tacore;

struct Place {
  double lon = 0, lat = 0;
  Value start = {}, end = {};
};

Tortilla at(const std::vector<Place>& places, const std::string& family = "stac") {
  std::vector<Sample> out;
  for (const auto& [lon, lat, start, end] : places) {
    out.emplace_back("s" + std::to_string(out.size()), Bytes(1),
                     std::vector<MetadataField>{{family + ":centroid", Binary{wkb_point(lon, lat)}},
                                                {family + ":time_start", start, "timestamp[us]"},
                                                {family + ":time_end", end, "timestamp[us]"}});
  }
  return Tortilla(std::move(out));
}

Extent extent(const Tortilla& tortilla) { return compute_extent(tortilla); }
BBox box(const std::vector<Place>& places) { return *extent(at(places)).spatial; }
Value day(const char* text) { return Timestamp::parse(text); }

TEST_CASE("an extent without locations is the globe, and without times has no time range") {
  const Extent none = extent(Tortilla({Sample("a", Bytes(1))}));
  CHECK(*none.spatial == BBox{-180, -90, 180, 90});
  CHECK_FALSE(none.temporal);
}

TEST_CASE("a box that does not cross the antimeridian has the least and greatest longitude") {
  CHECK(box({{10, 40}, {20, 50}, {15, -5}}) == BBox{10, -5, 20, 50});
  CHECK(box({{-70, 1}, {-60, 2}}) == BBox{-70, 1, -60, 2});
}

TEST_CASE("the box of an extent takes the shorter way around the globe") {
  CHECK(box({{-9, 38}, {24, 60}}) == BBox{-9, 38, 24, 60});
  CHECK(box({{179, -1}, {-179, 1}}) == BBox{179, -1, -179, 1});
  CHECK(box({{200, 0}, {170, 0}}) == BBox{170, 0, -160, 0});
}

TEST_CASE("times go from the first start to the last end, or start where there is no end") {
  const Extent year = extent(at({{0, 0, day("2023-01-01"), day("2023-12-31")}, {0, 0, day("2022-05-01"), {}}}));
  CHECK(year.temporal->start.to_string() == "2022-05-01T00:00:00Z");
  CHECK(year.temporal->end.to_string() == "2023-12-31T00:00:00Z");
  CHECK(extent(at({{0, 0, {}, {}}, {0, 0, day("2024-01-01"), {}}})).temporal->end.to_string() ==
        "2024-01-01T00:00:00Z");
}

TEST_CASE("the extent covers the samples of all levels") {
  Sample a("a", at({{1, 2, day("2020-01-01"), {}}})), b("b", at({{3, 4, {}, day("2021-01-01")}}));
  CHECK(*extent(Tortilla({a, b})).spatial == BBox{1, 2, 3, 4});
  a.extend_with({{"stac:centroid", Binary{wkb_point(0, 9)}}});
  b.extend_with({{"stac:centroid", Binary{wkb_point(0, 8)}}});
  const Extent all = extent(Tortilla({a, b}));
  CHECK(*all.spatial == BBox{0, 2, 3, 9});
  CHECK(all.temporal == TimeRange::parse("2020-01-01T00:00:00Z/2021-01-01T00:00:00Z"));
}

TEST_CASE("the extent covers the columns of STAC and of ISTAC") {
  CHECK(*extent(at({{5, 6}}, "istac")).spatial == BBox{5, 6, 5, 6});
  const Tortilla both =
      at({{5, 6, day("2020-01-01"), {}}}, "istac")
          .extend_with({{"stac:centroid", {Binary{wkb_point(1, 2)}}}, {"stac:time_end", {day("2020-02-01")}}});
  CHECK(*extent(both).spatial == BBox{1, 2, 5, 6});
  CHECK(extent(both).temporal == TimeRange::parse("2020-01-01T00:00:00Z/2020-02-01T00:00:00Z"));
}

TEST_CASE("the extent covers locations of samples without times, and times of samples without locations") {
  const Extent place = extent(Tortilla({Sample("a", Bytes(1), {{"istac:geometry", Binary{wkb_point(7, 8)}}})}));
  CHECK(*place.spatial == BBox{7, 8, 7, 8});
  CHECK_FALSE(place.temporal);
  const Extent time = extent(Tortilla({Sample("a", Bytes(1), {{"stac:time_start", day("2020-01-01")}})}));
  CHECK(*time.spatial == BBox{-180, -90, 180, 90});
  CHECK(time.temporal->start.to_string() == "2020-01-01T00:00:00Z");
}

TEST_CASE("the extent covers the corners of grids whose CRS is known, and the centroid of others") {
  const auto grid = [](const char* crs, Value::List transform, Value centroid = Binary{wkb_point(0, 0)}) {
    return Tortilla({Sample("a", Bytes(1),
                            {{"stac:crs", crs},
                             {"stac:tensor_shape", Value::List{3, 64, 64}},
                             {"stac:geotransform", std::move(transform)},
                             {"stac:centroid", std::move(centroid)}})});
  };
  CHECK(*extent(grid("EPSG:4326", {10., .5, 0., 50., 0., -.25})).spatial == BBox{10, 34, 42, 50});
  CHECK(*extent(grid("EPSG:4326", {170., .5, 0., 50., 0., -.25})).spatial == BBox{170, 34, -158, 50});
  // Corners by pyproj 3.7.
  const BBox utm = *extent(grid("EPSG:32725", {288776.25, 28.5, 0., 9120760.75, 0., -28.5})).spatial;
  CHECK(utm.minx == doctest::Approx(-34.91624215302871).epsilon(1e-9));
  CHECK(utm.miny == doctest::Approx(-7.966388076783043).epsilon(1e-9));
  CHECK(utm.maxx == doctest::Approx(-34.899624938991934).epsilon(1e-9));
  CHECK(utm.maxy == doctest::Approx(-7.949822106851374).epsilon(1e-9));
  CHECK(*extent(grid("EPSG:3035", {4321000., 10., 0., 3210000., 0., -10.})).spatial == BBox{0, 0, 0, 0});
}

TEST_CASE("times in an extent are exact to the microsecond, middle and end times included") {
  const auto times = [](const char* column, const char* text) {
    return *extent(Tortilla({Sample("a", Bytes(1), {{column, Timestamp::parse(text)}})})).temporal;
  };
  CHECK(times("stac:time_middle", "2020-01-16T00:00:00.000001Z").start.to_string() == "2020-01-16T00:00:00.000001Z");
  CHECK(times("istac:time_end", "1969-12-31T23:59:59.999999Z").end.to_string() == "1969-12-31T23:59:59.999999Z");
  // Other types that filters take.
  const Tortilla text({Sample("a", Bytes(1), {{"stac:time_start", "2020-01-01"}}),
                       Sample("b", Bytes(1), {{"stac:time_start", "soon"}})});
  CHECK(extent(text).temporal == TimeRange{Timestamp::parse("2020-01-01"), Timestamp::parse("2020-01-01")});
  const Tortilla epochs({Sample("a", Bytes(1), {{"stac:time_start", 1577836800.}}),
                         Sample("b", Bytes(1), {{"stac:time_start", 1577836800000.5}})});
  CHECK(extent(epochs).temporal->end.microseconds == 1577836800000500);
}

TEST_CASE("footprints in WGS 84 take precedence over centroids") {
  std::string line("\1\2\0\0\0\2\0\0\0", 9);
  for (const double x : {1.0, 2.0, 3.0, 4.0}) line.append(reinterpret_cast<const char*>(&x), 8);
  const auto with = [&](const char* crs) {
    return extent(at({{2, 3}}, "istac").extend_with({{"istac:crs", {crs}}, {"istac:geometry", {Binary{line}}}}));
  };
  CHECK(*with("EPSG:4326").spatial == BBox{1, 2, 3, 4});
  CHECK(*with("EPSG:3035").spatial == BBox{2, 3, 2, 3});
  // Metres from the equator, and 500 km west of the central meridian.
  CHECK(with("EPSG:32630").spatial->minx == doctest::Approx(-7.488714));
  CHECK(with("EPSG:32630").spatial->maxy == doctest::Approx(4 * 9.019e-6).epsilon(1e-3));
}

TEST_CASE("a geometry without a CRS is in degrees, and each part split at the antimeridian stays on its side") {
  const auto geometry = [](std::string wkb) {
    return *extent(Tortilla({Sample("a", Bytes(1), {{"istac:geometry", Binary{std::move(wkb)}}})})).spatial;
  };
  CHECK(geometry(wkb_polygon(std::vector<Centroid>{{1, 2}, {3, 2}, {3, 4}})) == BBox{1, 2, 3, 4});
  CHECK(geometry(wkb_within_180({{170, 0}, {190, 0}, {190, 5}, {170, 5}})) == BBox{170, 0, -170, 5});
  CHECK(geometry(wkb_polygon(std::vector<Centroid>{{170, 0}, {190, 0}, {190, 5}})) == BBox{170, 0, -170, 5});
}

TEST_CASE("an invalid location is an error that names level and row") {
  const auto error = [](const Tortilla& tortilla) {
    try {
      extent(tortilla);
    } catch (const SchemaError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(has_text(error(at({{0, 0}, {0, 91}})), "stac:centroid of row 1 has latitude 91"));
  const Tortilla bad({Sample("a", Bytes(1), {{"stac:centroid", Binary{"xx"}}, {"stac:time_start", Timestamp{}}})});
  CHECK(has_text(error(bad), "stac:centroid of row 0 is not a geometry"));
}

TEST_CASE("a given extent is kept, and a missing one is computed") {
  const TemporaryFolder folder;
  const std::string path = folder.path("extent.tacozip");
  Collection collection{.id = "x", .dataset_version = "1", .description = "d", .licenses = {"MIT"}};
  collection.providers = {{.name = "p"}};
  collection.tasks = {"other"};
  create({at({{1, 2}, {3, 4}}), collection}, path, {.output = {.overwrite = true}});
  CHECK(*load(path).extent().spatial == BBox{1, 2, 3, 4});
  collection.extent.spatial = BBox{0, 0, 10, 10};
  create({at({{1, 2}, {3, 4}}), collection}, path, {.output = {.overwrite = true}});
  CHECK(*load(path).extent().spatial == BBox{0, 0, 10, 10});
  CHECK_FALSE(load(path).extent().temporal);
  CHECK(load(path).known_extent().spatial == BBox{0, 0, 10, 10});
  collection.extent = {};
  create({Tortilla({Sample("a", Bytes(1))}), collection}, path, {.output = {.overwrite = true}});
  CHECK(load(path).extent().spatial == BBox{});
  CHECK_FALSE(load(path).known_extent().spatial);
}

}  // namespace
