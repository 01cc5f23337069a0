#include <doctest/doctest.h>

#include "support/query_data.hpp"

/// Queries in chains, with filters between them.
using namespace tacore;

namespace {

Dataset flat() { return load(golden("flat.tacozip")); }
Dataset cascade() { return load(golden("cascade_tacocat")); }
Strings found(const Dataset& dataset) { return ids(dataset.data()); }

TEST_CASE("a chain whose queries name data twice runs each step once") {
  Dataset chain = flat();
  for (int i = 0; i < 30; ++i) {
    chain = chain.sql("SELECT * FROM data WHERE cloud_cover <= (SELECT max(cloud_cover) FROM data)");
  }
  CHECK(chain.data().num_rows() == flat().num_rows());
  const Dataset volatile_rows = flat().sql("SELECT *, random() AS r FROM data");
  CHECK(volatile_rows.sql("SELECT a.id FROM data a JOIN data b ON a.id = b.id AND a.r <> b.r").data().num_rows() == 0);
}

TEST_CASE("the hidden row key cannot be queried") {
  const Dataset dataset = flat();
  for (const char* query : {"SELECT \"internal:row\" FROM data", "SELECT *, 1 AS \"internal:row\" FROM data",
                            "SELECT * EXCLUDE (\"internal:row\") FROM data", "SELECT \"Internal:Row\" FROM data",
                            "SELECT d.\"internal:row\" FROM data d", "SELECT 1 FROM data t(\"internal:row\")"}) {
    CAPTURE(std::string(query));
    CHECK(has_text(error_of([&] { dataset.sql(query).data(); }), "column 'internal:row' is not available"));
  }
}

}  // namespace

TEST_CASE("text that holds the name of the hidden row key is only text") {
  const Dataset one =
      flat().sql("SELECT id, '\"internal:row\"' AS a, $$\"internal:row\"$$ AS b FROM data -- \"internal:row\"");
  CHECK(one.data().text(0, "a") == "\"internal:row\"");
  CHECK(one.data().text(0, "b") == "\"internal:row\"");
}

TEST_CASE("a filter after queries accepts their columns, of any type and name") {
  const Dataset typed = flat().sql(
      "SELECT *, NULL AS nothing, MAP {'a': 1} AS m, {'x': 1, 'y y': [1.5::DECIMAL(9, 2)]} AS s, 'a'::ENUM('a', 'b') "
      "AS "
      "e, 1::HUGEINT AS h, INTERVAL 1 DAY AS i, TIMESTAMPTZ '2023-01-01' AS z, [[1, 2]]::INTEGER[2][1] AS f, "
      "'1'::BIT AS bit, uuid() AS u, 1 AS \"it's \"\"odd\"\"\" FROM data");
  const Dataset after = typed.filter_bbox(-180, 0, 180, 90).sql("SELECT *, s.x + 1 AS two FROM data");
  CHECK(found(after.filter_datetime("2000-01-01/..")) == found(flat().filter_bbox(-180, 0, 180, 90)));
}

TEST_CASE("columns with names that DuckDB uses internally are ordinary columns") {
  const TemporaryFolder folder;
  const Dataset dataset = load(make_flat_folder(
      folder, "odd", 4, "i * 10 AS \"File_Row_Number\", i AS filename, i AS rowid, 'x' || i AS \"tacore:file_row\""));
  CHECK(found(dataset.sql("SELECT * FROM data WHERE file_row_number >= 20")) == Strings{"sample_2", "sample_3"});
  CHECK(stored_rows(dataset.sql("SELECT * FROM data ORDER BY id DESC").data()) == std::vector<int64_t>{3, 2, 1, 0});
  CHECK(dataset.sql("SELECT File_Row_Number AS n FROM data WHERE id = 'sample_3'").data().text(0, "n") == "30");
}

TEST_CASE("a query then a filter keep the same rows as the filter then the query") {
  const Dataset a = flat().sql("SELECT * FROM data WHERE cloud_cover > 20").filter_bbox(-80, 0, 0, 90);
  const Dataset b = flat().filter_bbox(-80, 0, 0, 90).sql("SELECT * FROM data WHERE cloud_cover > 20");
  CHECK(found(a) == Strings{"madrid", "new_york"});
  CHECK(found(b) == found(a));
}

TEST_CASE("the tree counts the rows of the view after each step") {
  Dataset view = flat();
  CHECK(view.pit_schema().root_n == 5);
  view = view.filter_bbox(-180, 0, 180, 90);
  CHECK(view.pit_schema().root_n == 4);
  view = view.sql("SELECT * FROM data LIMIT 3");
  CHECK(view.pit_schema().root_n == 3);
  view = view.filter_datetime("2023-02-01/2023-12-31");
  CHECK(view.pit_schema().root_n == 2);
  const Dataset nested = cascade().filter_bbox(-4, 40, -3, 41, {.column = "auto", .level = 2});
  CHECK(nested.pit_schema().root_n == 1);
  CHECK(nested.pit_schema().hierarchy == cascade().pit_schema().hierarchy);
}

TEST_CASE("a query that breaks navigation breaks it for all views derived from it") {
  const Dataset dropped = flat().sql("SELECT * EXCLUDE (\"internal:offset\") FROM data");
  CHECK_FALSE(dropped.is_rsut());
  CHECK_FALSE(dropped.filter_bbox(-180, -90, 180, 90).is_rsut());
  CHECK(cascade().sql("SELECT * FROM data").filter_bbox(-180, -90, 180, 90).is_rsut());
}

TEST_CASE("a dropped navigation column that is added again under its old name does not restore navigation") {
  const Dataset dropped = flat().sql("SELECT * EXCLUDE (\"internal:offset\") FROM data");
  CHECK_FALSE(dropped.sql("SELECT *, 0 AS \"internal:offset\" FROM data").is_rsut());
}

TEST_CASE("ORDER BY survives the filters after it") {
  const Dataset sorted = flat().sql("SELECT * FROM data ORDER BY cloud_cover DESC");
  CHECK(found(sorted.filter_bbox(-180, 0, 180, 90)) == Strings{"tokyo", "new_york", "madrid", "valencia"});
  CHECK(found(sorted.filter_bbox(-180, 0, 180, 90)
                  .filter_datetime("2023-02-01/2023-12-31")
                  .sql("SELECT * FROM data LIMIT 2")) == Strings{"tokyo", "new_york"});
}

TEST_CASE("ORDER BY survives the filters after it over many rows") {
  const TemporaryFolder folder;
  const Dataset many = load(
      make_flat_folder(folder, "many", 200000, "(i * 7919) % 200000 AS k, [i % 360 - 180, 0.0] AS \"stac:centroid\""));
  const DataFrame rows = many.sql("SELECT * FROM data ORDER BY k")
                             .filter_bbox(-90, -1, 90, 1)
                             .sql("SELECT * FROM data WHERE k % 2 = 0")
                             .data();
  int64_t last = -1;
  bool sorted = true;
  const int k = impl_of(rows)->rows->find("k");
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    const int64_t value = impl_of(rows)->rows->integer(k, i).value_or(-1);
    sorted = sorted && value > last;
    last = value;
  }
  CHECK(rows.num_rows() > 40000);
  CHECK(sorted);
}

TEST_CASE("LIMIT before a filter limits what the filter sees") {
  CHECK(found(flat().sql("SELECT * FROM data LIMIT 2").filter_bbox(-80, 0, 0, 90)) == Strings{"valencia", "madrid"});
  CHECK(found(flat().filter_bbox(-80, 0, -10, 90).sql("SELECT * FROM data LIMIT 2")) == Strings{"new_york"});
}

TEST_CASE("a chain of sixty alternating queries and filters is computed") {
  Dataset view = flat();
  for (int i = 0; i < 30; ++i) {
    view = view.sql("SELECT * FROM data WHERE cloud_cover > " + std::to_string(i * 0.4))
               .filter_bbox(-180 + i, -90, 180, 90);
  }
  CHECK(found(view) == Strings{"valencia", "madrid", "new_york", "tokyo", "suva"});
  CHECK(to_text(view.data().read_bytes("suva")) == "data of suva");
}

TEST_CASE("sixty steps that name `data` twice each are computed") {
  Dataset view = flat();
  for (int i = 0; i < 60; ++i)
    view = view.sql("SELECT * FROM data WHERE cloud_cover <= (SELECT 100 + " + std::to_string(i) + ")");
  CHECK(view.num_rows() == 5);
}

TEST_CASE("a chain of thirty cascades is computed") {
  Dataset view = cascade();
  for (int i = 0; i < 30; ++i) view = view.filter_bbox(-10 - i, 35, 10, 60, {.column = "auto", .level = 1 + i % 2});
  CHECK(found(view) == Strings{"europe"});
  CHECK(to_text(view.data().read_bytes("europe/country_1/city_1")) == "europe/country_1/city_1");
}

TEST_CASE("a cascade over a TACOLLECTION works after a query") {
  const Dataset index = load(golden("cascade_tacocat/TACOLLECTION.json"));
  CHECK(found(index.sql("SELECT * FROM data ORDER BY continent")
                  .filter_bbox(0, -30, 180, 90, {.column = "auto", .level = 2})) ==
        Strings{"africa", "asia", "europe"});
}

// Parquet statistics of floats ignore NaN; a column that SQL computed has no statistics.
TEST_CASE("NaN is the greatest number to a query, whatever the statistics of its column say") {
  const TemporaryFolder folder;
  const std::string columns = R"(CASE i WHEN 1 THEN 'nan'::DOUBLE WHEN 2 THEN 30 ELSE 10.0 * (i + 1) END AS x,
      CASE i WHEN 1 THEN 'nan'::FLOAT ELSE 10.0 * (i + 1) END::FLOAT AS f,
      {'deep': CASE i WHEN 1 THEN 'nan'::DOUBLE ELSE 10.0 * (i + 1) END} AS s,
      CASE i WHEN 1 THEN 'nan'::DOUBLE END AS nothing)";
  const Dataset stored = load(make_flat_folder(folder, "nan", 3, columns));
  const Dataset both = concat({stored, load(make_flat_folder(folder, "again", 3, columns))});
  const std::string computed =
      "SELECT id FROM (SELECT id, x + 0 AS x, f + 0 AS f, {'deep': s.deep + 0} AS s, nothing + 0 AS nothing FROM data) "
      "WHERE ";
  for (const char* number : {"x", "f", "s.deep", "nothing"}) {
    for (const char* test : {"# < 50", "# > 50", "# <= 30", "# >= 10", "NOT (# < 50)", "NOT (# > 5)",
                             "# BETWEEN 5 AND 50", "# NOT BETWEEN 5 AND 50", "# = 'nan'", "# <> 10", "# <> 'nan'",
                             "# IN (10, 'nan')", "isnan(#)", "# < 'inf'", "# IS NOT NULL", "abs(#) < 50"}) {
      std::string condition = test;
      condition.replace(condition.find('#'), 1, number);
      CAPTURE(condition);
      for (const Dataset& dataset : {stored, both}) {
        const Strings expected = found(dataset.sql(computed + condition));
        CHECK(found(dataset.sql("SELECT id FROM data WHERE " + condition)) == expected);
        CHECK(found(dataset.sql("SELECT *, 1 AS more FROM data").sql("SELECT id FROM data WHERE " + condition)) ==
              expected);
      }
    }
  }
  CHECK(found(stored.sql("SELECT id FROM data WHERE x < 50")) == Strings{"sample_0", "sample_2"});
  CHECK(found(stored.sql("SELECT id FROM data WHERE x > 50")) == Strings{"sample_1"});
  CHECK(found(stored.sql("SELECT id FROM data WHERE isnan((SELECT max(x) FROM data))")).size() == 3);
}

// Otherwise each step would draw another split into train and test.
TEST_CASE("rows of a random query are the same in all views derived from it") {
  const TemporaryFolder folder;
  const Dataset all = load(make_flat_folder(folder, "many", 1000, "i AS n"));
  for (const char* query :
       {"SELECT * FROM data ORDER BY random() LIMIT 20", "SELECT * FROM data WHERE random() < 0.05",
        "SELECT * FROM data USING SAMPLE 20", "SELECT *, uuid() AS u, random() AS r FROM data LIMIT 20",
        "SELECT * FROM data WHERE n IN (SELECT n FROM level0 ORDER BY random() LIMIT 20)"}) {
    CAPTURE(std::string(query));
    const Dataset drawn = all.sql(query), before = drawn.sql("SELECT * FROM data WHERE n % 2 = 0");
    const Dataset both = concat({all.sql("SELECT * FROM data WHERE n < 3"), drawn});
    const Strings shown = found(drawn);
    CHECK(found(drawn.sql("SELECT * FROM data")) == shown);
    CHECK(dump(drawn.sql("SELECT * FROM data").data()) == dump(drawn.data()));
    CHECK(found(drawn.sql("SELECT * FROM data WHERE n % 2 = 0")) == found(before));
    CHECK(before.num_rows() + drawn.sql("SELECT * FROM data WHERE n % 2 = 1").num_rows() == drawn.num_rows());
    Strings joined{"sample_0", "sample_1", "sample_2"};
    joined.insert(joined.end(), shown.begin(), shown.end());
    CHECK(found(both) == joined);
    CHECK(found(both.sql("SELECT *, 1 AS more FROM data")) == joined);
    CHECK(stored_rows(both.sql("SELECT * FROM data OFFSET 3").data()) == stored_rows(drawn.data()));
  }
  const Dataset now = all.sql("SELECT *, current_timestamp AS t, now() AS u FROM data");
  CHECK(dump(now.sql("SELECT * FROM data").data()) == dump(now.data()));
}

TEST_CASE("rows of a random query keep their paths and children") {
  const Dataset drawn = cascade().sql("SELECT * FROM data ORDER BY random() LIMIT 2");
  const Dataset later = drawn.sql("SELECT *, \"internal:gdal_vsi\" AS path FROM data");
  CHECK(found(later) == found(drawn));
  CHECK(values(later.data(), "path") == values(drawn.data(), "internal:gdal_vsi"));
  const Dataset below = drawn.filter_bbox(-180, -90, 180, 90, {.level = 2});
  CHECK(found(below) == found(drawn));
  CHECK(children(below.data(), found(drawn)[0]).num_rows() == children(drawn.data(), found(drawn)[0]).num_rows());
  CHECK(concat({drawn, cascade()}).sql("SELECT * FROM data").num_rows() == 6);
}
