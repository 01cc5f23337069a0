#include <doctest/doctest.h>

#include "container/child_rows.hpp"
#include "dataset/open_container.hpp"
#include "support/counting.hpp"
#include "support/query_data.hpp"
#include "support/support.hpp"

/// From rows to paths, bytes and children, in every view.
using namespace tacore;

namespace {

DataFrame rows_of(const std::string& name) { return load(golden(name)).data(); }

std::shared_ptr<const Container> container(const std::string& name) { return impl_of(load(golden(name)))->leaf(0); }

Strings cascade_parts() {
  Strings out;
  for (int i = 1; i <= 4; ++i)
    out.push_back(golden("cascade_tacocat/cascade_part000" + std::to_string(i) + ".tacozip"));
  return out;
}

}  // namespace

TEST_CASE("read gives the path of a FILE and the children of a FOLDER, by position or id") {
  const DataFrame rows = rows_of("nested.tacozip");
  CHECK(std::holds_alternative<DataFrame>(rows.read(1)));
  CHECK(ids(children(rows, "asia")) == ids(std::get<DataFrame>(rows.read(1))));
  const DataFrame asia = children(rows, "asia");
  CHECK(std::get<VsiPath>(asia.read(2)) == std::get<VsiPath>(asia.read("item_2")));
}

TEST_CASE("a position outside the rows is an error that names the range") {
  const DataFrame rows = rows_of("flat.tacozip");
  for (const int64_t position : {int64_t{-1}, int64_t{5}, INT64_MIN, INT64_MAX}) {
    CAPTURE(position);
    const std::string expected = "Position " + std::to_string(position) + " out of range [0, 4]";
    CHECK(has_text(error_of([&] { rows.read(position); }), "NavigationError: "));
    CHECK(has_text(error_of([&] { rows.read(position); }), expected));
    CHECK(has_text(error_of([&] { rows.read_bytes(position); }), expected));
  }
}

TEST_CASE("an unknown id is an error that quotes it") {
  CHECK(has_text(error_of([] { rows_of("flat.tacozip").read("atlantis"); }), "NavigationError: "));
  CHECK(has_text(error_of([] { rows_of("flat.tacozip").read("atlantis"); }), "ID 'atlantis' not found"));
  CHECK(has_text(error_of([] { rows_of("flat.tacozip").read(""); }), "ID '' not found"));
}

TEST_CASE("among equal ids the first row is read") {
  const std::vector<Dataset> twice{load(golden("flat.tacozip")), load(golden("extra_entries.zip"))};
  const DataFrame rows = concat(twice).data();
  CHECK(has_text(vsi(rows, "valencia"), "flat.tacozip"));
  CHECK(has_text(vsi(rows.limit(5, 5), "valencia"), "extra_entries.zip"));
}

TEST_CASE("an id is found by scan and by index alike") {
  const TemporaryFolder folder;
  const DataFrame rows = load(make_flat_folder(folder, "many", 3000, "i AS k")).data();
  for (int round = 0; round < 3; ++round) {
    for (const int64_t k : {0, 1, 1499, 2999, 1024}) {
      CHECK(vsi(rows, "sample_" + std::to_string(k)).ends_with("/DATA/sample_" + std::to_string(k)));
    }
    CHECK(has_text(error_of([&] { rows.read("sample_3000"); }), "ID 'sample_3000' not found"));
  }
}

TEST_CASE("rows without ids are read by position while navigation columns remain") {
  const DataFrame rows = load(golden("flat.tacozip")).sql("SELECT * EXCLUDE (id) FROM data").data();
  CHECK(has_text(error_of([&] { rows.read("valencia"); }), "NavigationError: "));
  CHECK(has_text(error_of([&] { rows.read("valencia"); }), "Cannot search by ID"));
  CHECK(std::get<VsiPath>(rows.read(0)).value == vsi(rows_of("flat.tacozip"), "valencia"));
}

TEST_CASE("rows without type or path are NavigationErrors that say what was dropped") {
  const DataFrame rows = load(golden("flat.tacozip")).sql("SELECT id FROM data").data();
  CHECK(has_text(error_of([&] { rows.read("valencia"); }), "NavigationError: "));
  CHECK(has_text(error_of([&] { rows.read("valencia"); }), "no column 'type': a query dropped it"));
  const DataFrame typed = load(golden("flat.tacozip")).sql("SELECT id, type FROM data").data();
  CHECK(has_text(error_of([&] { typed.read("valencia"); }), "SELECT * keeps them"));
}

TEST_CASE("a ZIP path is /vsisubfile/{offset}_{size},{zip}") {
  const std::string path = golden("flat.tacozip");
  const DataFrame raw = load(path).data_raw();
  const std::string expected =
      "/vsisubfile/" + values(raw, "internal:offset")[2] + "_" + values(raw, "internal:size")[2] + "," + path;
  CHECK(vsi(raw, "new_york") == expected);
}

TEST_CASE("row 0 of the published flat dataset is at 200_16" * doctest::test_suite("external")) {
  if (missing(published("zip/flat.tacozip"))) return;
  const std::string path = published("zip/flat.tacozip");
  CHECK(std::get<VsiPath>(load(path).data().read(0)).value == "/vsisubfile/200_16," + path);
}

TEST_CASE("a FOLDER path is plain, the parent's folder and the id") {
  const DataFrame rows = rows_of("nested");
  CHECK(vsi(rows, "asia/item_1") == golden("nested") + "/DATA/asia/item_1");
  CHECK(values(rows, "internal:gdal_vsi")[1] == golden("nested") + "/DATA/asia/__meta__");
}

TEST_CASE("a TACOCAT path ends in its source file") {
  const DataFrame raw = load(golden("cascade_tacocat")).data_raw();
  const std::string path = vsi(raw, "asia/country_1/city_0");
  CHECK(path.starts_with("/vsisubfile/"));
  CHECK(path.ends_with("," + golden("cascade_tacocat/cascade_part0002.tacozip")));
  CHECK(path == vsi(load(cascade_parts()[1]).data(), "asia/country_1/city_0"));
}

TEST_CASE("the published nested and deep datasets have the same tree in every container" *
          doctest::test_suite("external")) {
  if (missing(published("zip/nested.tacozip"))) return;
  for (const std::string name : {"zip/nested.tacozip", "folder/nested"}) {
    CAPTURE(name);
    const DataFrame rows = load(published(name)).data();
    CHECK(rows.num_rows() == 3);
    for (int64_t i = 0; i < 3; ++i)
      CHECK(ids(std::get<DataFrame>(rows.read(i))) == Strings{"item_0", "item_1", "item_2"});
  }
  for (const std::string name : {"folder/deep", "tacocat/deep"}) {
    CAPTURE(name);
    const DataFrame rows = load(published(name)).data();
    CHECK(rows.num_rows() == 20);
    for (const int64_t i : {0, 14, 15, 19}) {
      const DataFrame tile = std::get<DataFrame>(rows.read(i));
      CHECK(ids(tile) == Strings{"sensor_A", "sensor_B"});
      CHECK(ids(children(tile, "sensor_B")) == Strings{"band_R", "band_G", "band_B"});
      CHECK_FALSE(children(tile, "sensor_A").read_bytes("band_G").empty());
    }
  }
}

TEST_CASE("a path of ids reads a sample, a folder or its bytes") {
  for (const std::string name :
       {"cascade_tacocat", "cascade_tacocat/__TACOCAT__", "cascade_tacocat/TACOLLECTION.json"}) {
    CAPTURE(name);
    const DataFrame rows = rows_of(name);
    CHECK(to_text(rows.read_bytes("americas/country_1/city_0")) == "americas/country_1/city_0");
    CHECK(ids(children(rows, "americas/country_1")) == Strings{"city_0", "city_1"});
    CHECK(ids(children(rows, "americas/country_1/")) == Strings{"city_0", "city_1"});
  }
}

TEST_CASE("a path of ids that does not exist is an error that names the failing id") {
  const DataFrame rows = rows_of("cascade_tacocat");
  CHECK(has_text(error_of([&] { rows.read("asia/country_9/city_0"); }), "NavigationError: "));
  CHECK(has_text(error_of([&] { rows.read("asia/country_9/city_0"); }), "ID 'country_9' not found"));
  CHECK(has_text(error_of([&] { rows.read("asia/country_0/city_0/pixel"); }),
                 "'city_0' is a FILE and has no child 'pixel'"));
  CHECK(has_text(error_of([&] { rows.read("asia//city_0"); }), "ID '' not found"));
  CHECK(has_text(error_of([&] { rows.read("/asia"); }), "ID '' not found"));
  CHECK(has_text(error_of([&] { rows.read("asia/../europe"); }), "ID '..' not found"));
}

TEST_CASE("a FOLDER has no bytes") {
  const DataFrame rows = rows_of("nested.tacozip");
  CHECK(has_text(error_of([&] { rows.read_bytes("asia"); }), "NavigationError: "));
  CHECK(has_text(error_of([&] { rows.read_bytes("asia"); }),
                 "is a FOLDER, which has no bytes of its own; name one of its children"));
}

TEST_CASE("the bytes of many positions come in the order given, repeats included") {
  const DataFrame asia = children(rows_of("nested.tacozip"), "asia");
  const std::vector<int64_t> positions{2, 0, 2};
  const auto bytes = asia.read_bytes(positions);
  REQUIRE(bytes.size() == 3);
  CHECK(to_text(bytes[0]) == "asia/item_2");
  CHECK(to_text(bytes[1]) == "asia/item_0");
  CHECK(to_text(bytes[2]) == "asia/item_2");
  CHECK(asia.read_bytes(std::span<const int64_t>()).empty());
}

TEST_CASE("rows of a ZIP without offset and size are NavigationErrors that say so") {
  const TemporaryFolder folder;
  const std::string made = make_folder(folder, "made", R"({"root": {"n": 1, "type": "FILE"}, "hierarchy": {}})",
                                       {"SELECT 'a' AS id, 'FILE' AS type, 0 AS \"internal:current_id\", "
                                        "'part.tacozip' AS \"internal:source_file\" FROM range(1) r(i)"});
  fs::rename(made + "/METADATA", made + "/.tacocat");
  fs::rename(made + "/COLLECTION.json", made + "/.tacocat/COLLECTION.json");
  const DataFrame rows = load(made).data();
  CHECK(has_text(error_of([&] { rows.read(0); }), "NavigationError: "));
  CHECK(has_text(error_of([&] { rows.read(0); }), "sample 'a' has no internal:offset and internal:size"));
}

TEST_CASE("padding is hidden in rows, counts, levels and paths") {
  for (const std::string name : {"flat_padded.tacozip", "nested_padded.tacozip", "nested_padded"}) {
    CAPTURE(name);
    const Dataset dataset = load(golden(name));
    CHECK_FALSE(has_text(dump(dataset.data()), "TACOPAD"));
    CHECK_FALSE(has_text(dump(dataset.data_raw()), "TACOPAD"));
    const int deepest = dataset.pit_schema().max_depth();
    for (int level = 0; level <= deepest; ++level) {
      const std::string table = "level" + std::to_string(level);
      const DataFrame all = dataset.sql("SELECT * FROM " + table).data();
      CHECK_FALSE(has_text(dump(all), "TACOPAD"));
      CHECK(all.num_rows() == dataset.level_rows(level));
    }
  }
  CHECK(load(golden("flat_padded.tacozip")).num_rows() == 3);
  CHECK(load(golden("nested_padded.tacozip")).level_rows(1) == 5);
}

TEST_CASE("padding is hidden in children, and keeps its position") {
  for (const std::string name : {"nested_padded.tacozip", "nested_padded"}) {
    CAPTURE(name);
    const DataFrame rows = rows_of(name);
    const DataFrame two = children(rows, "two");
    CHECK(ids(two) == Strings{"a", "c"});
    CHECK(ids(children(rows, "one")) == Strings{"a", "b", "c"});
    CHECK(to_text(two.read_bytes("c")) == to_text(children(rows, "one").read_bytes("c")));
    CHECK(has_text(error_of([&] { two.read("__TACOPAD__0"); }), "not found"));
    CHECK(has_text(error_of([&] { two.read(2); }), "Position 2 out of range [0, 1]"));
  }
}

TEST_CASE("ids that merely contain TACOPAD are samples") {
  const DataFrame rows = rows_of("odd_names.tacozip");
  CHECK(to_text(rows.read_bytes("abTACOPADcd")) == "abTACOPADcd");
  CHECK(to_text(rows.read_bytes("x__TACOPAD__1")) == "x__TACOPAD__1");
}

TEST_CASE("samples with odd ids are read") {
  const DataFrame rows = rows_of("odd_names.tacozip");
  for (const std::string id : {"with space", "ünïcode_東京", "it's", "a,b", "double\"quote", "semi;colon", "percent%20",
                               "hash#1", "question?", "[bracket]", "-dash", ".hidden", "select", "a_b"}) {
    CAPTURE(id);
    CHECK(to_text(rows.read_bytes(id)) == id);
  }
  const DataFrame nested = rows_of("odd_names_nested.tacozip");
  for (const std::string id : {"a,b", "it's", "q\"q", "sp ace", "東京"}) {
    CAPTURE(id);
    CHECK(to_text(nested.read_bytes(id + "/image")) == id);
  }
}

TEST_CASE("odd ids are found by filters and queries") {
  const Dataset dataset = load(golden("odd_names.tacozip"));
  CHECK(to_text(dataset.sql("SELECT * FROM data WHERE id = 'it''s'").data().read_bytes(0)) == "it's");
  CHECK(
      to_text(
          dataset.sql("SELECT * FROM data WHERE id = 'a,b' OR id = 'select' ORDER BY id DESC").data().read_bytes(0)) ==
      "select");
}

TEST_CASE("a folder whose __meta__ is damaged is an error of navigation that names it") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("uneven_children.tacozip"), "bad.tacozip");
  std::string bytes = file_text(path);
  const auto at = bytes.find("PAR1", bytes.find("DATA/b/__meta__"));
  REQUIRE(at != std::string::npos);
  const auto end = bytes.find("PAR1", at + 4);  // the magic at the end of that table
  bytes.replace(end, 4, "XXXX");
  folder.write("bad.tacozip", bytes);
  const DataFrame rows = load(path).data();
  const std::string text = error_of([&] { rows.read("b"); });
  CHECK(has_text(text, "NavigationError: "));
  CHECK(has_text(text, "children of 'b'"));
}

TEST_CASE("a folder whose __meta__ is missing is an error that names the file") {
  const TemporaryFolder folder;
  const std::string path = make_folder(
      folder, "gaps", two_levels(2, 3, {"a", "b"}),
      {"SELECT 's' || i AS id, 'FOLDER' AS type, i AS \"internal:current_id\", i AS \"internal:parent_id\" FROM "
       "range(2) r(i)",
       "SELECT 'a' || i AS id, 'FILE' AS type, i AS \"internal:current_id\", least(i, 1) AS \"internal:parent_id\", "
       "'x' AS \"internal:relative_path\" FROM range(3) r(i)"});
  const std::string text = error_of([&] { load(path).data().read("s1"); });
  CHECK(has_text(text, "IoError: "));
  CHECK(has_text(text, "DATA/s1/__meta__"));
}

TEST_CASE("reading one row takes the same requests for any number of rows") {
  const TemporaryFolder folder;
  const auto storage = std::make_shared<CountingStorage>();
  const DataFrame rows = load(make_flat_folder(folder, "many", 300000, "i AS k"), {}, storage).data();
  rows.read(150000);
  const std::size_t once = storage->requests().size();
  for (int64_t i = 150001; i < 150100; ++i) rows.read(i);
  CHECK(storage->requests().size() == once);
}

TEST_CASE("reading a remote FOLDER takes one request, and FILEs the requests that verify the first of them") {
  const auto storage = std::make_shared<CountingStorage>(false);
  const DataFrame rows = load(golden("uneven_children.tacozip"), {}, storage).data();
  const auto cost = [&](const auto& work) {
    storage->reset();
    work();
    return storage->requests().size();
  };
  rows.read("a");
  CHECK(cost([&] { rows.read("b"); }) <= 1);
  const DataFrame c = children(rows, "c");
  // Its small directory verifies all offsets in one request.
  CHECK(cost([&] { c.read(0); }) <= 3);
  CHECK(cost([&] { c.read("item_1"); }) == 0);
}

TEST_CASE("reading a folder a second time takes no requests, computed or through its __meta__") {
  for (const std::string name : {"uneven_children.tacozip", "nested.tacozip", "nested", "cascade_tacocat"}) {
    for (const bool is_local : {true, false}) {
      CAPTURE(name);
      CAPTURE(is_local);
      const auto storage = std::make_shared<CountingStorage>(is_local);
      const DataFrame rows = load(golden(name), {}, storage).data();
      const std::string first = dump(std::get<DataFrame>(rows.read(1)));
      storage->reset();
      CHECK(dump(std::get<DataFrame>(rows.read(1))) == first);
      CHECK(storage->requests().empty());
    }
  }
}

TEST_CASE("children of uniform trees are computed, and of uneven trees read from __meta__") {
  const auto uniform = container("nested.tacozip");
  for (int64_t row = 0; row < 3; ++row) {
    const auto range = computed_children(*uniform, 0, row);
    REQUIRE(range.has_value());
    CHECK(range->begin == 3 * row);
    CHECK(range->count == 3);
  }
  const auto gaps = container("uneven_children.tacozip");
  for (int64_t row = 0; row < 3; ++row) CHECK_FALSE(computed_children(*gaps, 0, row).has_value());
  const DataFrame rows = rows_of("uneven_children.tacozip");
  CHECK(ids(children(rows, "a")) == Strings{"item_0"});
  CHECK(ids(children(rows, "b")) == Strings{"item_0", "item_1", "item_2"});
  CHECK(ids(children(rows, "c")) == Strings{"item_0", "item_1"});
  CHECK_FALSE(children(rows, "c").read_bytes("item_1").empty());
}

TEST_CASE("computed children are verified: rows with another parent are not taken") {
  const auto padded = container("nested_padded.tacozip");
  CHECK(computed_children(*padded, 0, 1)->begin == 3);
  CHECK(computed_children(*padded, 0, 1)->count == 3);  // padding holds its position
  const auto mixed = container("mixed_level1.tacozip");
  CHECK(computed_children(*mixed, 1, 2)->begin == 2);
  CHECK_FALSE(computed_children(*mixed, 1, 1).has_value());  // a FILE
}

TEST_CASE("levels that mix FILE and FOLDER are navigated") {
  const DataFrame rows = rows_of("mixed_level1.tacozip");
  for (const std::string tile : {"tile_0", "tile_1"}) {
    CAPTURE(tile);
    CHECK(ids(children(rows, tile)) == Strings{"bands", "label"});
    CHECK(ids(children(rows, tile + "/bands")) == Strings{"red", "nir"});
    CHECK(std::holds_alternative<VsiPath>(rows.read(tile + "/label")));
    CHECK(has_text(error_of([&] { rows.read(tile + "/label/x"); }), "'label' is a FILE"));
  }
}

TEST_CASE("six levels are navigated to the deepest") {
  const DataFrame rows = rows_of("six_levels.tacozip");
  CHECK(to_text(rows.read_bytes("level_0/level_1/level_2/level_3/level_4/leaf")) == "data of leaf");
  CHECK(children(rows, "level_0/level_1/level_2/level_3/level_4").level() == 5);
}

TEST_CASE("parents named by their id, and levels without numbers, are navigated") {
  for (const std::string name : {"string_parent_id.tacozip", "no_current_id.tacozip", "permuted_offsets.tacozip",
                                 "header_absent.tacozip", "snappy_v2pages.tacozip", "zip64_records.tacozip"}) {
    CAPTURE(name);
    const DataFrame rows = rows_of(name);
    for (const std::string region : {"africa", "asia", "europe"}) {
      for (const std::string item : {"item_0", "item_1", "item_2"}) {
        CHECK(to_text(rows.read_bytes(region + "/" + item)) == region + "/" + item);
      }
    }
  }
}

TEST_CASE("rows of deeper levels selected by a query are navigated") {
  const DataFrame items = load(golden("permuted_offsets.tacozip"))
                              .sql("SELECT * FROM level1 ORDER BY \"internal:relative_path\" DESC")
                              .data();
  CHECK(items.level() == 1);
  CHECK(to_text(items.read_bytes(0)) == "europe/item_2");
  CHECK(to_text(items.read_bytes(8)) == "africa/item_0");
  const Dataset cities = load(golden("cascade_tacocat")).sql("SELECT * FROM level2 WHERE cloud_cover = 23");
  CHECK(to_text(cities.data().read_bytes(0)) == "asia/country_1/city_1");
}

TEST_CASE("rows sorted and filtered by a query keep their own data") {
  const DataFrame rows =
      load(golden("flat.tacozip")).sql("SELECT * FROM data WHERE cloud_cover > 20 ORDER BY cloud_cover DESC").data();
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    CHECK(to_text(rows.read_bytes(i)) == "data of " + ids(rows)[static_cast<std::size_t>(i)]);
  }
  CHECK(ids(rows) == Strings{"suva", "tokyo", "new_york", "madrid"});
}

TEST_CASE("a query that changes ids still reads the data of the original rows") {
  const DataFrame rows = load(golden("flat.tacozip")).sql("SELECT * REPLACE ('x_' || id AS id) FROM data").data();
  CHECK(to_text(rows.read_bytes("x_tokyo")) == "data of tokyo");
}

TEST_CASE("rows of a join are read as rows of the first table") {
  const DataFrame rows =
      load(golden("nested.tacozip"))
          .sql(
              "SELECT c.*, p.region FROM level1 c JOIN data p ON c.\"internal:parent_id\" = p.\"internal:current_id\" "
              "WHERE p.region = 'EUROPE' ORDER BY c.id")
          .data();
  CHECK(to_text(rows.read_bytes("item_1")) == "europe/item_1");
  const DataFrame both =
      load(golden("nested.tacozip"))
          .sql(
              "SELECT * FROM level1 c JOIN level0 p ON c.\"internal:parent_id\" = p.\"internal:current_id\" "
              "WHERE p.region = 'ASIA' ORDER BY c.id")
          .data();
  CHECK(to_text(both.read_bytes("item_2")) == "asia/item_2");
}

TEST_CASE("a stored internal:gdal_vsi is recomputed") {
  const Dataset dataset = load(golden("stale_gdal_vsi.tacozip"));
  CHECK_FALSE(has_text(dump(dataset.data_raw()), "/elsewhere/old.tacozip"));
  CHECK(vsi(dataset.data(), "tokyo").ends_with("stale_gdal_vsi.tacozip"));
  CHECK(values(dataset.sql("SELECT id, \"internal:gdal_vsi\" FROM data WHERE id = 'tokyo'").data(),
               "internal:gdal_vsi")[0] == vsi(dataset.data(), "tokyo"));
}

TEST_CASE("navigation in a concatenated and filtered view reads from the right source") {
  const Strings paths = cascade_parts();
  const Dataset all = load(std::span<const std::string>(paths));
  const DataFrame rows = all.filter_bbox(-180, -90, 180, 90, {.column = "auto", .level = 2})
                             .sql("SELECT * FROM data ORDER BY id DESC")
                             .data();
  CHECK(ids(rows) == Strings{"europe", "asia", "americas", "africa"});
  for (const std::string& continent : ids(rows)) {
    CAPTURE(continent);
    CHECK(to_text(rows.read_bytes(continent + "/country_1/city_0")) == continent + "/country_1/city_0");
  }
}

TEST_CASE("children of children of a filtered view are right after sort, limit and filter on the way") {
  const Dataset found =
      load(golden("cascade_tacocat")).filter_datetime("2023-04-01/2023-08-31", {.column = "auto", .level = 2});
  const DataFrame asia = children(found.data().sort("id", true), "asia");
  const DataFrame country = children(asia.sort("country", true).limit(1), "country_0");  // japan
  CHECK(ids(country.filter("cloud_cover >= 21")) == Strings{"city_1"});
  CHECK(to_text(country.filter("cloud_cover >= 21").read_bytes(0)) == "asia/country_0/city_1");
}
