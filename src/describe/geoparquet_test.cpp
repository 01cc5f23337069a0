#include <arrow/type_fwd.h>
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <optional>

#include "model/wkb_centroid.hpp"
#include "support/describe_data.hpp"
#include "table/level_table.hpp"
#include "tacore/error.hpp"
#include "tacore/interrupt.hpp"

namespace {

using namespace tacore;

/// The JSON object of the metadata of a Parquet file that begins with this version; it is stored as plain text.
Parsed metadata(const std::string& path, const std::string& version) {
  const std::string text = file_text(path);
  const auto at = text.find("{\"version\":\"" + version);
  REQUIRE(at != text.npos);
  std::size_t end = at;
  for (int depth = 0; end < text.size(); ++end) {
    depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    if (depth == 0) break;
  }
  return Parsed::parse(text.substr(at, end + 1 - at));
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

TEST_CASE("a GeoParquet file has the columns of the level, a geometry column and its geo metadata") {
  const Made made({placed("a", 10, 20), placed("b", 12, 22)}, small_collection());
  const std::string path = made.folder.path("level0.parquet");
  footer2geoparquet(made.dataset(), 0, path);
  const auto columns = columns_of(path);
  for (const char* name :
       {"id string", "type string", "istac:centroid binary", "istac:time_start timestamp[us]", "taco:vsi string",
        "geometry binary", "bbox struct<xmin: double, ymin: double, xmax: double, ymax: double>"}) {
    CAPTURE(name);
    CHECK(has(columns, name));
  }
  CHECK(columns.size() == 7);
  const Parsed geo = metadata(path, "1.1.0");
  CHECK(geo["version"] == "1.1.0");
  CHECK(geo["primary_column"] == "geometry");
  const Parsed& geometry = geo["columns"]["geometry"];
  CHECK(geometry["encoding"] == "WKB");
  CHECK(geometry["geometry_types"] == Parsed{"Point"});
  CHECK(geometry["bbox"] == Parsed{10.0, 20.0, 12.0, 22.0});
  CHECK(geometry["covering"]["bbox"]["ymax"] == Parsed{"bbox", "ymax"});
  const auto level = LevelTable::open(local_storage()->open(path), {});
  CHECK(level->text(level->find("taco:vsi"), 0).value().ends_with(",small.tacozip"));
}

TEST_CASE("a user column with the name of an added column is renamed") {
  Sample sample = placed("a", 1, 2);
  sample.extend_with({{"geometry", "mine"}, {"bbox", 1}});
  const Made made({sample}, small_collection());
  const std::string path = made.folder.path("level0.parquet");
  footer2geoparquet(made.dataset(), 0, path);
  const auto columns = columns_of(path);
  CHECK(has(columns, "geometry_ string"));
  CHECK(has(columns, "bbox_ int64"));
}

TEST_CASE("a level without locations is refused, and leaves no file") {
  const Made made({Sample("a", Bytes(1))}, small_collection());
  const std::string path = made.folder.path("level0.parquet");
  CHECK_THROWS_WITH_AS(footer2geoparquet(made.dataset(), 0, path),
                       doctest::Contains("no sample of the level has a location"), SchemaError);
  CHECK(std::distance(fs::directory_iterator(made.folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("an existing file is kept unless overwrite is set") {
  const Made made({placed("a", 1, 2)}, small_collection());
  const std::string path = made.folder.write("level0.parquet", "kept");
  CHECK_THROWS_WITH_AS(footer2geoparquet(made.dataset(), 0, path), doctest::Contains("exists already"), IoError);
  CHECK(file_text(path) == "kept");
  footer2geoparquet(made.dataset(), 0, path, {.overwrite = true});
  CHECK(file_text(path).starts_with("PAR1"));
}

TEST_CASE("a level gives the same GeoParquet bytes when streamed and when it comes from a query") {
  const Made made({placed("a", 1, 2), placed("b", 3, 4)}, small_collection());
  const std::string one = made.folder.path("one"), two = made.folder.path("two"), three = made.folder.path("three");
  footer2geoparquet(made.dataset(), 0, one);
  footer2geoparquet(made.dataset(), 0, two);
  CHECK(file_text(one) == file_text(two));
  footer2geoparquet(made.dataset().sql("SELECT * FROM data"), 0, three);
  CHECK(columns_of(three) == columns_of(one));
}

TEST_CASE("stac-geoparquet has a column for each member of an Item, and the Collection as metadata") {
  const std::string path = TemporaryFolder().path() + ".parquet";
  footer2geoparquetstac(load(golden("../../examples/data/landsat_nested.tacozip")), 0, path);
  const auto columns = columns_of(path);
  for (const char* name : {"type string", "stac_version string", "stac_extensions list<item: string>", "id string",
                           "geometry binary", "datetime timestamp[us, tz=UTC]", "collection string",
                           "links list<item: struct<rel: string, href: string, type: string>>"}) {
    CAPTURE(name);
    CHECK(has(columns, name));
  }
  const std::string asset =
      ": struct<href: string, title: string, type: string, roles: list<item: string>, taco:offset: int64, "
      "taco:size: int64, taco:vsi: string>";
  CHECK(has(columns, "assets struct<optical" + asset + ", dem" + asset + ", mask" + asset + ">"));
  CHECK(metadata(path, "1.0.0")["collections"].contains("landsat_nested"));
  fs::remove(path);
}

/// The ids in each of the tables that were written to `folder`, by their paths.
std::map<std::string, Strings> ids_of_tables(const std::string& folder, const Strings& paths) {
  std::map<std::string, Strings> out;
  for (const auto& path : paths) {
    const auto table = LevelTable::open(local_storage()->open(folder + "/" + path), {});
    for (int64_t row = 0; row < table->num_rows(); ++row) {
      out[path].push_back(table->text(table->find("id"), row).value());
    }
  }
  return out;
}

TEST_CASE("the viewer of the Hub has a table for each split, which the card names, training first") {
  std::vector<Sample> samples;
  const std::optional<std::string> splits[] = {"test", "train", {}, "it's 1", "train", "it_s_1", "all"};
  for (const auto& split : splits) {
    samples.push_back(placed("s" + std::to_string(samples.size()), 1, 2));
    samples.back().extend_with({{"split", split ? Value(*split) : Value()}});
  }
  const Made made(samples, small_collection());
  const std::string folder = made.folder.path("table");
  const Strings paths = write_viewer_tables(made.dataset(), folder);
  const auto ids = ids_of_tables(made.folder.path(), paths);
  CHECK(paths.front() == "table/train.parquet");
  CHECK(paths[1] == "table/test.parquet");
  CHECK(ids.at("table/train.parquet") == Strings{"s1", "s4"});
  CHECK(ids.at("table/test.parquet") == Strings{"s0"});
  CHECK(ids.at("table/unassigned.parquet") == Strings{"s2"});
  CHECK(ids.at("table/all_.parquet") == Strings{"s6"});
  CHECK(ids.contains("table/it_s_1.parquet"));
  CHECK(ids.contains("table/it_s_1_.parquet"));
  CHECK(paths.size() == 6);
  const auto columns = columns_of(folder + "/train.parquet");
  CHECK(has(columns, "geometry binary"));
  CHECK(has(columns, "split string"));
  CHECK(std::ranges::none_of(columns, [](const auto& name) { return name.starts_with("internal:"); }));
  const std::string card = collection2datacard(made.dataset(), {.viewer_tables = paths});
  CHECK(has_text(card,
                 "configs:\n- config_name: default\n  data_files:\n  - split: \"train\"\n"
                 "    path: \"table/train.parquet\"\n  - split: \"test\"\n"));
  CHECK_FALSE(has_text(collection2datacard(made.dataset()), "configs"));
}

TEST_CASE("a dataset without splits has the one table train, without geometry where no sample has a location") {
  const Made made({Sample("a", Bytes(1)), Sample("b", Bytes(1))}, small_collection());
  const Strings paths = write_viewer_tables(made.dataset(), made.folder.path("table") + "/");
  REQUIRE(paths == Strings{"table/train.parquet"});
  CHECK(ids_of_tables(made.folder.path(), paths).at("table/train.parquet") == Strings{"a", "b"});
  CHECK(columns_of(made.folder.path(paths[0])) == Strings{"id string", "type string", "taco:vsi string"});
}

TEST_CASE("the tables of the viewer replace tables of their own only") {
  const Made made({placed("a", 1, 2)}, small_collection());
  const std::string folder = made.folder.path("table");
  write_viewer_tables(made.dataset(), folder);
  CHECK_THROWS_WITH_AS(write_viewer_tables(made.dataset(), folder), doctest::Contains("exists already"), IoError);
  made.folder.write("table/old.parquet", "of an earlier split");
  write_viewer_tables(made.dataset(), folder, {.overwrite = true});
  CHECK_FALSE(fs::exists(folder + "/old.parquet"));
  made.folder.write("table/notes.txt", "kept");
  CHECK_THROWS_WITH_AS(write_viewer_tables(made.dataset(), folder, {.overwrite = true}),
                       doctest::Contains("is not a folder of Parquet files alone; nothing else is replaced"), IoError);
  CHECK(file_text(folder + "/notes.txt") == "kept");
  CHECK_THROWS_AS(write_viewer_tables(made.dataset(), made.path, {.overwrite = true}), ValidationError);
  CHECK(std::distance(fs::directory_iterator(made.folder.path()), fs::directory_iterator()) == 2);
}

TEST_CASE("an interruption, at whatever moment, leaves no table of the viewer, and the old ones as they were") {
  std::vector<Sample> samples = {placed("a", 1, 2), placed("b", 3, 4)};
  samples[0].extend_with({{"split", "train"}});
  samples[1].extend_with({{"split", "test"}});
  const Made made(samples, small_collection());
  const Dataset dataset = made.dataset();
  const std::string old = made.folder.write("table/old.parquet", "old");
  static std::atomic<int> moment = 0, num_asked = 0;
  bool is_done = false;
  for (moment = 1; !is_done; ++moment) {
    num_asked = 0;
    set_interrupt_check([](void*) { return ++num_asked == moment; });
    try {
      write_viewer_tables(dataset, made.folder.path("table"), {.overwrite = true});
      is_done = true;
    } catch (const Error&) {
      CHECK(file_text(old) == "old");
    }
    set_interrupt_check(nullptr);
    CHECK(std::distance(fs::directory_iterator(made.folder.path()), fs::directory_iterator()) == 2);
  }
  CHECK(moment > 3);
  CHECK_FALSE(fs::exists(old));
}

TEST_CASE("a file called data below a FOLDER is an asset like others") {
  const Tortilla below({Sample("data", Bytes(2)), Sample("mask", Bytes(3))});
  const Sample sample("a", below, {{"istac:centroid", Binary{wkb_point(1, 2)}}, {"istac:time_start", Timestamp{}}});
  const Made made({sample}, small_collection());
  const std::string path = made.folder.path("items.parquet");
  footer2geoparquetstac(made.dataset(), 0, path);
  const auto columns = columns_of(path);
  CHECK(std::ranges::any_of(columns, [](const auto& name) { return name.starts_with("assets struct<data: struct<"); }));
}

TEST_CASE("footprints of a frame are those of its rows, also after a query") {
  const Made made({placed("a", 10, 20), placed("b", 12, 22), placed("c", 200, 5)}, small_collection());
  const DataFrame rows = made.dataset().data();
  const auto all = footprints(rows);
  REQUIRE(all.size() == 3);
  CHECK(all[1] == std::optional(Binary{wkb_point(12, 22)}));
  CHECK(all[2] == std::optional(Binary{wkb_point(-160, 5)}));
  CHECK(footprints(rows.take(std::vector<int64_t>{1, 0})) == std::vector{all[1], all[0]});
  CHECK(footprints(rows.select({"id"})) == std::vector<std::optional<Binary>>(3));
  CHECK(footprints(rows.select({"istac:time_start"})) == std::vector<std::optional<Binary>>(3));
  CHECK(footprints(rows.limit(0)).empty());
}

TEST_CASE("a footprint is the outline of a grid in a known CRS") {
  const Dataset landsat = load(golden("../../examples/data/landsat.tacozip"));
  const auto all = footprints(landsat.data());
  REQUIRE(all.size() == 16);
  for (const auto& each : all) {
    REQUIRE(each);
    CHECK(each->bytes.substr(0, 5) == std::string("\x01\x03\x00\x00\x00", 5));  // a polygon
  }
}

TEST_CASE("the outline of the land is rings in degrees") {
  const auto rings = land_outline();
  CHECK(rings.size() == 127);
  for (const auto& ring : rings) {
    CHECK(ring.size() >= 3);
    for (const auto& [longitude, latitude] : ring) {
      CHECK(std::abs(longitude) <= 180);
      CHECK(std::abs(latitude) <= 90);
    }
  }
}

}  // namespace
