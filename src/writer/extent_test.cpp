#include "writer/extent.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "model/wkb_centroid.hpp"
#include "tacore/create.hpp"
#include "tacore/dataset.hpp"
#include "tacore/error.hpp"
#include "writer/tortilla_impl.hpp"

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
                     std::vector<Metadata>{{family + ":centroid", Binary{wkb_point(lon, lat)}},
                                           {family + ":time_start", start, "timestamp[us]"},
                                           {family + ":time_end", end, "timestamp[us]"}});
  }
  return Tortilla(std::move(out));
}

Extent extent(const Tortilla& tortilla) { return extent_of(tortilla.impl()->tree); }
BBox box(const std::vector<Place>& places) { return *extent(at(places)).spatial; }
Value day(const char* text) { return Timestamp::parse(text); }

TEST_CASE("T47: without places the extent is the globe, without times") {
  const Extent none = extent(Tortilla({Sample("a", Bytes(1))}));
  CHECK(*none.spatial == BBox{-180, -90, 180, 90});
  CHECK_FALSE(none.temporal);
}

TEST_CASE("T48: on one side of Greenwich the box is the least and greatest") {
  CHECK(box({{10, 40}, {20, 50}, {15, -5}}) == BBox{10, -5, 20, 50});
  CHECK(box({{-70, 1}, {-60, 2}}) == BBox{-70, 1, -60, 2});
}

TEST_CASE("T49: boxes go round the shorter way") {
  CHECK(box({{-9, 38}, {24, 60}}) == BBox{-9, 38, 24, 60});
  CHECK(box({{179, -1}, {-179, 1}}) == BBox{179, -1, -179, 1});
  CHECK(box({{200, 0}, {170, 0}}) == BBox{170, 0, -160, 0});
}

TEST_CASE("T50: times go from the first start to the last end, or start where there is no end") {
  const Extent year = extent(at({{0, 0, day("2023-01-01"), day("2023-12-31")}, {0, 0, day("2022-05-01"), {}}}));
  CHECK(year.temporal->start.to_string() == "2022-05-01T00:00:00Z");
  CHECK(year.temporal->end.to_string() == "2023-12-31T00:00:00Z");
  CHECK(extent(at({{0, 0, {}, {}}, {0, 0, day("2024-01-01"), {}}})).temporal->end.to_string() ==
        "2024-01-01T00:00:00Z");
}

TEST_CASE("the first level with places counts, and STAC before ISTAC") {
  const Tortilla below({Sample("a", at({{1, 2}})), Sample("b", at({{3, 4}}))});
  CHECK(*extent(below).spatial == BBox{1, 2, 3, 4});
  CHECK(*extent(at({{5, 6}}, "istac")).spatial == BBox{5, 6, 5, 6});
  const Tortilla both =
      at({{5, 6}}, "istac")
          .extend_with({{"stac:centroid", {Binary{wkb_point(1, 2)}}}, {"stac:time_start", {Timestamp{}}}});
  CHECK(*extent(both).spatial == BBox{1, 2, 1, 2});
}

TEST_CASE("footprints in WGS 84 count instead of centroids") {
  std::string line("\1\2\0\0\0\2\0\0\0", 9);
  for (const double x : {1.0, 2.0, 3.0, 4.0}) line.append(reinterpret_cast<const char*>(&x), 8);
  const auto with = [&](const char* crs) {
    return extent(at({{2, 3}}, "istac").extend_with({{"istac:crs", {crs}}, {"istac:geometry", {Binary{line}}}}));
  };
  CHECK(*with("EPSG:4326").spatial == BBox{1, 2, 3, 4});
  CHECK(*with("EPSG:32630").spatial == BBox{2, 3, 2, 3});
}

TEST_CASE("what is no place is an error that names level and row") {
  const auto error = [](const Tortilla& tortilla) {
    try {
      extent(tortilla);
    } catch (const SchemaError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(error(at({{0, 0}, {0, 91}})).find("stac:centroid of row 1 has latitude 91") != std::string::npos);
  const Tortilla bad({Sample("a", Bytes(1), {{"stac:centroid", Binary{"xx"}}, {"stac:time_start", Timestamp{}}})});
  CHECK(error(bad).find("stac:centroid of row 0 is no geometry") != std::string::npos);
}

TEST_CASE("T46: an extent that is given stays, one that is missing is computed") {
  const std::string path = std::filesystem::temp_directory_path() / "tacore-extent.tacozip";
  Collection collection{.id = "x", .dataset_version = "1", .description = "d", .licenses = {"MIT"}};
  collection.providers = {{.name = "p"}};
  collection.tasks = {"other"};
  create({at({{1, 2}, {3, 4}}), collection}, path, {.overwrite = true});
  CHECK(*load(path).extent().spatial == BBox{1, 2, 3, 4});
  collection.extent.spatial = BBox{0, 0, 10, 10};
  create({at({{1, 2}, {3, 4}}), collection}, path, {.overwrite = true});
  CHECK(*load(path).extent().spatial == BBox{0, 0, 10, 10});
  CHECK_FALSE(load(path).extent().temporal);
  std::filesystem::remove(path);
}

}  // namespace
