#include "tacore/plumbing/serialize.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "support/query_data.hpp"

/// Frames that another process opens again.
using namespace tacore;

namespace {

const Strings kNames{"flat.tacozip", "flat_padded.tacozip", "nested.tacozip",
                     "nested",       "cascade_tacocat",     "uneven_children.tacozip"};

/// The frame as another process restores it, which opens the dataset again.
DataFrame again(const DataFrame& frame, const std::string& name, const std::string& query) {
  const Dataset dataset = load(golden(name));
  return deserialize(query.empty() ? dataset : dataset.sql(query), serialize(frame));
}

}  // namespace

TEST_CASE("a serialized frame has the same rows and reads the same data") {
  for (const auto& name : kNames) {
    for (const std::string query : {"", "SELECT * FROM data ORDER BY random()", "SELECT *, random() AS r FROM data"}) {
      CAPTURE(name);
      CAPTURE(query);
      const Dataset dataset = load(golden(name));
      const Dataset view = query.empty() ? dataset : dataset.sql(query);
      for (const DataFrame& frame : {view.data(), view.data_raw(), view.data().tail(2), view.data().limit(0)}) {
        const DataFrame restored = again(frame, name, query);
        CHECK(dump(restored) == dump(frame));
        CHECK(file_versions(restored) == file_versions(frame));
        if (frame.num_rows() == 0) continue;
        const Node node = frame.read(0), found = restored.read(0);
        REQUIRE(node.index() == found.index());
        const auto* children = std::get_if<DataFrame>(&node);
        if (!children) continue;
        CHECK(dump(std::get<DataFrame>(found)) == dump(*children));
        CHECK(dump(again(*children, name, query)) == dump(*children));
      }
    }
  }
}

TEST_CASE("flatten() has the order of data(), also where the order of a query is not defined") {
  for (int round = 0; round < 20; ++round) {
    const Dataset view = load(golden("cascade_tacocat"))
                             .sql("SELECT * FROM data USING SAMPLE 3 ROWS")
                             .sql("SELECT * FROM data WHERE id IN (SELECT id FROM level0)");
    auto samples = values(view.flatten(), "l0:id");
    samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
    CHECK(samples == values(view.data(), "id"));
  }
}

TEST_CASE("rows of a random query stay the same in later queries") {
  for (const auto& name : kNames) {
    for (const std::string query :
         {"SELECT * FROM data ORDER BY random() LIMIT 2", "SELECT *, random() AS r FROM data",
          "SELECT id, type, random() AS r FROM data ORDER BY r", "SELECT * FROM data WHERE random() < 0.5",
          "SELECT *, \"internal:gdal_vsi\" AS path FROM data ORDER BY random()",
          "SELECT *, current_date AS day FROM data", "SELECT DISTINCT ON (type) * FROM data",
          "SELECT * FROM data ORDER BY type",
          "SELECT * FROM data WHERE id IN (SELECT first(id) FROM data GROUP BY type)",
          "SELECT * FROM data QUALIFY row_number() OVER (PARTITION BY type ORDER BY type) < 3",
          "SELECT \"l0:id\" AS id, \"l0:type\" AS type FROM l0", "SELECT d.* FROM data d JOIN level0 l ON d.id = l.id",
          "SELECT * FROM (SELECT * FROM data LIMIT 2)",
          "SELECT * FROM data WHERE id IN (SELECT id FROM data UNION (SELECT id FROM data USING SAMPLE 2 ROWS))"}) {
      CAPTURE(name);
      CAPTURE(query);
      const Dataset drawn = load(golden(name)).sql(query);
      REQUIRE(varies(drawn));
      const Dataset again = with_drawn(load(golden(name)).sql(query), serialize_drawn(drawn));
      CHECK_FALSE(varies(again));
      CHECK(dump(again.data()) == dump(drawn.data()));
      CHECK(dump(again.data_raw()) == dump(drawn.data_raw()));
      CHECK(again.num_rows() == drawn.num_rows());
      CHECK(dump(again.sql("SELECT id FROM data").data()) == dump(drawn.sql("SELECT id FROM data").data()));
      if (query.starts_with("SELECT *"))
        CHECK(dump(concat({again, again}).data()) == dump(concat({drawn, drawn}).data()));
      CHECK(dump(again.sql("SELECT * FROM data ORDER BY id").data()) ==
            dump(drawn.sql("SELECT * FROM data ORDER BY id").data()));
    }
  }
  const Dataset drawn = load(golden("nested.tacozip")).sql("SELECT * FROM data ORDER BY random() LIMIT 2");
  const Dataset again = with_drawn(load(golden("nested.tacozip")).sql("SELECT * FROM data ORDER BY random() LIMIT 2"),
                                   serialize_drawn(drawn));
  CHECK(dump(again.sql("SELECT id FROM level1").data()) == dump(drawn.sql("SELECT id FROM level1").data()));
  const Dataset below = again.filter_bbox(-180, -90, 180, 90, {.level = 1});
  CHECK(dump(below.data()) == dump(drawn.filter_bbox(-180, -90, 180, 90, {.level = 1}).data()));
  for (const std::string query :
       {"SELECT * FROM data", "SELECT id, upper(type) AS t FROM data WHERE id > 'a' AND id NOT LIKE '%x'",
        "SELECT *, row_number() OVER () AS n FROM (SELECT * FROM data UNION ALL SELECT * FROM data)",
        "SELECT count(*), min(id) FROM data"})
    CHECK_FALSE(varies(load(golden("nested.tacozip")).sql(query)));
  CHECK_FALSE(varies(drawn.sql("SELECT * FROM data")));
  CHECK_THROWS_AS(with_drawn(drawn, Bytes()), Error);
  CHECK_THROWS_AS(with_drawn(drawn, serialize(drawn.data())), FormatError);
}

TEST_CASE("a frame whose values are those of a level is serialized as row keys without values") {
  const DataFrame rows = load(golden("flat.tacozip")).sql("SELECT * FROM data ORDER BY random()").data();
  const auto holds_values = [](const DataFrame& frame) {
    const Bytes bytes = serialize(frame);
    return has_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "valencia");
  };
  CHECK_FALSE(holds_values(rows));
  CHECK_FALSE(holds_values(rows.filter("id <> 'tokyo'").sort("id")));
  CHECK(holds_values(rows.with_column("cloud_cover", "cloud_cover + 1")));
}

TEST_CASE("bytes that serialize did not write are refused") {
  const Dataset dataset = load(golden("flat.tacozip"));
  const DataFrame rows = dataset.sql("SELECT * FROM data WHERE cloud_cover > 30").data();
  Bytes bytes = serialize(rows);
  CHECK_THROWS_AS(deserialize(dataset, Bytes()), Error);
  CHECK_THROWS_AS(deserialize(dataset, std::span(bytes).first(bytes.size() / 2)), Error);
}

TEST_CASE("versions of files differ where a file does") {
  const TemporaryFolder folder;
  const auto versions = [&](const std::string& path) { return file_versions(load(path))[0].version; };
  const std::string before = versions(golden("flat.tacozip"));
  CHECK(before == versions(golden("flat.tacozip")));
  CHECK(before != versions(golden("flat_padded.tacozip")));
  const std::string one = make_flat_folder(folder, "one", 5, "i AS n"),
                    two = make_flat_folder(folder, "two", 5, "-i AS n");
  CHECK(versions(one) != versions(two));
}

TEST_CASE("to_dataset gives the rows of the frame, and refuses queries") {
  const DataFrame rows = load(golden("nested.tacozip")).data().sort("id", true).limit(2);
  const Dataset given = to_dataset(rows);
  CHECK(dump(given.data()) == dump(rows));
  CHECK(given.num_rows() == 2);
  const std::string text = error_of([&] { given.sql("SELECT * FROM data"); });
  CHECK(has_text(text, "use the DataFrame instead"));
  CHECK(has_text(error_of([&] { given.filter_bbox(0, 0, 1, 1); }), "QueryError: "));
  CHECK(has_text(error_of([&] { given.stats(Statistic::Mean); }), "QueryError: "));
  CHECK(has_text(error_of([&] { given.verify_rsut(); }), "QueryError: "));
}

TEST_CASE("the version of a FOLDER is that of its files, and one that changes while it is open is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.path("f"), file = path + "/DATA/asia/item_0";
  std::filesystem::copy(golden("nested"), path, std::filesystem::copy_options::recursive);
  const auto version = [&] { return file_versions(load(path))[0].version; };
  const auto written = std::filesystem::last_write_time(file);
  const std::string before = version();
  CHECK(before == version());
  std::filesystem::last_write_time(file, written - std::chrono::hours(1));
  CHECK(version() != before);
  std::filesystem::last_write_time(file, written);
  CHECK(version() == before);
  const Dataset dataset = load(path);
  const auto item = std::get<DataFrame>(dataset.data().read("asia"));
  CHECK(item.read_bytes("item_0").size() > 0);
  // Clocks are taken to differ by up to two seconds.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::filesystem::last_write_time(file,
                                   std::filesystem::file_time_type::clock::now() + std::chrono::milliseconds(1990));
  CHECK(has_text(error_of([&] { item.read_bytes("item_0"); }), "changed since the dataset was opened; load it again"));
  CHECK(std::get<DataFrame>(load(path).data().read("asia")).read_bytes("item_0").size() > 0);
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() + std::chrono::hours(5));
  CHECK(item.read_bytes("item_0").size() > 0);  // a clock that is wrong
}
