#include "tacore/extensions/stac.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "describe/footprint.hpp"
#include "model/collection_json.hpp"
#include "support/describe_data.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

Parsed stac_of(const std::string& path, const DescribeOptions& options = {}) {
  return Parsed::parse(collection2stac(load(path), options));
}

/// A sample on a grid of 10 x 20 pixels of one degree.
Sample gridded(const std::string& id, const std::string& crs, double west, double north) {
  Sample out(id, Bytes(3));
  out.extend_with(extensions::STAC({.crs = crs,
                                    .tensor_shape = {3, 10, 20},
                                    .geotransform = {west, 1, 0, north, 0, -1},
                                    .time_start = Timestamp::parse("2020-01-01"),
                                    .time_end = Timestamp::parse("2020-01-03"),
                                    .centroid = Binary{wkb_point(1, 2)}}));
  return out;
}

TEST_CASE("the files of an index are beside it, also where its folder stands for it") {
  const TemporaryFolder folder;
  fs::copy(golden("cascade_tacocat"), folder.path("parts"), fs::copy_options::recursive);
  for (const char* index : {".tacocat", "__TACOCAT__", "TACOLLECTION.json"}) {
    const auto part = [&](const std::string& path) {
      return Parsed::parse(collection2stac(load(path), {.base_url = "https://example.org"}))["assets"];
    };
    CHECK(part(folder.path("parts")) == part(folder.path(std::string("parts/") + index)));
    CHECK(part(folder.path("parts"))["cascade_part0001.tacozip"]["taco:size"] > 0);
    fs::remove_all(folder.path(std::string("parts/") + index));
  }
}

TEST_CASE("a STAC Collection has the required members, and the providers, licence and files of the dataset") {
  const Made made({placed("a", 10, 20)}, small_collection());
  const Parsed out = stac_of(made.path);
  CHECK(out["type"] == "Collection");
  CHECK(out["stac_version"] == "1.1.0");
  CHECK(out["id"] == "small");
  CHECK(out["title"] == "small");  // the id where there is no title
  CHECK(out["license"] == "CC-BY-4.0");
  CHECK(out["providers"][0] ==
        Parsed{{"name", "Lab"}, {"roles", {"producer", "host"}}, {"url", "https://example.org"}});
  CHECK(out["extent"]["spatial"]["bbox"] == Parsed{{10.0, 20.0, 10.0, 20.0}});
  CHECK(out["extent"]["temporal"]["interval"] ==
        Parsed::array({Parsed::array({"2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"})}));
  CHECK(out["assets"]["small.tacozip"]["href"] == "./small.tacozip");
  CHECK(out["assets"]["small.tacozip"]["taco:size"] == fs::file_size(made.path));
  CHECK(out["links"].size() == 1);  // the licence
}

TEST_CASE(
    "an unknown extent becomes the globe and all times, as STAC requires one, with a statement that it is unknown") {
  const Parsed out = stac_of(golden("no_extent.tacozip"))["extent"];
  CHECK(out["spatial"] == Parsed{{"bbox", {{-180.0, -90.0, 180.0, 90.0}}}, {"taco:extent", "unknown"}});
  CHECK(out["temporal"] == Parsed{{"interval", {{nullptr, nullptr}}}, {"taco:extent", "unknown"}});
  const Made made({placed("a", 10, 20)}, small_collection());
  CHECK_FALSE(stac_of(made.path)["extent"]["spatial"].contains("taco:extent"));
}

TEST_CASE("the extent is that of the footprints, whatever the collection states") {
  Collection collection = small_collection();
  collection.extent = {.spatial = BBox{12, 43, 13, 44}, .temporal = TimeRange::parse("2019-01-01T00:00:00Z")};
  const Made made({gridded("a", "EPSG:4326", 10, 50), gridded("b", "EPSG:4326", 12, 52)}, collection);
  const Parsed extent = stac_of(made.path)["extent"];
  CHECK(extent["spatial"]["bbox"] == Parsed{{10.0, 40.0, 32.0, 52.0}});
  CHECK(extent["temporal"]["interval"] ==
        Parsed::array({Parsed::array({"2020-01-01T00:00:00Z", "2020-01-03T00:00:00Z"})}));
}

TEST_CASE("the extent includes deeper levels, and the collection's own extent where a sample has no location") {
  const auto folder = [](std::vector<Sample> children) { return Sample("f", Tortilla(std::move(children))); };
  Collection collection = small_collection();
  collection.extent.spatial = BBox{0, 0, 50, 50};
  const Made below({folder({placed("a", 10, 20), placed("b", 60, 20)})}, collection);
  CHECK(stac_of(below.path)["extent"]["spatial"]["bbox"] == Parsed{{10.0, 20.0, 60.0, 20.0}});
  const Made half({Sample("a", Bytes(1), {{"istac:centroid", Binary{wkb_point(60, 20)}}}),
                   Sample("b", Bytes(1), {{"istac:centroid", Value()}})},
                  collection);
  CHECK(stac_of(half.path)["extent"]["spatial"]["bbox"] == Parsed{{0.0, 0.0, 60.0, 50.0}});
}

TEST_CASE("the extent covers stac: and istac: columns, as the extent that create() computes") {
  const Sample sample("a", Bytes(1),
                      {{"stac:centroid", Binary{wkb_point(60, 20)}},
                       {"istac:centroid", Binary{wkb_point(10, 30)}},
                       {"stac:time_start", Timestamp::parse("2021-01-01T00:00:00Z")},
                       {"istac:time_start", Timestamp::parse("2020-01-01T00:00:00Z")}});
  const Made made({sample}, small_collection());
  const Parsed extent = stac_of(made.path)["extent"];
  CHECK(extent["spatial"]["bbox"] == Parsed{{10.0, 20.0, 60.0, 30.0}});
  CHECK(extent["temporal"]["interval"] ==
        Parsed::array({Parsed::array({"2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"})}));
  const Extent stated = made.dataset().extent();
  CHECK(stated.spatial == BBox{10, 20, 60, 30});
  CHECK(stated.temporal == TimeRange::parse("2020-01-01T00:00:00Z/2021-01-01T00:00:00Z"));
}

TEST_CASE("the extent and the counts of a view are those of its samples, at every level") {
  const auto folder = [](const std::string& id, double lon, const std::string& time) {
    return Sample(id, Tortilla({placed("x", lon, 20, time), placed("y", lon + 1, 20, time)}));
  };
  const Made made({folder("a", 10, "2020-01-01T00:00:00Z"), folder("b", 60, "2021-01-01T00:00:00Z")},
                  small_collection());
  const Dataset view = made.dataset().sql("SELECT * FROM data WHERE id = 'b'");
  const Parsed out = Parsed::parse(collection2stac(view));
  CHECK(out["extent"]["spatial"]["bbox"] == Parsed{{60.0, 20.0, 61.0, 20.0}});
  CHECK(out["extent"]["temporal"]["interval"][0][0] == "2021-01-01T00:00:00Z");
  const std::string text = collection2markdown(view);
  CHECK(has_text(text, "- **Samples**: 1, 2 at level 1\n"));
  CHECK(has_text(text, "### Level 1: 2 rows"));
  CHECK(Parsed::parse(collection2croissant(view))["temporalCoverage"] == "2021-01-01T00:00:00Z/2021-01-01T00:00:00Z");
  const Dataset cascade = made.dataset().filter_bbox(59, 19, 60.5, 21, {.level = 1});
  CHECK(Parsed::parse(collection2stac(cascade))["extent"]["spatial"]["bbox"] == Parsed{{60.0, 20.0, 60.0, 20.0}});
  const std::string nothing = collection2markdown(made.dataset().sql("SELECT * FROM data WHERE id = 'c'"));
  CHECK(has_text(nothing, "**Extent**: unknown"));
}

TEST_CASE("a half-open time range is a half-open interval, and a box over the antimeridian stays as it is") {
  CHECK(stac_of(golden("half_open_extent.tacozip"))["extent"]["temporal"]["interval"][0].size() == 2);
  CHECK(stac_of(golden("antimeridian_extent.tacozip"))["extent"]["spatial"]["bbox"][0] ==
        Parsed{170.0, -20.0, -170.0, -10.0});
}

TEST_CASE("several licences are links, and so is a licence unknown to SPDX that has a URL") {
  Collection collection = small_collection();
  collection.licenses = {"odbl-1.0", "https://example.org/terms", "ask us"};
  const Parsed out = stac_of(Made({placed("a", 1, 2)}, collection).path);
  CHECK(out["license"] == "other");
  REQUIRE(out["links"].size() == 2);
  CHECK(out["links"][0]["rel"] == "license");
  CHECK(out["links"][0]["href"] == "https://spdx.org/licenses/ODbL-1.0.html");
  CHECK(out["links"][1]["href"] == "https://example.org/terms");
}

TEST_CASE("the boxes of index partitions follow the overall box, and the index tables are assets") {
  const Parsed out = stac_of(golden("cascade_tacocat"));
  CHECK(out["extent"]["spatial"]["bbox"].size() == 5);
  CHECK(out["assets"].contains(".tacocat/level0.parquet"));
  CHECK(out["assets"].size() == 4 + 3);
}

TEST_CASE("bands have wavelengths in micrometres and the names that STAC has for them") {
  const Parsed out = stac_of(golden("../../examples/data/landsat.tacozip"));
  CHECK(out["bands"][3]["name"] == "B04");
  CHECK(out["bands"][3]["eo:common_name"] == "nir");
  CHECK(eo_common_name("Red edge 4") == "nir08");
  CHECK(eo_common_name("VNIR").empty());
  CHECK(out["bands"][3]["eo:center_wavelength"].get<double>() == doctest::Approx(0.835));
  CHECK(out["summaries"]["instruments"] == Parsed{"landsat7etm"});
}

TEST_CASE("the extensions that a Collection declares are those of which it has what their schemas require") {
  const auto has = [](const Parsed& stac, const std::string& name) {
    return std::ranges::any_of(stac["stac_extensions"],
                               [&](const Parsed& url) { return has_text(url.get<std::string>(), "/" + name + "/"); });
  };
  const Parsed landsat = stac_of(golden("../../examples/data/landsat.tacozip"));
  CHECK(has(landsat, "eo"));
  CHECK(landsat["summaries"]["eo:common_name"][0] == "blue");
  for (const auto& contact : landsat["contacts"]) {
    CHECK(contact["name"].is_string());
    for (const auto& link : contact.value("links", Parsed::array())) CHECK(link["type"] == "text/html");
  }
  Collection collection = small_collection();
  collection.providers = {{.organization = "Agency", .url = "https://example.org"}};
  collection.json = R"({"optical:bands": [{"name": "B1"}]})";
  const Parsed plain = stac_of(Made({placed("a", 1, 2)}, collection).path);
  CHECK(plain["bands"] == Parsed::array({{{"name", "B1"}}}));
  CHECK_FALSE(has(plain, "eo"));
  CHECK(plain["contacts"][0]["name"] == "Agency");
}

TEST_CASE("an Item has the time, the geometry, and the file and byte range of its sample") {
  const Made made({placed("a", 10, 20), placed("b", 11, 21, "2020-06-01T12:00:00Z")}, small_collection());
  const Items out(made.dataset());
  REQUIRE(out.ids == Strings{"a", "b"});
  const Parsed& item = out.items[1];
  CHECK(item["geometry"] == Parsed{{"type", "Point"}, {"coordinates", {11.0, 21.0}}});
  CHECK(item["bbox"] == Parsed{11.0, 21.0, 11.0, 21.0});
  CHECK(item["properties"]["datetime"] == "2020-06-01T12:00:00Z");
  CHECK(item["collection"] == "small");
  const Parsed& asset = item["assets"]["data"];
  CHECK(asset["href"] == "./small.tacozip");
  const auto offset = asset["taco:offset"].get<std::size_t>(), size = asset["taco:size"].get<std::size_t>();
  CHECK(file_text(made.path).substr(offset - 6, 6) == "DATA/b");
  CHECK(size == 3);
  CHECK(asset["taco:vsi"] == "/vsisubfile/" + std::to_string(offset) + "_3,small.tacozip");
}

TEST_CASE("links use the base URL where one is given, and so do GDAL paths") {
  const Made made({placed("a", 10, 20)}, small_collection(), "a b.tacozip");
  const Items out(made.dataset(), 0, {.base_url = "https://example.org/data/"});
  const Parsed& asset = out.items[0]["assets"]["data"];
  CHECK(asset["href"] == "https://example.org/data/a%20b.tacozip");
  CHECK(asset["taco:vsi"].get<std::string>().ends_with(",/vsicurl/https://example.org/data/a%20b.tacozip"));
}

TEST_CASE("the FILEs of a FOLDER are the assets of its Item, at any depth") {
  const Items nested(load(golden("../../examples/data/landsat_nested.tacozip")));
  REQUIRE(nested.items.size() == 6);
  std::string names;
  for (const auto& [name, asset] : nested.items[0]["assets"].items()) names += name + " ";
  CHECK(names == "dem mask optical ");
  const Items deep(load(golden("cascade_tacocat")));
  CHECK(deep.items[0]["assets"].contains("country_1/city_0"));
  CHECK(deep.items[0]["assets"].size() == 4);
}

TEST_CASE("every container gives the same Items but for where their bytes are") {
  const Items zip(load(golden("nested.tacozip")), 1), folder(load(golden("nested")), 1);
  REQUIRE(zip.ids == folder.ids);
  for (std::size_t i = 0; i < zip.items.size(); ++i) {
    CHECK(zip.items[i]["properties"] == folder.items[i]["properties"]);
    CHECK(zip.items[i]["geometry"] == folder.items[i]["geometry"]);
  }
  CHECK(folder.items[1]["assets"]["data"]["href"] == "./DATA/africa/item_1");
  CHECK_FALSE(folder.items[1]["assets"]["data"].contains("taco:offset"));
}

TEST_CASE("Items of a deeper level have their path as id") {
  const Items out(load(golden("nested.tacozip")), 1);
  REQUIRE(out.ids.size() == 9);
  CHECK(out.ids[4] == "asia_item_1");
  CHECK(out.items[4]["properties"]["taco:path"] == "asia/item_1");
  CHECK_THROWS_WITH_AS(Items(load(golden("nested.tacozip")), 2), doctest::Contains("Level 2 does not exist"),
                       QueryError);
}

TEST_CASE("Items are those of the view, without padding") {
  CHECK(Items(load(golden("cascade_tacocat")).sql("SELECT * FROM data WHERE id > 'b'")).ids == Strings{"europe"});
  const Dataset padded = load(golden("flat_padded.tacozip"));
  const Items out(padded);
  CHECK(static_cast<int64_t>(out.ids.size()) == padded.num_rows());
  CHECK(padded.num_rows() > 0);
  for (const auto& id : out.ids) CHECK_FALSE(has_text(id, "TACOPAD"));
}

TEST_CASE("ids of Items are unique and contain no characters with a meaning in URLs") {
  const Made made({placed("a b", 1, 2), placed("a?b", 1, 2), placed("\xc3\xa9", 1, 2)}, small_collection());
  const Items out(made.dataset());
  CHECK(out.ids == Strings{"a_b", "a_b_1", "__"});
  CHECK(out.items[1]["properties"]["taco:path"] == "a?b");
}

TEST_CASE("a grid in degrees is a Polygon with the members of the projection extension") {
  const Made made({gridded("a", "EPSG:4326", 10, 50)}, small_collection());
  const Parsed item = Items(made.dataset()).items[0];
  CHECK(item["bbox"] == Parsed{10.0, 40.0, 30.0, 50.0});
  CHECK(item["geometry"]["coordinates"][0] ==
        Parsed{{10.0, 50.0}, {10.0, 40.0}, {30.0, 40.0}, {30.0, 50.0}, {10.0, 50.0}});
  const Parsed& properties = item["properties"];
  CHECK(properties["proj:code"] == "EPSG:4326");
  CHECK(properties["proj:shape"] == Parsed{10, 20});
  CHECK(properties["proj:transform"] == Parsed{1.0, 0.0, 10.0, 0.0, -1.0, 50.0});
  CHECK(properties["proj:centroid"] == Parsed{{"lat", 2.0}, {"lon", 1.0}});
  CHECK(properties["datetime"] == "2020-01-02T00:00:00Z");
  CHECK(properties["start_datetime"] == "2020-01-01T00:00:00Z");
  CHECK(properties["end_datetime"] == "2020-01-03T00:00:00Z");
  CHECK_FALSE(properties.contains("stac:geotransform"));
  CHECK(item["stac_extensions"].size() == 1);
}

/// Degrees that are shifted, so that they turn around the globe.
struct Shifted : CrsTransformer {
  bool is_geographic(const std::string&) const override { return false; }
  LonLat to_wgs84(const std::string& crs, double x, double y) const override {
    if (crs == "EPSG:1") throw SchemaError("not known");
    return {x > 180 ? x - 360 : x, y};
  }
};

TEST_CASE("a grid over the antimeridian is split into two polygons") {
  const Shifted shifted;
  Sample sample(gridded("a", "SR-ORG:1", 170, 10));
  const Made made({sample}, small_collection());
  const Parsed item = Items(made.dataset(), 0, {.transformer = &shifted}).items[0];
  CHECK(item["bbox"] == Parsed{170.0, 0.0, -170.0, 10.0});
  REQUIRE(item["geometry"]["type"] == "MultiPolygon");
  for (const auto& polygon : item["geometry"]["coordinates"]) {
    for (const auto& at : polygon[0]) CHECK(std::abs(at[0].get<double>()) >= 170);
  }
}

TEST_CASE("an unknown coordinate system gives the centroid as geometry, with a warning") {
  const Report report;
  const Made made({gridded("a", "SR-ORG:1", 170, 10)}, small_collection());
  CHECK(Items(made.dataset()).items[0]["geometry"]["type"] == "Point");
  CHECK(Items(made.dataset()).items[0]["properties"]["proj:code"] == "SR-ORG:1");
  CHECK(report.has(LogLevel::Warning, "level 0: its extent: the footprints of 1 samples in the CRS 'SR-ORG:1'"));
}

TEST_CASE("a level without times uses the dataset's times, and without either there are no Items") {
  const Sample sample("a", Bytes(1), {{"istac:centroid", Binary{wkb_point(1, 2)}}});
  Collection collection = small_collection();
  collection.extent = {.spatial = BBox{}, .temporal = TimeRange::parse("2020-01-01T00:00:00Z/2021-01-01T00:00:00Z")};
  const Parsed item = Items(Made({sample}, collection).dataset()).items[0];
  CHECK(item["properties"]["datetime"].is_null());
  CHECK(item["properties"]["start_datetime"] == "2020-01-01T00:00:00Z");
  CHECK(item["properties"]["end_datetime"] == "2021-01-01T00:00:00Z");
  const Made timeless({sample}, small_collection());
  CHECK_THROWS_WITH_AS(Items(timeless.dataset()), doctest::Contains("sample 'a' has no time"), SchemaError);
}

/// Values that are no times once became the interval of the whole dataset.
TEST_CASE("numeric times are epochs, as for filters, and start, middle or end is enough") {
  const auto times_of = [](const std::map<std::string, Value>& columns) {
    Sample sample("a", Bytes(1), {{"istac:time_start", Value()}});
    Sample other("z", Bytes(1), {{"istac:time_start", Timestamp::parse("2030-01-01T00:00:00Z")}});
    for (const auto& [name, value] : columns) sample.extend_with({{name, value}}), other.extend_with({{name, Value()}});
    const Parsed all = Items(Made({sample, other}, small_collection()).dataset()).items[0]["properties"];
    std::string out;
    for (const char* key : {"datetime", "start_datetime", "end_datetime", "taco:time"}) {
      if (all.contains(key)) out += all[key].is_null() ? "null " : all[key].get<std::string>() + " ";
    }
    return out;
  };
  const Timestamp first = Timestamp::parse("2020-02-10T00:00:00Z"), last = Timestamp::parse("2020-02-12T00:00:00Z");
  CHECK(times_of({{"stac:time_start", 1581292800}}) == "2020-02-10T00:00:00Z ");
  CHECK(times_of({{"stac:time_start", 1581292800000}}) == "2020-02-10T00:00:00Z ");
  CHECK(times_of({{"stac:time_start", 1581292800000000}}) == "2020-02-10T00:00:00Z ");
  CHECK(times_of({{"stac:time_start", 1581292800000000000}}) == "2020-02-10T00:00:00Z ");
  CHECK(times_of({{"stac:time_start", 1581292800.5}}) == "2020-02-10T00:00:00.500000Z ");
  CHECK(times_of({{"stac:time_end", last}}) == "2020-02-12T00:00:00Z ");
  CHECK(times_of({{"stac:time_middle", first}}) == "2020-02-10T00:00:00Z ");
  CHECK(times_of({{"stac:time_start", last}, {"stac:time_end", first}}) ==
        "null 2020-02-10T00:00:00Z 2020-02-12T00:00:00Z ");
  const std::string unknown = "null 0001-01-01T00:00:00Z 9999-12-31T23:59:59Z unknown ";
  CHECK(times_of({{"stac:time_start", "2020-1-1"}}) == unknown);
  CHECK(times_of({{"stac:time_start", Value()}}) == unknown);
  CHECK(times_of({{"stac:time_start", std::nan("")}}) == unknown);
  CHECK(times_of({{"stac:time_start", std::numeric_limits<int64_t>::min()}}) == unknown);
}

TEST_CASE("a warning counts the samples whose times are invalid") {
  const auto at = [](const std::string& id, const Value& start, const Value& end) {
    return Sample(id, Bytes(1), {{"stac:time_start", start}, {"stac:time_end", end}});
  };
  const Made text({at("a", "2020-01-01", Value()), at("b", "soon", Value()), at("c", "2020-1-1", Value())},
                  small_collection());
  const Made turned({at("a", Timestamp{5}, Timestamp{3}), at("b", Timestamp{3}, Timestamp{5})}, small_collection());
  const Report report;
  const Parsed extent = stac_of(text.path)["extent"];
  CHECK(extent["temporal"]["interval"][0][0] == "2020-01-01T00:00:00Z");
  CHECK(report.has(LogLevel::Warning, "level 0: the time is unknown"));
  CHECK(report.has(LogLevel::Warning, "2 samples, the first is 'b' with \"soon\" in stac:time_start"));
  stac_of(turned.path);
  CHECK(report.has(LogLevel::Warning, "the time ends before it starts; the two are exchanged: 1 sample, 'a'"));
}

TEST_CASE("a sample without a location has a null geometry and no box") {
  const Made made(
      {placed("a", 10, 20), Sample("b", Bytes(1), {{"istac:centroid", Value()}, {"istac:time_start", Timestamp{0}}})},
      small_collection());
  const Items out(made.dataset());
  CHECK(out.items[1]["geometry"].is_null());
  CHECK_FALSE(out.items[1].contains("bbox"));
}

TEST_CASE("locations are read in every form that filters read") {
  CHECK(Items(load(golden("polygons.tacozip")).sql("SELECT *, TIMESTAMP '2020-01-01' AS \"stac:time_start\" FROM data"))
            .items[0]["geometry"]
            .is_object());
  for (const char* name : {"wkt_points.tacozip", "lonlat_lists.tacozip"}) {
    CAPTURE(name);
    const Items out(load(golden(name)).sql("SELECT *, TIMESTAMP '2020-01-01' AS \"stac:time_start\" FROM data"));
    CHECK(out.items[0]["geometry"]["type"] == "Point");
  }
}

TEST_CASE("invalid geometry bytes are an error that names the sample, and invalid positions are omitted") {
  const auto with_place = [](const std::string& wkb) {
    return Made({Sample("a", Bytes(1), {{"istac:geometry", Binary{wkb}}, {"istac:time_start", Timestamp{0}}})}, [] {
      Collection out = small_collection();
      out.extent.spatial = BBox{};
      return out;
    }());
  };
  const double nan = std::nan("");
  const std::vector<Centroid> corners = {{0, 0}, {1, 0}, {nan, nan}, {1, 1}};
  const Items out(with_place(wkb_polygon(corners)).dataset());
  CHECK(out.items[0]["geometry"]["coordinates"][0] == Parsed{{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 0.0}});
  std::string cut = wkb_polygon(corners);
  cut.resize(30);
  CHECK_THROWS_WITH_AS(Items(with_place(cut).dataset()), doctest::Contains("sample 'a' has no geometry"), FormatError);
}

TEST_CASE("a CRS is written as a code, WKT, PROJJSON or its name") {
  const auto system = [](const std::string& crs) {
    return Items(Made({gridded("a", crs, 0, 10)}, small_collection()).dataset()).items[0]["properties"];
  };
  const auto known = [&](const std::string& crs) {
    Sample sample("a", Bytes(3));
    sample.extend_with({{"stac:crs", crs}, {"stac:time_start", Timestamp{0}}});
    return Items(Made({sample}, small_collection()).dataset()).items[0]["properties"];
  };
  CHECK(system("epsg:4326")["proj:code"] == "EPSG:4326");
  CHECK(known("PROJCRS[\"x\"]")["proj:wkt2"] == "PROJCRS[\"x\"]");
  CHECK(known("{\"type\": \"GeographicCRS\"}")["proj:projjson"] == Parsed{{"type", "GeographicCRS"}});
  CHECK(known("+proj=utm +zone=30")["stac:crs"] == "+proj=utm +zone=30");
  CHECK(known("{\"a\":" + std::string(100000, '['))["stac:crs"].is_string());
}

TEST_CASE("a column whose name has another meaning in STAC gets a prefix") {
  Sample sample = placed("a", 1, 2);
  sample.extend_with({{"title", 5}, {"datetime", "x"}, {"proj:code", 1}, {"cloud", 0.5}, {"raw", Binary{"\xff"}}});
  const Parsed properties = Items(Made({sample}, small_collection()).dataset()).items[0]["properties"];
  CHECK(properties["taco:title"] == 5);
  CHECK(properties["taco:datetime"] == "x");
  CHECK(properties["datetime"] == "2020-01-01T00:00:00Z");
  CHECK(properties["taco:proj:code"] == 1);
  CHECK(properties["cloud"] == 0.5);
  CHECK(properties["raw"] == "/w==");
}

TEST_CASE("hostile text survives every JSON output unchanged") {
  Collection collection = small_collection();
  collection.title = kHostile;
  collection.providers[0].name = kHostile;
  Sample sample = placed("a", 1, 2);
  sample.extend_with({{"note", kHostile}});
  const Made made({sample}, collection);
  CHECK(stac_of(made.path)["title"] == kHostile);
  CHECK(stac_of(made.path)["providers"][0]["name"] == kHostile);
  CHECK(Items(made.dataset()).items[0]["properties"]["note"] == kHostile);
}

TEST_CASE("a catalog is a folder in which links lead to Items, and from them to the data") {
  const Made made({placed("a", 10, 20), placed("b", 11, 21)}, small_collection());
  const std::string folder = made.folder.path("catalog");
  write_stac(made.dataset(), folder);
  const Parsed collection = Parsed::parse(file_text(folder + "/collection.json"));
  Strings hrefs;
  for (const auto& link : collection["links"]) {
    if (link["rel"] == "item") hrefs.push_back(link["href"]);
  }
  CHECK(hrefs == Strings{"./items/a.json", "./items/b.json"});
  CHECK(collection["assets"]["small.tacozip"]["href"] == "../small.tacozip");
  const Parsed item = Parsed::parse(file_text(folder + "/items/b.json"));
  CHECK(item["assets"]["data"]["href"] == "../../small.tacozip");
  CHECK(item["links"][0]["href"] == "../collection.json");
}

TEST_CASE("a catalog replaces only another catalog, and only with overwrite") {
  const Made made({placed("a", 10, 20)}, small_collection());
  const Dataset dataset = made.dataset();
  const std::string folder = made.folder.path("catalog");
  write_stac(dataset, folder);
  CHECK_THROWS_WITH_AS(write_stac(dataset, folder), doctest::Contains("exists already"), IoError);
  made.folder.write("catalog/items/old.json", "{}");
  write_stac(dataset, folder, 0, {.overwrite = true});
  CHECK_FALSE(fs::exists(folder + "/items/old.json"));
  CHECK(fs::exists(folder + "/items/a.json"));
  made.folder.write("other/file", "kept");
  CHECK_THROWS_WITH_AS(write_stac(dataset, made.folder.path("other"), 0, {.overwrite = true}),
                       doctest::Contains("is not a folder with a collection.json"), IoError);
  CHECK(file_text(made.folder.path("other/file")) == "kept");
}

TEST_CASE("a catalog that fails leaves nothing behind") {
  const Made made({Sample("a", Bytes(1))}, small_collection());
  CHECK_THROWS_AS(write_stac(made.dataset(), made.folder.path("catalog")), SchemaError);
  CHECK(std::distance(fs::directory_iterator(made.folder.path()), fs::directory_iterator()) == 1);
}

/// South polar stereographic on a sphere, as EPSG:3031 has its axes.
struct Polar : CrsTransformer {
  bool is_geographic(const std::string&) const override { return false; }
  LonLat to_wgs84(const std::string&, double x, double y) const override {
    constexpr double kRadius = 6371000, kDegree = 3.14159265358979323846 / 180;
    return {std::atan2(x, y) / kDegree, 2 * std::atan(std::hypot(x, y) / (2 * kRadius)) / kDegree - 90};
  }
};

/// Whether a Polygon or MultiPolygon without holes has the position inside, in the plane of its numbers.
bool holds(const Parsed& geometry, double lon, double lat) {
  const Parsed all =
      geometry["type"] == "MultiPolygon" ? geometry["coordinates"] : Parsed::array({geometry["coordinates"]});
  return std::any_of(all.begin(), all.end(), [&](const Parsed& polygon) {
    const auto ring = polygon[0].get<std::vector<std::array<double, 2>>>();
    bool inside = false;
    for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
      const auto &a = ring[i], &b = ring[i + 1];
      if ((a[1] > lat) != (b[1] > lat) && lon < a[0] + (b[0] - a[0]) * (lat - a[1]) / (b[1] - a[1])) inside = !inside;
    }
    return inside;
  });
}

/// Four corners do not bound a grid that goes around the globe or around a pole.
TEST_CASE("the footprint and the box of a wide, global or polar grid contain its pixels") {
  struct Case {
    const char* name;
    const char* crs;
    double west, north, step;
    int columns, rows;
    Parsed box = nullptr;
  };
  const Case cases[] = {
      {"globe", "EPSG:4326", -180, 90, 10, 36, 18, {-180.0, -90.0, 180.0, 90.0}},
      {"globe from Greenwich", "EPSG:4326", 0, 90, 10, 36, 18, {-180.0, -90.0, 180.0, 90.0}},
      {"200 degrees", "EPSG:4326", -100, 50, 10, 20, 2, {-100.0, 30.0, 100.0, 50.0}},
      {"over the antimeridian", "EPSG:4326", 170, 10, 1, 20, 10, {170.0, 0.0, -170.0, 10.0}},
      {"beyond 180", "EPSG:4326", 190, 10, 1, 10, 10, {-170.0, 0.0, -160.0, 10.0}},
      {"190 degrees over the antimeridian", "EPSG:4326", 80, 10, 10, 19, 1, {80.0, 0.0, -90.0, 10.0}},
      {"around the pole", "EPSG:3031", -2e6, 2e6, 1e5, 40, 40},
      {"around the pole, off centre", "EPSG:3031", -5e5, 3e6, 1e5, 40, 40},
      {"beside the pole", "EPSG:3031", 0, 2e6, 1e5, 30, 40},
      {"far from the pole", "EPSG:3031", 1e6, 2e6, 1e5, 10, 10},
  };
  const Polar polar;
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const bool in_degrees = std::string(c.crs) == "EPSG:4326";
    Sample sample("a", Bytes(3), {{"stac:time_start", Timestamp{0}}, {"stac:crs", c.crs}});
    sample.extend_with({{"stac:geotransform", Value::List{c.west, c.step, 0.0, c.north, 0.0, -c.step}},
                        {"stac:tensor_shape", Value::List{c.rows, c.columns}}});
    const Made made({sample}, small_collection());
    const Parsed item = Items(made.dataset(), 0, {.transformer = in_degrees ? nullptr : &polar}).items[0];
    const auto box = item["bbox"].get<std::array<double, 4>>();
    if (!c.box.is_null()) CHECK(item["bbox"] == c.box);
    int lost = 0;
    for (int row = 0; row < c.rows; ++row) {
      for (int column = 0; column < c.columns; ++column) {
        const double x = c.west + (column + 0.5) * c.step, y = c.north - (row + 0.5) * c.step;
        LonLat at = in_degrees ? LonLat{x, y} : polar.to_wgs84(c.crs, x, y);
        if (at.lon > 180) at.lon -= 360;
        const bool from = at.lon >= box[0], to = at.lon <= box[2], in_box = box[0] <= box[2] ? from && to : from || to;
        if (!in_box || at.lat < box[1] || at.lat > box[3] || !holds(item["geometry"], at.lon, at.lat)) ++lost;
      }
    }
    CHECK(lost == 0);
  }
}

TEST_CASE("longitudes beyond 180 degrees are wrapped, and latitudes beyond a pole are dropped") {
  using descriptions::footprint_of;
  using descriptions::geojson_of;
  const auto point = footprint_of(wkb_point(200, 5));
  REQUIRE(point);
  CHECK(Parsed(geojson_of(point->wkb))["coordinates"] == Parsed{-160.0, 5.0});
  CHECK(point->box.minx == -160);
  const std::vector<Centroid> east = {{190, 0}, {200, 0}, {200, 5}, {190, 5}};
  CHECK(footprint_of(wkb_polygon(east))->box.maxx == -160);
  const std::vector<Centroid> across = {{170, 0}, {190, 0}, {190, 5}, {170, 5}};
  CHECK(Parsed(geojson_of(footprint_of(wkb_polygon(across))->wkb))["type"] == "MultiPolygon");
  CHECK(footprint_of(wkb_polygon(across))->box.minx == 170);
  CHECK(footprint_of(wkb_polygon(across))->box.maxx == -170);
  const std::vector<Centroid> beyond = {{0, 0}, {0, 91}, {1, 91}, {1, 0}};
  CHECK_FALSE(footprint_of(wkb_polygon(beyond)));
  const Made made({placed("a", 200, 5)}, small_collection());
  CHECK(Items(made.dataset()).items[0]["geometry"]["coordinates"] == Parsed{-160.0, 5.0});
}

}  // namespace
