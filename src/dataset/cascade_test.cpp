#include <doctest/doctest.h>

#include "support/query_data.hpp"
#include "support/support.hpp"

/// Filters that test a level below the root, over every container that holds the same tree: 4 continents, each of 2
/// countries of 2 cities; internal:current_id starts again in each source.
using namespace tacore;

namespace {

const BBox kMadrid{-4, 40, -3, 41};
const BBox kWestEurope{-10, 35, 10, 60};
const BBox kSpain{-5, 39, -3, 41};
const BBox kJapan{130, 30, 145, 38};

Dataset parts() { return concat({part(1), part(2), part(3), part(4)}); }
Dataset tacocat() { return load(golden("cascade_tacocat")); }

struct Case {
  std::string name;
  Dataset dataset;
};

std::vector<Case> everywhere() {
  return {{".tacocat", tacocat()},
          {"__TACOCAT__", load(golden("cascade_tacocat/__TACOCAT__"))},
          {"TACOLLECTION.json", load(golden("cascade_tacocat/TACOLLECTION.json"))},
          {"concat", parts()}};
}

/// Every path below the visible rows, in order.
Strings tree(const DataFrame& frame) {
  Strings out;
  for (int64_t row = 0; row < frame.num_rows(); ++row) {
    const std::string id = ids(frame)[static_cast<std::size_t>(row)];
    const Node node = frame.read(row);
    if (std::holds_alternative<VsiPath>(node)) {
      out.push_back(id);
      continue;
    }
    for (const auto& below : tree(std::get<DataFrame>(node))) out.push_back(id + "/" + below);
  }
  return out;
}
Strings tree(const Dataset& dataset) { return tree(dataset.data()); }

}  // namespace

TEST_CASE("filter_bbox at level 1 keeps the samples with a matching child" * doctest::test_suite("external")) {
  if (missing(published("zip/nested.tacozip"))) return;
  for (const std::string name : {"zip/nested.tacozip", "folder/nested"}) {
    CAPTURE(name);
    const Dataset found = load(published(name)).filter_bbox(-75, 40, -73, 41, at(1));
    CHECK(ids(found.data()) == Strings{"americas"});
    CHECK(found.num_rows() == 1);
  }
}

TEST_CASE("a box at level 1 finds Spain in europe and Japan in asia") {
  for (const auto& c : everywhere()) {
    CAPTURE(c.name);
    CHECK(ids(c.dataset.filter_bbox(kSpain, at(1)).data()) == Strings{"europe"});
    CHECK(ids(c.dataset.filter_bbox(kJapan, at(1)).data()) == Strings{"asia"});
  }
}

TEST_CASE("a cascade at level 2 keeps europe, and read shows only country_0/city_0") {
  for (const auto& c : everywhere()) {
    CAPTURE(c.name);
    CHECK(tree(c.dataset.filter_bbox(kMadrid, at(2))) == Strings{"europe/country_0/city_0"});
  }
}

TEST_CASE("rows with equal numbers in different source files are distinguished") {
  for (const auto& c : everywhere()) {
    CAPTURE(c.name);
    const DataFrame found = c.dataset.filter_bbox(100, 30, 150, 40, at(2)).data();
    CHECK(tree(found) == Strings{"asia/country_0/city_0", "asia/country_0/city_1"});
    CHECK(to_text(found.read_bytes("asia/country_0/city_1")) == "asia/country_0/city_1");
  }
}

TEST_CASE("levels above the filtered level show only kept rows, deeper levels show all") {
  for (const auto& c : everywhere()) {
    CAPTURE(c.name);
    CHECK(tree(c.dataset.filter_bbox(kSpain, at(1))) == Strings{"europe/country_0/city_0", "europe/country_0/city_1"});
  }
}

TEST_CASE("SQL over deeper levels sees all rows, filtered or not") {
  for (const auto& c : everywhere()) {
    CAPTURE(c.name);
    for (const auto& [table, rows] : {std::pair("level0", "4"), std::pair("level1", "8"), std::pair("level2", "16")}) {
      const Dataset found =
          c.dataset.filter_bbox(kMadrid, at(2)).sql("SELECT count(*) AS n FROM " + std::string(table));
      CHECK(values(found.data(), "n") == Strings{rows});
    }
  }
}

TEST_CASE("earlier level-0 filters still apply after a cascade") {
  for (const auto& c : everywhere()) {
    CAPTURE(c.name);
    const Dataset world = c.dataset.sql("SELECT * FROM data WHERE continent <> 'europe'");
    CHECK(world.filter_bbox(kMadrid, at(2)).num_rows() == 0);
    CHECK(ids(world.filter_datetime("2023-01-01/2023-05-31", at(1)).data()) == Strings{"asia"});
  }
}

TEST_CASE("two cascades at one level keep the parents of a row that meets both, in any order") {
  const TimeRange late = TimeRange::parse("2023-01-11/2023-12-31");
  for (const auto& c : everywhere()) {
    CAPTURE(c.name);
    const Strings expected{"europe/country_0/city_1", "europe/country_1/city_0", "europe/country_1/city_1"};
    CHECK(tree(c.dataset.filter_bbox(kWestEurope, at(2)).filter_datetime(late, at(2))) == expected);
    CHECK(tree(c.dataset.filter_datetime(late, at(2)).filter_bbox(kWestEurope, at(2))) == expected);
    // Madrid is in the box, Barcelona in the days: no city is in both.
    CHECK(c.dataset.filter_bbox(kMadrid, at(2)).filter_datetime("2023-01-11", at(2)).num_rows() == 0);
  }
}

TEST_CASE("cascades at different levels combine, in any order") {
  for (const auto& c : everywhere()) {
    CAPTURE(c.name);
    const TimeRange eleventh = TimeRange::parse("2023-01-11");
    CHECK(tree(c.dataset.filter_bbox(kSpain, at(1)).filter_datetime(eleventh, at(2))) ==
          Strings{"europe/country_0/city_1"});
    CHECK(tree(c.dataset.filter_datetime(eleventh, at(2)).filter_bbox(kSpain, at(1))) ==
          Strings{"europe/country_0/city_1"});
    CHECK(c.dataset.filter_bbox(kJapan, at(1)).filter_datetime(eleventh, at(2)).num_rows() == 0);
  }
}

TEST_CASE("a level-0 filter or query after a cascade keeps the restriction of its children") {
  for (const auto& c : everywhere()) {
    CAPTURE(c.name);
    const Dataset madrid = c.dataset.filter_bbox(kMadrid, at(2));
    CHECK(tree(madrid.filter_datetime("2023-01-01")) == Strings{"europe/country_0/city_0"});
    CHECK(tree(madrid.sql("SELECT * FROM data WHERE continent = 'europe'")) == Strings{"europe/country_0/city_0"});
  }
}

TEST_CASE("rows keep their stored order after any filter") {
  const TemporaryFolder folder;
  const std::string n = "30000", children = "60000";
  const Dataset dataset = load(make_folder(
      folder, "wide", two_levels(30000, 60000, {"a", "b"}),
      {"SELECT 's' || i AS id, 'FOLDER' AS type, i AS \"internal:current_id\", i AS \"internal:parent_id\", "
       "[i % 360 - 180, 0.0] AS \"stac:centroid\" FROM range(" +
           n + ") r(i)",
       "SELECT CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END AS id, 'FILE' AS type, i AS \"internal:current_id\", i // 2 AS "
       "\"internal:parent_id\", "
       "'s' || (i // 2) || '/' || CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END AS \"internal:relative_path\", "
       "[(i * 7919) % 360 - 180, 10.0] AS \"stac:centroid\" FROM range(" +
           children + ") r(i)"}));
  std::vector<int64_t> at_root, below;
  for (int64_t i = 0; i < 30000; ++i) {
    const auto inside = [](int64_t lon) { return lon >= -20 && lon <= 20; };
    if (inside(i % 360 - 180)) at_root.push_back(i);
    if (inside((2 * i * 7919) % 360 - 180) || inside(((2 * i + 1) * 7919) % 360 - 180)) below.push_back(i);
  }
  CHECK(stored_rows(dataset.filter_bbox(-20, -90, 20, 90).data()) == at_root);
  CHECK(stored_rows(dataset.filter_bbox(-20, -90, 20, 90, at(1)).data()) == below);
  std::reverse(below.begin(), below.end());
  const Dataset reversed = dataset.sql("SELECT * FROM data ORDER BY \"internal:current_id\" DESC");
  CHECK(stored_rows(reversed.filter_bbox(-20, -90, 20, 90, at(1)).data()) == below);
  // Several times: threads that race for the order of a union do not always lose it.
  std::vector<int64_t> twice = below;
  twice.insert(twice.end(), below.begin(), below.end());
  for (int i = 0; i < 4; ++i) {
    CHECK(stored_rows(concat({reversed, reversed}).filter_bbox(-20, -90, 20, 90, at(1)).data()) == twice);
    CHECK(stored_rows(
              concat({reversed, reversed}).sql("SELECT * FROM data").filter_bbox(-20, -90, 20, 90, at(1)).data()) ==
          twice);
  }
}

TEST_CASE("ORDER BY before a cascade decides the order of its rows") {
  for (const auto& c : everywhere()) {
    CAPTURE(c.name);
    const Dataset sorted =
        c.dataset.sql("SELECT * FROM data ORDER BY continent DESC").filter_datetime("2023-01-01/2023-09-01", at(2));
    CHECK(ids(sorted.data()) == Strings{"europe", "asia", "americas"});
  }
}

TEST_CASE("LIMIT before a cascade limits its input") {
  const Dataset two = tacocat().sql("SELECT * FROM data ORDER BY continent LIMIT 2");  // africa, americas
  CHECK(two.filter_bbox(kMadrid, at(2)).num_rows() == 0);
  CHECK(ids(two.filter_datetime("2023-07-01/2023-12-31", at(2)).data()) == Strings{"africa", "americas"});
}

TEST_CASE("LIMIT after a cascade limits its result") {
  const Dataset found = tacocat().filter_datetime("2023-04-01/2023-12-31", at(2)).sql("SELECT * FROM data LIMIT 1");
  CHECK(ids(found.data()) == Strings{"asia"});
}

TEST_CASE("a cascade keeps the columns that link levels") {
  const Strings plain = column_names(tacocat().data());
  for (const std::string name : {"internal:current_id", "internal:parent_id", "internal:source_file"}) {
    CAPTURE(name);
    const auto shows = [&](const Dataset& dataset) {
      const Strings columns = column_names(dataset.data());
      return std::find(columns.begin(), columns.end(), name) != columns.end();
    };
    CHECK_FALSE(shows(tacocat()));
    CHECK_FALSE(shows(tacocat().filter_bbox(kMadrid)));
    CHECK(shows(tacocat().filter_bbox(kMadrid, at(2))));
    CHECK(shows(part(1).filter_bbox(kMadrid, at(2))) == (name != "internal:source_file"));
  }
}

TEST_CASE("a cascade is RSUT compliant when all kept samples have the same children") {
  // country_0 and country_1 of every continent.
  CHECK(tacocat().filter_bbox(-180, -90, 180, 90, at(2)).is_rsut());
  // One continent is alike by itself.
  CHECK(tacocat().filter_bbox(kMadrid, at(2)).is_rsut());
  // europe keeps country_1 alone, asia both.
  const Dataset uneven = tacocat().filter_datetime("2023-02-01/2023-05-31", at(2));
  CHECK(ids(uneven.data()) == Strings{"europe", "asia"});
  CHECK_FALSE(uneven.is_rsut());
  CHECK_FALSE(uneven.verify_rsut());
}

namespace {

/// 2 roots a and b, each of 2 folders of 2 files, which lie on January 1 and 2; but the last file of b on the 9th.
std::string three_levels(const TemporaryFolder& folder) {
  const std::string children = R"({"n": 4, "type": ["FOLDER", "FOLDER"], "id": ["f0", "f1"]})";
  const std::string files = R"({"n": 4, "type": ["FILE", "FILE"], "id": ["x", "y"]})";
  const std::string tree = R"({"root": {"n": 2, "type": "FOLDER"}, "hierarchy": {"1": [)" + children + R"(], "2": [)" +
                           files + ", " + files + "]}}";
  const std::string numbers = ", i AS \"internal:current_id\", ";
  return make_folder(
      folder, "three", tree,
      {"SELECT chr(CAST(97 + i AS INT)) AS id, 'FOLDER' AS type" + numbers +
           "i AS \"internal:parent_id\" FROM range(2) r(i)",
       "SELECT 'f' || i % 2 AS id, 'FOLDER' AS type" + numbers + "i // 2 AS \"internal:parent_id\" FROM range(4) r(i)",
       "SELECT chr(CAST(120 + i % 2 AS INT)) AS id, 'FILE' AS type, TIMESTAMP '2024-01-01' + INTERVAL 1 DAY * "
       "(CASE i WHEN 7 THEN 8 ELSE i % 2 END) AS \"stac:time_start\"" +
           numbers + "i // 2 AS \"internal:parent_id\" FROM range(8) r(i)"});
}

}  // namespace

TEST_CASE("a cascade whose kept samples differ only two levels below the root is not RSUT compliant") {
  const TemporaryFolder folder;
  const Dataset all = load(three_levels(folder));
  CHECK(all.verify_rsut());
  CHECK(all.filter_datetime("2024-01-01/2024-01-01", at(2)).is_rsut());
  // All folders stay, the last with one file of two.
  const Dataset uneven = all.filter_datetime("2024-01-01/2024-01-02", at(2));
  CHECK(tree(uneven) == Strings{"a/f0/x", "a/f0/y", "a/f1/x", "a/f1/y", "b/f0/x", "b/f0/y", "b/f1/x"});
  CHECK_FALSE(uneven.is_rsut());
  CHECK_FALSE(uneven.verify_rsut());
  CHECK(uneven.sql("SELECT * FROM data WHERE id = 'a'").is_rsut());
}

TEST_CASE("RSUT-compliant inputs may have a concatenation that is not RSUT compliant") {
  const TemporaryFolder folder;
  const Dataset all = load(three_levels(folder));
  const Dataset a = all.sql("SELECT * FROM data WHERE id = 'a'").filter_datetime("2024-01-01/2024-01-02", at(2));
  const Dataset b = all.sql("SELECT * FROM data WHERE id = 'b'").filter_datetime("2024-01-01/2024-01-01", at(2));
  CHECK(a.is_rsut());
  CHECK(b.is_rsut());
  CHECK_FALSE(concat({a, b}).is_rsut());
  CHECK(concat({b, b}).is_rsut());
}

TEST_CASE("a cascade over concatenated datasets never mixes their sources") {
  const DataFrame found = parts().filter_bbox(kJapan, at(1)).data();
  CHECK(tree(found) == Strings{"asia/country_0/city_0", "asia/country_0/city_1"});
  CHECK(has_text(vsi(found, "asia/country_0/city_0"), "cascade_part0002.tacozip"));
}

TEST_CASE("one file that is concatenated with itself is two sources") {
  const Dataset twice = concat({load(golden("nested.tacozip")), load(golden("nested.tacozip"))});
  const Dataset found = twice.filter_bbox(11.5, 2.5, 12.5, 3.5, at(1));  // asia/item_2
  CHECK(tree(found) == Strings{"asia/item_2", "asia/item_2"});
}

TEST_CASE("a cascade without a match gives no rows and no error") {
  for (const auto& c : everywhere()) {
    for (const int level : {1, 2}) {
      CAPTURE(c.name);
      const Dataset none = c.dataset.filter_bbox(-150, -80, -149, -79, at(level));
      CHECK(none.num_rows() == 0);
      CHECK(none.data().num_rows() == 0);
    }
  }
}

TEST_CASE("an empty cascade has the columns of a non-empty one") {
  CHECK(column_names(tacocat().filter_bbox(-150, -80, -149, -79, at(2)).data()) ==
        column_names(tacocat().filter_bbox(kMadrid, at(2)).data()));
}

TEST_CASE("a cascade after a query that dropped the linking columns is a QueryError that says how to keep them") {
  const Dataset bare = tacocat().sql("SELECT id, type FROM data");
  const std::string text = error_of([&] { bare.filter_bbox(kMadrid, at(2)).data(); });
  CHECK(has_text(text, "QueryError: "));
  CHECK(has_text(text, "SELECT * keeps"));
}

TEST_CASE("a cascade that names its column tests that column") {
  const FilterOptions centroid{.column = "istac:centroid", .level = 2};
  CHECK(tree(tacocat().filter_bbox(kMadrid, centroid)) == Strings{"europe/country_0/city_0"});
}

TEST_CASE("padding rows do not pass a cascade") {
  for (const std::string name : {"nested_padded.tacozip", "nested_padded"}) {
    CAPTURE(name);
    const Dataset dataset = load(golden(name));
    // The score serves as an epoch in seconds.
    const FilterOptions score{.column = "score", .level = 1};
    CHECK(tree(dataset.filter_datetime("1970-01-01T00:00:00Z/1970-01-01T00:00:03Z", score)) ==
          Strings{"one/a", "one/b", "one/c", "two/a"});
    CHECK(tree(dataset.filter_datetime("1970-01-01/1970-01-02", score)) ==
          Strings{"one/a", "one/b", "one/c", "two/a", "two/c"});
  }
}

TEST_CASE("a cascade works on trees whose folders have different children") {
  const FilterOptions rank{.column = "rank", .level = 1};
  const Dataset found =
      load(golden("uneven_children.tacozip")).filter_datetime("1970-01-01T00:00:01Z/1970-01-01T00:00:02Z", rank);
  CHECK(tree(found) == Strings{"b/item_1", "b/item_2", "c/item_1"});
  CHECK_FALSE(found.is_rsut());
}

TEST_CASE("a cascade works where rows name their parents by id") {
  const Dataset found = load(golden("string_parent_id.tacozip")).filter_bbox(11.5, 2.5, 12.5, 3.5, at(1));
  CHECK(tree(found) == Strings{"asia/item_2"});
}

TEST_CASE("a cascade works on levels without internal:current_id") {
  const Dataset found = load(golden("no_current_id.tacozip")).filter_bbox(11.5, 2.5, 12.5, 3.5, at(1));
  CHECK(tree(found) == Strings{"asia/item_2"});
}
