#include "query/query_plan.hpp"

#include <doctest/doctest.h>

#include "support/query_data.hpp"

/// Statements as values: nothing here starts the database.
using namespace tacore;

namespace {

/// A view of a golden dataset with these steps.
View view_of(const Dataset& dataset, std::vector<Step> steps = {}) {
  View out = impl_of(dataset)->view();
  for (auto& step : steps) out.steps.push_back(std::move(step));
  return out;
}
View view_of(const std::string& name, std::vector<Step> steps = {}) {
  return view_of(load(golden(name)), std::move(steps));
}

SqlStep sql(const std::string& text, std::set<std::string> tables = {"data"}) {
  return {{text, std::move(tables)}, text.find("gdal_vsi") != std::string::npos};
}
Filter box(int level = 0, const std::string& column = "auto") { return {BBox{1.25, 2.5, 3.75, 4.5}, column, level}; }
Filter time(int level = 0, const std::string& column = "auto") {
  return {TimeRange::parse("2023-01-01/2023-02-01"), column, level};
}

/// For plans that must not describe a query.
SqlColumns unasked(const Statement&) {
  FAIL("a plan without queries asked for columns");
  return {};
}

Statement rows(const View& view, const QueryPlan::Describe& describe = unasked) {
  return QueryPlan(view, describe).rows();
}

int count(const std::string& text, const std::string& part) {
  int out = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++out;
  return out;
}

}  // namespace

TEST_CASE("a statement is one flat list of common table expressions") {
  const Statement plan =
      rows(view_of("flat.tacozip", {box(), time(), sql("SELECT * FROM data"), sql("SELECT * FROM data LIMIT 1")}));
  CHECK(plan.sql.starts_with("WITH \"tacore:0\" AS NOT MATERIALIZED ("));
  CHECK(count(plan.sql, "\nSELECT * FROM (WITH data AS NOT MATERIALIZED (SELECT * FROM \"tacore:3\")") == 1);
  for (int i = 0; i < 4; ++i) CHECK(count(plan.sql, "\"tacore:" + std::to_string(i) + "\" AS ") == 1);
}

TEST_CASE("a single query has only the common table expression data") {
  const Statement plan = rows(view_of("flat.tacozip", {sql("SELECT id FROM data")}));
  CHECK(plan.sql.starts_with("WITH data AS NOT MATERIALIZED (SELECT \"id\", "));
  CHECK(plan.sql.ends_with(") SELECT * FROM (\nSELECT id FROM data\n)"));
}

TEST_CASE("common table expressions are not materialised") {
  for (const View& view :
       {view_of("flat.tacozip", {box(), sql("SELECT * FROM data")}), view_of("cascade_tacocat", {box(2), time(1)})}) {
    const Statement plan = rows(view);
    CHECK(count(plan.sql, " AS NOT MATERIALIZED (") == count(plan.sql, "MATERIALIZED"));
    CHECK(count(plan.sql, "MATERIALIZED") > 0);
  }
}

TEST_CASE("a statement grows by one expression for each step") {
  std::vector<Step> steps;
  std::size_t last = rows(view_of("flat.tacozip")).sql.size(), growth = 0;
  for (int i = 0; i < 40; ++i) {
    steps.push_back(sql("SELECT * FROM data WHERE true"));
    const std::size_t size = rows(view_of("flat.tacozip", steps)).sql.size();
    if (i == 1) growth = size - last;
    if (i > 1) CHECK(size - last <= growth + 8);  // numbers get longer
    last = size;
  }
}

TEST_CASE("values are bound parameters, never part of the SQL text") {
  const Statement plan = rows(view_of("flat.tacozip", {box(), time()}));
  for (const std::string value : {"1.25", "3.75", "2023", "1672531200"}) CHECK(count(plan.sql, value) == 0);
  int doubles = 0, times = 0;
  for (const auto& value : plan.values) {
    doubles += std::holds_alternative<double>(value);
    times += std::holds_alternative<SqlTime>(value);
  }
  CHECK(doubles == 4);
  CHECK(times == 2);
  for (std::size_t i = 1; i <= plan.values.size(); ++i) CHECK(count(plan.sql, "$" + std::to_string(i)) == 1);
}

TEST_CASE("the id of a parent is a bound parameter, quotes included") {
  const Statement plan =
      QueryPlan(view_of("odd_names_nested.tacozip"), unasked).statistics(1, "it's", {"geotiff:stats"});
  CHECK(count(plan.sql, "it's") == 0);
  bool bound = false;
  for (const auto& value : plan.values)
    bound = bound || (std::holds_alternative<std::string>(value) && std::get<std::string>(value) == "it's");
  CHECK(bound);
}

TEST_CASE("levels are bound as files, so no user text is read as a file name") {
  const Statement plan = rows(view_of("cascade_tacocat", {box(2)}));
  CHECK(plan.levels.size() == 3);
  int files = 0;
  for (const auto& value : plan.values) files += std::holds_alternative<LevelFile>(value);
  CHECK(files == 3);
  CHECK(count(plan.sql, "tacore://") == 0);
  CHECK(count(plan.sql, "FROM read_parquet($") == 3);
}

TEST_CASE("a statement has only the levels that it needs") {
  CHECK(rows(view_of("cascade_tacocat")).levels.size() == 1);
  CHECK(rows(view_of("cascade_tacocat", {box()})).levels.size() == 1);
  CHECK(rows(view_of("cascade_tacocat", {box(1)})).levels.size() == 2);
  CHECK(rows(view_of("cascade_tacocat", {sql("SELECT * FROM level2", {"level2"})})).levels.size() == 2);
}

TEST_CASE("a level is scanned once in a statement, however often it is named") {
  const Statement plan = rows(
      view_of("cascade_tacocat", {box(1), time(1), box(2), sql("SELECT * FROM data, level1", {"data", "level1"})}));
  CHECK(plan.levels.size() == 3);
  CHECK(count(plan.sql, "read_parquet(") == 3);
}

TEST_CASE("column names are quoted") {
  const Statement plan = rows(view_of("odd_names.tacozip"));
  CHECK(count(plan.sql, "\"double\"\"quote\"") >= 1);
  CHECK(count(plan.sql, "\"it's\"") >= 1);
  CHECK(count(plan.sql, "\"semi;colon\"") >= 1);
  CHECK(count(plan.sql, "\"select\"") >= 1);
}

TEST_CASE("an explicit filter column is quoted") {
  const Statement plan = rows(view_of("odd_names.tacozip", {time(0, "double\"quote")}));
  CHECK(count(plan.sql, "WHERE tacore_epoch(TRY_CAST(\"double\"\"quote\" AS BIGINT), ") == 1);
}

TEST_CASE("paths with apostrophes are quoted, and included only where a query uses them") {
  const TemporaryFolder folder;
  const std::string path = folder.copy(golden("flat.tacozip"), "it's here.tacozip");
  const std::string written = "/it''s here.tacozip'";
  CHECK(count(rows(view_of(load(path), {box()})).sql, "it''s") == 0);
  CHECK(count(rows(view_of(load(path), {sql("SELECT \"internal:gdal_vsi\" FROM data")})).sql, written) == 1);
  const std::vector<Dataset> twice{load(path), load(path)};
  CHECK(count(rows(impl_of(concat(twice))->view()).sql, written) == 2);  // internal:source_path
}

TEST_CASE("the user's SQL text is kept whole, on its own lines") {
  const std::string text = "SELECT * FROM data -- data) $1 {level:0}";
  const Statement plan = rows(view_of("flat.tacozip", {sql(text)}));
  CHECK(count(plan.sql, "(\n" + text + "\n)") == 1);
}

TEST_CASE("padding is filtered only where the footer cannot rule it out") {
  CHECK(count(rows(view_of("flat.tacozip")).sql, "__TACOPAD__") == 0);
  CHECK(count(rows(view_of("flat_padded.tacozip")).sql, "NOT starts_with(\"id\", '__TACOPAD__')") == 1);
}

TEST_CASE("levels of a TACOCAT are joined by parent and source file") {
  const std::string tacocat = rows(view_of("cascade_tacocat", {box(1)})).sql;
  CHECK(count(tacocat,
              "c.\"internal:parent_id\" = p.\"internal:current_id\" AND c.\"internal:source_file\" = "
              "p.\"internal:source_file\"") == 1);
  const std::string zip = rows(view_of("nested.tacozip", {box(1)})).sql;
  CHECK(count(zip, "c.\"internal:parent_id\" = p.\"internal:current_id\")") == 1);
}

TEST_CASE("levels whose parents are named by id are joined by it") {
  CHECK(count(rows(view_of("string_parent_id.tacozip", {box(1)})).sql, "c.\"internal:parent_id\" = p.\"id\"") == 1);
}

TEST_CASE("the inputs of a concat are joined separately") {
  const std::vector<Dataset> twice{load(golden("nested.tacozip")), load(golden("nested.tacozip"))};
  View view = impl_of(concat(twice))->view();
  view.steps.push_back(box(1));
  CHECK(count(rows(view).sql, "(c.\"internal:row\" >> 43) = (p.\"internal:row\" >> 43)") == 1);
}

TEST_CASE("a filter after a query determines the query's columns once") {
  int asked = 0;
  const auto describe = [&](const Statement& prefix) {
    ++asked;
    CHECK(count(prefix.sql, "SELECT 1 AS x") == 1);
    return SqlColumns{{{"istac:centroid", "binary"}, {"istac:time_start", "timestamp[us]"}}, {"BLOB", "TIMESTAMP"}};
  };
  rows(view_of("flat.tacozip", {sql("SELECT 1 AS x"), box(), time(), box()}), describe);
  CHECK(asked == 1);
}

TEST_CASE("a query is described over the columns of the query before, not over all steps before") {
  std::vector<Statement> asked;
  const auto describe = [&](const Statement& query) {
    asked.push_back(query);
    return SqlColumns{{{"istac:centroid", "binary"}, {"it\"s", "int64"}}, {"BLOB", "BIGINT"}};
  };
  std::vector<Step> steps;
  for (int i = 0; i < 5; ++i) {
    steps.push_back(sql("SELECT 7 AS seven"));
    steps.push_back(box());
  }
  rows(view_of("flat.tacozip", steps), describe);
  REQUIRE(asked.size() == 5);
  CHECK(asked[0].levels.size() == 1);
  for (std::size_t i = 1; i < asked.size(); ++i) {
    CAPTURE(i);
    CHECK(asked[i].levels.empty());
    CHECK(count(asked[i].sql, "SELECT 7 AS seven") == 1);
    CHECK(count(asked[i].sql, "(SELECT NULL::BLOB AS \"istac:centroid\", NULL::BIGINT AS \"it\"\"s\" WHERE false)") ==
          1);
  }
}

TEST_CASE("a filter after a query that only selects rows describes no query") {
  SqlStep chooses = sql("SELECT * FROM data LIMIT 3");
  chooses.select.keeps_columns = true;
  const std::string plan = rows(view_of("flat.tacozip", {chooses, box(), chooses, time()})).sql;
  CHECK(count(plan, "tacore_meets_wkb(\"istac:centroid\"") == 1);
}

TEST_CASE("counting rows reads only the filter columns") {
  const std::string plan = QueryPlan(view_of("flat.tacozip", {box()}), unasked).count().sql;
  CHECK(count(plan, "SELECT count(*) FROM ") == 1);
}

TEST_CASE("an unknown filter column is an error while planning") {
  CHECK(has_text(error_of([] { rows(view_of("flat.tacozip", {box(0, "nope")})); }),
                 "QueryError: Column 'nope' not found in level 0"));
}
