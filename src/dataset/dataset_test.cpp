#include <arrow/c/abi.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "support/load_files.hpp"
#include "support/support.hpp"

// The properties of a dataset.
namespace {

using namespace tacore;

TEST_CASE("collection attributes equal the members of COLLECTION.json") {
  const Dataset dataset = load(golden("flat.tacozip"));
  CHECK(dataset.id() == "flat");
  CHECK(dataset.version() == "1.0.0");
  CHECK(dataset.description() == "Golden dataset of the tacore tests");
  CHECK(dataset.tasks() == Strings{"other"});
  CHECK(dataset.licenses() == Strings{"MIT"});
  REQUIRE(dataset.providers().size() == 1);
  CHECK(dataset.providers()[0].name == "tacore");
  CHECK_FALSE(dataset.title());
  CHECK_FALSE(dataset.curators());
  CHECK_FALSE(dataset.keywords());
  REQUIRE(dataset.extent().spatial);
  CHECK(*dataset.extent().spatial == BBox{});
  CHECK_FALSE(dataset.extent().temporal);
  CHECK(dataset.pit_schema().root_n == 5);
}

TEST_CASE("field_schema is keyed by level, and empty where COLLECTION.json has none") {
  const auto schema = load(golden("nested.tacozip")).field_schema();
  REQUIRE(schema.contains("level0"));
  REQUIRE(schema.contains("level1"));
  CHECK(schema.at("level0")[0].name == "id");
  CHECK(schema.at("level0")[0].type == "string");
  CHECK(load(golden("no_extent.tacozip")).field_schema().empty());
}

TEST_CASE("a changed copy of a collection changes no dataset, open or opened later") {
  const Dataset dataset = load(golden("flat.tacozip"));
  Collection copy = dataset.collection();
  CHECK(copy.json == dataset.collection().json);
  copy.id = "changed";
  copy.tasks.emplace_back("changed");
  copy.providers.clear();
  copy.extent.spatial.reset();
  copy.pit_schema.hierarchy[1] = {};
  CHECK(dataset.id() == "flat");
  CHECK(dataset.tasks() == Strings{"other"});
  CHECK(load(golden("flat.tacozip")).collection().json == dataset.collection().json);
  CHECK(load(golden("flat.tacozip")).pit_schema() == dataset.pit_schema());
}

TEST_CASE("filters do not change the collection") {
  const Dataset dataset = load(golden("nested.tacozip"));
  const Dataset some = dataset.sql("SELECT * FROM data LIMIT 1");
  CHECK(some.num_rows() == 1);
  CHECK(some.collection().json == dataset.collection().json);
  CHECK(some.collection().pit_schema.root_n == 3);
}

TEST_CASE("data shows id, type, user columns and internal:gdal_vsi, and no other internal column, in every format") {
  for (const std::string name : {"flat.tacozip", "nested.tacozip", "nested", "cascade_tacocat",
                                 "cascade_tacocat/__TACOCAT__", "cascade_tacocat/TACOLLECTION.json"}) {
    CAPTURE(name);
    const auto columns = column_names(load(golden(name)).data());
    CHECK(columns[0] == "id");
    CHECK(columns[1] == "type");
    CHECK(columns.back() == "internal:gdal_vsi");
    CHECK(std::count_if(columns.begin(), columns.end(),
                        [](const std::string& c) { return c.starts_with("internal:"); }) == 1);
  }
  CHECK(column_names(load(golden("flat.tacozip")).data()) ==
        Strings{"id", "type", "istac:centroid", "istac:time_start", "cloud_cover", "internal:gdal_vsi"});
}

TEST_CASE("a query that names an internal column shows it; SELECT * does not") {
  const Dataset dataset = load(golden("cascade_tacocat"));
  const auto columns = [&](const char* query) { return column_names(dataset.sql(query).data()); };
  CHECK(columns("SELECT \"internal:source_file\", count(*) AS n FROM data GROUP BY 1 ORDER BY 1") ==
        Strings{"internal:source_file", "n"});
  CHECK(columns("SELECT max(\"internal:offset\") AS \"internal:most\" FROM data") == Strings{"internal:most"});
  CHECK(columns("WITH x AS (FROM data) SELECT \"internal:offset\" FROM x UNION ALL SELECT 1") ==
        Strings{"internal:offset"});
  CHECK(columns("SELECT * FROM (SELECT id, \"internal:offset\" FROM data)") == Strings{"id"});
  CHECK(values(dataset.sql("SELECT id, \"internal:size\" FROM data").data(), "internal:size").size() == 4);
  CHECK(column_names(dataset.sql("SELECT *, \"internal:offset\" + 1 AS after FROM data").data()) ==
        Strings{"id", "type", "continent", "istac:centroid", "istac:time_start", "after", "internal:gdal_vsi"});
}

TEST_CASE("data_raw synthesises internal:relative_path at level 0, the id without a slash") {
  for (const std::string name : {"flat.tacozip", "nested.tacozip", "nested", "cascade_tacocat"}) {
    CAPTURE(name);
    const DataFrame raw = load(golden(name)).data_raw();
    CHECK(values(raw, "internal:relative_path") == ids(raw));
    const DataFrame queried = load(golden(name)).sql("SELECT * FROM data").data_raw();
    CHECK(values(queried, "internal:relative_path") == ids(queried));
  }
}

TEST_CASE("data_raw shows every internal column, and that of TACOCAT also internal:source_file") {
  const auto has_all = [](const std::string& name, const Strings& wanted) {
    const auto columns = column_names(load(golden(name)).data_raw());
    for (const auto& column : wanted) {
      CAPTURE(column);
      CHECK(std::count(columns.begin(), columns.end(), column) == 1);
    }
    for (const auto& column : columns) CHECK_FALSE(column.starts_with("internal:row"));
  };
  const Strings all{
      "id", "type", "internal:current_id", "internal:parent_id", "internal:relative_path", "internal:gdal_vsi"};
  has_all("nested", all);
  Strings zip = all;
  zip.insert(zip.end(), {"internal:offset", "internal:size"});
  has_all("nested.tacozip", zip);
  Strings tacocat = zip;
  tacocat.emplace_back("internal:source_file");
  has_all("cascade_tacocat", tacocat);
  has_all("cascade_tacocat/TACOLLECTION.json", tacocat);
}

TEST_CASE("a user column with the prefix internal: shows only in data_raw") {
  const Dataset dataset = load(golden("odd_names.tacozip"));
  const auto raw = column_names(dataset.data_raw()), shown = column_names(dataset.data());
  CHECK(std::count(raw.begin(), raw.end(), "internal:custom") == 1);
  CHECK(std::count(shown.begin(), shown.end(), "internal:custom") == 0);
}

TEST_CASE("navigation_columns has the names of the reference, sorted, each with its purpose") {
  const auto names = [](const std::string& path) {
    Strings out;
    for (const auto& [name, purpose] : load(golden(path)).navigation_columns()) {
      CHECK_FALSE(purpose.empty());
      out.push_back(name);
    }
    return out;
  };
  CHECK(names("nested.tacozip") == Strings{"id", "internal:current_id", "internal:offset", "internal:size", "type"});
  CHECK(names("nested") == Strings{"id", "internal:current_id", "type"});
  const Strings tacocat{"id",  "internal:current_id", "internal:offset", "internal:size", "internal:source_file",
                        "type"};
  CHECK(names("cascade_tacocat") == tacocat);
  CHECK(names("cascade_tacocat/TACOLLECTION.json") == tacocat);
}

TEST_CASE("null, empty, half-open, date-only and absent extents open with the bounds that they state") {
  const Extent null = load(golden("null_extent.tacozip")).extent();
  CHECK_FALSE(null.spatial);
  CHECK_FALSE(null.temporal);
  const Extent none = load(golden("no_extent.tacozip")).extent();
  CHECK_FALSE(none.spatial);
  const Extent dates = load(golden("dates_only_extent.tacozip")).extent();
  REQUIRE(dates.temporal);
  CHECK(dates.temporal->start.to_string() == "2023-01-01T00:00:00Z");
  CHECK(dates.temporal->end.to_string() >= "2023-12-31T00:00:00Z");
  const Extent half = load(golden("half_open_extent.tacozip")).extent();
  REQUIRE(half.temporal);
  CHECK(half.temporal->start.to_string() == "2022-12-31T23:00:00.500000Z");
  CHECK(half.temporal->end.microseconds == INT64_MAX);
  const Extent antimeridian = load(golden("antimeridian_extent.tacozip")).extent();
  REQUIRE(antimeridian.spatial);
  CHECK(antimeridian.spatial->minx > antimeridian.spatial->maxx);
}

TEST_CASE("a destroyed dataset leaves its parents, siblings and descendants usable") {
  std::optional<Dataset> parent = load(golden("nested.tacozip"));
  std::optional<Dataset> child = parent->sql("SELECT * FROM data WHERE id <> 'asia'");
  std::optional<Dataset> sibling = parent->filter_datetime("2023-02-01/2023-02-28", {.level = 1});
  std::optional<Dataset> grandchild = child->sql("SELECT * FROM data LIMIT 1");
  std::optional<DataFrame> frame = child->data();
  child.reset();
  CHECK(ids(grandchild->data()) == Strings{"africa"});
  CHECK(ids(parent->data()) == Strings{"africa", "asia", "europe"});
  parent.reset();
  CHECK(ids(sibling->data()) == Strings{"asia"});
  CHECK(ids(grandchild->sql("SELECT * FROM data").data()) == Strings{"africa"});
  CHECK(to_text(frame->read_bytes("europe/item_0")) == "europe/item_0");
  const DataFrame below = children(*frame, "europe");
  frame.reset();
  grandchild.reset();
  sibling.reset();
  CHECK(to_text(below.read_bytes("item_2")) == "europe/item_2");
  CHECK(ids(below.filter("id <> 'item_1'")) == Strings{"item_0", "item_2"});
}

TEST_CASE("exported Arrow arrays outlive the stream, the frame and the dataset") {
  ArrowArray kept{};
  {
    std::optional<Dataset> dataset = load(golden("flat.tacozip"));
    ArrowArrayStream stream{};
    dataset->data().export_stream(&stream);
    dataset.reset();
    REQUIRE(stream.get_next(&stream, &kept) == 0);
    stream.release(&stream);
  }
  REQUIRE(static_cast<bool>(kept.release));
  CHECK(kept.length == 5);
  const auto* offsets = static_cast<const int32_t*>(kept.children[0]->buffers[1]);
  CHECK(std::string(static_cast<const char*>(kept.children[0]->buffers[2]), static_cast<std::size_t>(offsets[1])) ==
        "valencia");
  kept.release(&kept);
}

TEST_CASE("verify_rsut is true for every valid dataset, TACOCATs, concatenated and padded ones included") {
  for (const std::string name :
       {"flat.tacozip", "nested.tacozip", "nested", "flat_padded.tacozip", "nested_padded.tacozip", "nested_padded",
        "mixed_level1.tacozip", "six_levels.tacozip", "cascade_tacocat", "cascade_tacocat/__TACOCAT__",
        "cascade_tacocat/TACOLLECTION.json", "string_parent_id.tacozip", "no_current_id.tacozip"}) {
    CAPTURE(name);
    CHECK(load(golden(name)).verify_rsut());
  }
  const std::vector<Dataset> two{load(golden("nested.tacozip")), load(golden("snappy_v2pages.tacozip"))};
  CHECK(concat(two).verify_rsut());
  CHECK(load(golden("nested.tacozip")).sql("SELECT * FROM data WHERE id <> 'asia'").verify_rsut());
}

TEST_CASE("verify_rsut is false where a parent has different or no children") {
  CHECK_FALSE(load(golden("uneven_children.tacozip")).verify_rsut());
  const Dataset one = load(golden("uneven_children.tacozip")).sql("SELECT * FROM data WHERE id = 'b'");
  CHECK(one.verify_rsut());  // alone it agrees with itself
  const Dataset filtered = load(golden("nested.tacozip")).filter_bbox(9.5, -90, 10.5, 90, {.level = 1});
  CHECK(filtered.num_rows() == 1);
  CHECK(filtered.verify_rsut());
}

}  // namespace
