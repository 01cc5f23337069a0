#include <doctest/doctest.h>

#include "model/wkb.hpp"
#include "support/describe_data.hpp"
#include "support/support.hpp"
#include "table/level_table.hpp"
#include "table/level_write.hpp"
#include "tacore/error.hpp"

/// Datasets before 2.0 (tests/golden/v1, made by tests/v1/write_v1.py) in every form.
namespace {

using namespace tacore;

Dataset v1(const std::string& name) { return load(golden("v1/" + name)); }

TEST_CASE("the collection of a TACO 0.2.0 is described as one of 2.0") {
  const Parsed stac = Parsed::parse(collection2stac(v1("flat.taco")));
  CHECK(stac["id"] == "demo");
  CHECK(stac["title"] == "Demo");
  CHECK(stac["license"] == "CC-BY-4.0");
  CHECK(stac["extent"]["spatial"]["bbox"][0] == Parsed{-10.0, 35.0, 5.0, 45.0});
  CHECK(stac["extent"]["temporal"]["interval"][0][1] == "2020-12-31T00:00:00Z");
  CHECK(stac["contacts"][0]["emails"][0]["value"] == "ada@example.org");
  CHECK(stac["providers"][0]["url"] == "https://example.org");
  CHECK(stac["bands"][0]["eo:center_wavelength"] == 0.4965);
  CHECK(stac["taco:version"] == "0.4.0");
  CHECK(stac["taco:split_strategy"] == "manual");
  CHECK(stac["links"][1]["rel"] == "via");
  CHECK(stac["assets"]["flat.taco"]["type"] == "application/vnd.taco+blob");
  const Parsed datacite = Parsed::parse(collection2datacite(v1("flat.taco"), {.published = "2026"}));
  CHECK(datacite["formats"] == Parsed{"application/vnd.taco+blob"});
  CHECK(datacite["sizes"][0] == "5 samples");
  CHECK(datacite["subjects"][1] == Parsed{{"subject", "super-resolution"}, {"subjectScheme", "TACO task"}});
  const std::string card = collection2datacard(v1("flat.taco"));
  for (const std::string words :
       {"image-to-image", "# Demo", "TACO 0.4.0, taco", "taco info 'flat.taco'", "| `B02` |", "tortilla:id"}) {
    CAPTURE(words);
    CHECK(has_text(card, words));
  }
  CHECK(has_text(collection2html(v1("flat.taco")), "Demo"));
}

TEST_CASE(
    "a collection in the form of the specification gives the same description, task titles and milliseconds included") {
  const Parsed stac = Parsed::parse(collection2stac(v1("spec.taco")));
  CHECK(stac["taco:tasks"] == Parsed{"super-resolution"});
  CHECK(stac["extent"]["temporal"]["interval"][0] == Parsed{"2020-01-01T00:00:00Z", "2020-12-31T00:00:00Z"});
  CHECK(stac["providers"].size() == 2);
}

TEST_CASE("a Tortilla without collection is described by its name, its samples and their type") {
  const Parsed stac = Parsed::parse(collection2stac(v1("flat.tortilla")));
  CHECK(stac["id"] == "flat");
  CHECK(stac["description"] == "flat");
  CHECK(stac["license"] == "other");
  CHECK(stac["assets"]["flat.tortilla"]["type"] == "application/vnd.tortilla+blob");
  CHECK_FALSE(stac.contains("taco:version"));
  CHECK(Parsed::parse(collection2croissant(v1("flat.tortilla")))["distribution"][0]["encodingFormat"] ==
        "application/vnd.tortilla+blob");
  CHECK(has_text(collection2markdown(v1("flat.tortilla")), "tortilla"));
  CHECK_THROWS_WITH_AS(collection2datacite(v1("flat.tortilla")), doctest::Contains("--published DATE"), SchemaError);
}

TEST_CASE("all partitions of a dataset are its files, whichever of them is named") {
  const Parsed stac = Parsed::parse(collection2stac(v1("parts/set.0001.part.tortilla")));
  CHECK(stac["id"] == "set");
  CHECK(stac["assets"].size() == 3);
  CHECK(stac["assets"]["set.0002.part.tortilla"]["href"] == "./set.0002.part.tortilla");
  CHECK(stac["assets"]["set.0002.part.tortilla"].contains("taco:size"));
  const Items items(v1("parts/set.0000.part.tortilla"));
  CHECK(items.ids == std::vector<std::string>{"s0", "s1", "s2", "s3", "s4"});
  CHECK(items.items[4]["assets"]["data"]["href"] == "./set.0002.part.tortilla");
}

TEST_CASE("Items of v1 have seconds for times, the grid in STAC's order, and all other columns") {
  for (const char* name : {"flat.taco", "flat.tortilla", "first.tortilla"}) {
    CAPTURE(name);
    const Items found(v1(name));
    REQUIRE(found.items.size() >= 3);
    const Parsed& item = found.items[1];
    const Parsed& properties = item["properties"];
    CHECK(item["id"] == "s1");
    CHECK(properties["datetime"] == "2020-09-14T12:26:40Z");
    CHECK_FALSE(properties.contains("start_datetime"));
    CHECK(properties["proj:code"] == "EPSG:32630");
    CHECK(properties["proj:shape"] == Parsed{4, 5});
    CHECK(properties["proj:transform"] == Parsed{10.0, 0.0, 500001.0, 0.0, -10.0, 4500000.0});
    CHECK(properties["proj:centroid"] == Parsed{{"lat", 42.5}, {"lon", -2.0}});
    CHECK(properties["tortilla:file_format"] == "GTiff");
    CHECK(properties["tortilla:data_split"] == "validation");
    CHECK(item["geometry"]["type"] == "Polygon");
    CHECK(item["bbox"][0].get<double>() == doctest::Approx(-3).epsilon(1e-3));
    CHECK(item["assets"]["data"]["taco:offset"] == properties["tortilla:offset"]);
    CHECK(item["assets"]["data"]["taco:size"] == 11);
    CHECK_FALSE(properties.contains("__index_level_0__"));
    CHECK_FALSE(properties.contains("internal:offset"));
  }
}

TEST_CASE("an end of the time is optional; numbers that are no seconds are refused") {
  const auto item_of = [](const std::string& replaced) {
    return Items(v1("flat.taco").sql("SELECT * REPLACE (" + replaced + ") FROM data LIMIT 1")).items[0]["properties"];
  };
  const Parsed interval = item_of("1600000100 AS \"stac:time_end\"");
  CHECK(interval["datetime"].is_null());
  CHECK(interval["start_datetime"] == "2020-09-13T12:26:40Z");
  CHECK(interval["end_datetime"] == "2020-09-13T12:28:20Z");
  CHECK(item_of("-1.5::DOUBLE AS \"stac:time_start\"")["datetime"] == "1969-12-31T23:59:58.500000Z");
  CHECK(item_of("'NaN'::DOUBLE AS \"stac:time_end\"")["datetime"] == "2020-09-13T12:26:40Z");
  for (const char* wrong : {"1600000000000", "-1600000000000", "'inf'::DOUBLE", "9223372036854775807"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(item_of(std::string(wrong) + " AS \"stac:time_start\""),
                         doctest::Contains("sample 's0': a time is "), SchemaError);
  }
}

TEST_CASE("a location may be WKB or a list, and the grid has precedence where its CRS is known") {
  const auto geometry_of = [](const std::string& replaced) {
    return Items(v1("flat.taco").sql("SELECT * REPLACE (" + replaced + ") FROM data LIMIT 1")).items[0]["geometry"];
  };
  const Parsed point = {{"type", "Point"}, {"coordinates", {7.0, 8.0}}};
  const std::string unknown = "'SR-ORG:1' AS \"stac:crs\", ";
  CHECK(geometry_of(unknown + "[7, 8]::DOUBLE[] AS \"stac:centroid\"") == point);
  CHECK(geometry_of(unknown + "unhex('01010000000000000000001C400000000000002040') AS \"stac:centroid\"") == point);
  CHECK(geometry_of(unknown + "'POINT (7 8)' AS \"stac:centroid\"") == point);
  CHECK(
      geometry_of("'EPSG:4326' AS \"stac:crs\", [1, 0.5, 0, 2, 0, -0.5]::DOUBLE[] AS \"stac:geotransform\"")["type"] ==
      "Polygon");
}

TEST_CASE("the samples of a nested Tortilla are the assets of its Item, and Items of their level") {
  const Items roots(v1("nested.taco"));
  REQUIRE(roots.items.size() == 3);
  CHECK(roots.items[2]["assets"].size() == 2);
  const Parsed& asset = roots.items[2]["assets"]["lrf"];
  CHECK(asset["taco:size"] == 12);
  CHECK(asset["taco:vsi"] == "/vsisubfile/" + std::to_string(asset["taco:offset"].get<int64_t>()) + "_12,nested.taco");
  const Items leaves(v1("nested.taco"), 1);
  CHECK(leaves.ids[5] == "img2_hrf");
  CHECK(leaves.items[0]["properties"]["datetime"].is_null());  // that of the dataset
  const Items mixed(v1("mixed.tortilla").sql("SELECT *, 0 AS \"stac:time_start\" FROM data"));
  CHECK(mixed.items[0]["assets"].size() == 2);
  CHECK(mixed.items[1]["assets"].size() == 1);
}

TEST_CASE("a GeoParquet file of v1 has the columns as stored, and stac-geoparquet its times and grids") {
  const TemporaryFolder folder;
  const std::string plain = folder.path("a.parquet"), items = folder.path("b.parquet");
  footer2geoparquet(v1("flat.taco"), 0, plain);
  const auto columns = columns_of(plain);
  for (const char* name : {"tortilla:id string", "tortilla:offset int64", "tortilla:length int64", "stac:crs string",
                           "stac:centroid string", "taco:vsi string", "geometry binary"}) {
    CAPTURE(name);
    CHECK(std::find(columns.begin(), columns.end(), name) != columns.end());
  }
  CHECK(std::none_of(columns.begin(), columns.end(), [](const std::string& column) {
    return column.starts_with("__index") || column.starts_with("internal:");
  }));
  footer2geoparquetstac(v1("flat.taco"), 0, items);
  const auto level = LevelTable::open(local_storage()->open(items), {});
  const auto found = columns_of(items);
  for (const char* name : {"datetime timestamp[us, tz=UTC]", "proj:code string", "tortilla:data_split string",
                           "proj:centroid struct<lat: double, lon: double>"}) {
    CAPTURE(name);
    CHECK(std::find(found.begin(), found.end(), name) != found.end());
  }
  CHECK(level->text(level->find("id"), 4) == "s4");
  footer2geoparquetstac(v1("rai.tortilla"), 0, folder.path("c.parquet"));
  CHECK(has_text(columns_of(folder.path("c.parquet"))[0], "type"));
  CHECK_THROWS_WITH_AS(footer2geoparquet(v1("types.tortilla"), 0, folder.path("d.parquet")),
                       doctest::Contains("no sample of the level has a location"), SchemaError);
}

TEST_CASE("Croissant has a record set of v1 samples only where their table lies beside the file") {
  const TemporaryFolder folder;
  const std::string path = folder.path("flat.taco");
  fs::copy(golden("v1/flat.taco"), path);
  const Parsed alone = Parsed::parse(collection2croissant(load(path)))["recordSet"];
  REQUIRE(alone.size() == 1);
  CHECK(alone[0]["@id"] == "splits");
  CHECK(alone[0]["data"][0] == Parsed{{"splits/name", "test"}, {"splits/url", "cr:TestSplit"}});
  footer2geoparquet(load(path), 0, path + ".parquet");
  const Parsed found = Parsed::parse(collection2croissant(load(path)));
  CHECK(found["distribution"].size() == 2);
  CHECK(found["distribution"][1]["contentUrl"] == "flat.taco.parquet");
  REQUIRE(found["recordSet"].size() == 2);
  CHECK(found["recordSet"][0]["field"][2]["source"] ==
        Parsed{{"fileObject", {{"@id", "flat.taco.parquet"}}}, {"extract", {{"column", "tortilla:id"}}}});
}

}  // namespace
