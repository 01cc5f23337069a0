#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "dataset/dataset_impl.hpp"
#include "query/sql_inspect.hpp"
#include "support/counting.hpp"
#include "support/load_files.hpp"
#include "support/support.hpp"
#include "tacore/interrupt.hpp"

// SQL as a user writes it, and what the one DuckDB instance of a process cannot reach.
namespace {

using namespace tacore;

Dataset flat() { return load(golden("flat.tacozip")); }
Strings ids_of(const Dataset& dataset) { return ids(dataset.data()); }

TEST_CASE("inspect_select().keeps_columns is true for a query that takes all columns of data and adds none") {
  for (const std::string text : {"SELECT * FROM data", "select * from DATA d where x < 1 order by y limit 3;",
                                 "FROM data", "SELECT DISTINCT * FROM data"}) {
    CAPTURE(text);
    CHECK(inspect_select(text).keeps_columns);
  }
  for (const std::string text :
       {"SELECT *, 1 AS x FROM data", "SELECT * EXCLUDE (id) FROM data", "SELECT * REPLACE ('x' AS id) FROM data",
        "SELECT * RENAME (id AS x) FROM data", "SELECT COLUMNS('i.*') FROM data", "SELECT * LIKE 'i%' FROM data",
        "SELECT *, * FROM data", "SELECT id FROM data", "SELECT * FROM data, level0", "SELECT * FROM level0",
        "SELECT * FROM data AS d(a, b)", "SELECT * FROM (SELECT * FROM data)",
        "WITH data AS (SELECT 1 AS x) SELECT * FROM data", "SELECT * FROM data UNION ALL SELECT * FROM data",
        "SELECT 1 AS x"}) {
    CAPTURE(text);
    CHECK_FALSE(inspect_select(text).keeps_columns);
  }
}

TEST_CASE("inspect_select() tells what makes a query give other rows, and whether an id decides their order") {
  for (const auto& [text, by] : std::vector<std::pair<std::string, std::string>>{
           {"SELECT * FROM data", ""},
           {"SELECT * FROM data LIMIT 3", ""},
           {"SELECT * FROM data ORDER BY x LIMIT 3", ""},
           {"SELECT * FROM data WHERE Random() < x", "random()"},
           {"SELECT *, current_date AS day FROM data", "current_date"},
           {"SELECT * FROM (SELECT * FROM data LIMIT 3)", "LIMIT in a subquery"},
           {"WITH few AS (SELECT * FROM data LIMIT 10%) SELECT * FROM few", "LIMIT in a subquery"},
           {"SELECT id FROM data UNION ALL (SELECT id FROM data LIMIT 1)", "LIMIT in a subquery"},
           {"SELECT * FROM data WHERE x = (SELECT x FROM data ORDER BY id LIMIT 1)", "LIMIT in a subquery"},
           {"SELECT DISTINCT ON (x) * FROM data", "DISTINCT ON"},
           {"SELECT * FROM data TABLESAMPLE 3", "a sample"},
           {"SELECT * FROM data QUALIFY row_number() OVER (ORDER BY x) = 1", "row_number() OVER"}}) {
    CAPTURE(text);
    CHECK(inspect_select(text).drawn_by == by);
    CHECK((inspect_select(text).draws || by.empty()));
  }
  for (const std::string text : {"SELECT * FROM data ORDER BY id", "SELECT * FROM data ORDER BY x, ID DESC LIMIT 2"})
    CHECK(inspect_select(text).orders_by_id);
  for (const std::string text :
       {"SELECT * FROM data", "SELECT * FROM data ORDER BY x", "SELECT * FROM data ORDER BY upper(id)",
        "SELECT * FROM data ORDER BY id COLLATE NOCASE", "SELECT * REPLACE ('x' AS id) FROM data ORDER BY id",
        "SELECT 'x' AS id FROM data ORDER BY id", "SELECT * FROM (SELECT * FROM data ORDER BY id)",
        "SELECT * FROM data a JOIN level1 b ON true ORDER BY a.id"}) {
    CAPTURE(text);
    CHECK_FALSE(inspect_select(text).orders_by_id);
  }
}

TEST_CASE("an error of SQL tells of quotes that a name with a colon needs, and of the tables that exist") {
  const auto error = [](const std::string& sql) { return error_of([&] { flat().sql(sql).data(); }); };
  for (const std::string sql : {"SELECT stac:crs FROM data", "SELECT id, 'a:b' AS x, stac:crs FROM data",
                                "SELECT id FROM data WHERE stac:crs = 'EPSG:4326'"}) {
    CAPTURE(sql);
    CHECK(error(sql).ends_with("; a name with a colon needs quotes: \"stac:crs\""));
  }
  for (const std::string sql : {"SELECT nope FROM data", "SELECT 'a:nope' AS x, nope::DOUBLE FROM data"}) {
    CAPTURE(sql);
    CHECK(has_text(error(sql), "column \"nope\" not found"));
    CHECK_FALSE(has_text(error(sql), "needs quotes"));
  }
  const std::string tables = "The tables are data, level0, level1, ..., l0, l1, ...";
  CHECK(error("SELECT * FROM dat").ends_with("does not exist! Did you mean data? " + tables));
  CHECK(error("SELECT * FROM levl1").ends_with("does not exist! Did you mean level1? " + tables));
  CHECK(error("SELECT * FROM measurements").ends_with("does not exist! " + tables));
}

TEST_CASE("an error of SQL tells of the quotes that a text needs") {
  const auto error = [](const std::string& sql) { return error_of([&] { flat().sql(sql).data(); }); };
  for (const std::string sql : {"SELECT * FROM data WHERE id = train", "SELECT * FROM data WHERE id <> \"train\""}) {
    CAPTURE(sql);
    CHECK(error(sql).ends_with("; a text needs single quotes: 'train'"));
  }
  for (const std::string sql : {"SELECT train FROM data", "SELECT * FROM data WHERE cloud_cover > cloud_covr"}) {
    CAPTURE(sql);
    CHECK_FALSE(has_text(error(sql), "single quotes"));
  }
}

TEST_CASE("a query and a filter return a new dataset and leave the original unchanged") {
  const Dataset dataset = flat();
  const std::string before = dump(dataset.data());
  const Dataset some = dataset.sql("SELECT * FROM data WHERE cloud_cover > 40");
  CHECK(some.num_rows() == 2);
  CHECK(ids_of(some.filter_bbox(-180, 0, 180, 90)) == Strings{"tokyo"});
  CHECK(ids_of(some) == Strings{"tokyo", "suva"});
  CHECK(dataset.num_rows() == 5);
  CHECK(dump(dataset.data()) == before);
  CHECK(some.id() == dataset.id());
}

TEST_CASE("a query on a query applies the conditions of both") {
  const Dataset both =
      flat().sql("SELECT * FROM data WHERE cloud_cover > 20").sql("SELECT * FROM data WHERE cloud_cover < 40");
  CHECK(ids_of(both) == Strings{"madrid", "new_york"});
}

TEST_CASE("data is the current view in any spelling") {
  const Dataset some = flat().filter_bbox(-180, 0, 180, 90).sql("SELECT * FROM data WHERE id <> 'tokyo'");
  for (const char* query :
       {"SELECT * FROM data", "select * from data", "SELECT * FROM data -- data", "SELECT * FROM  DATA",
        "SELECT *\nFROM\tdata", "SELECT * FROM \"data\"", "SELECT * FROM Data AS d", "SELECT d.* FROM data d",
        "FROM data", "SELECT * FROM (SELECT * FROM data)", "WITH x AS (SELECT * FROM data) SELECT * FROM x",
        "SELECT a.* FROM data a JOIN data b USING (id)", "SELECT a.* FROM level0 a JOIN data b USING (id)",
        "SELECT * FROM data WHERE id IN (SELECT id FROM data)",
        "SELECT * FROM level0 WHERE id IN (SELECT id FROM \"DATA\")", "SELECT /* FROM data */ * FROM/**/data",
        "SELECT * FROM data UNION ALL SELECT * FROM data WHERE false", "SELECT a.* FROM data a, (SELECT 1 AS one) b"}) {
    CAPTURE(std::string(query));
    Strings found = ids_of(some.sql(query));
    std::sort(found.begin(), found.end());
    CHECK(found == Strings{"madrid", "new_york", "valencia"});
  }
}

TEST_CASE("literals, comments and names with \"data\" in them are never altered") {
  const Dataset some = flat().filter_bbox(-180, 0, 180, 90).sql("SELECT * FROM data LIMIT 1");
  for (const std::string text : {"FROM data", "SELECT * FROM data", "from level0", "level0", "{level:0}", "{level:1}",
                                 "$1", "tacore:0", "tacore://x", "internal:gdal_vsi", "-- x", "/* data */"}) {
    CAPTURE(text);
    CHECK(values(some.sql("SELECT '" + text + "' AS t FROM data").data(), "t") == Strings{text});
  }
  const DataFrame named =
      some.sql("SELECT 1 AS database, 2 AS \"FROM data\", 3 AS \"{level:0}\" FROM data -- FROM data {level:0}").data();
  CHECK(column_names(named) == Strings{"database", "FROM data", "{level:0}"});
}

TEST_CASE("a query that drops a navigation column, and every later one, is not RSUT compliant") {
  const Dataset dataset = load(golden("nested.tacozip"));
  CHECK(dataset.is_rsut());
  CHECK(dataset.sql("SELECT * FROM data").is_rsut());
  for (const char* lost : {"id", "type", "internal:current_id", "internal:offset", "internal:size"}) {
    CAPTURE(std::string(lost));
    const Dataset less = dataset.sql(std::string("SELECT * EXCLUDE (\"") + lost + "\") FROM data");
    CHECK_FALSE(less.is_rsut());
    CHECK_FALSE(less.sql("SELECT * FROM data").is_rsut());
  }
}

TEST_CASE("a query that mentions a deeper level, and every later one, is not RSUT compliant") {
  const Dataset dataset = load(golden("nested.tacozip"));
  for (const char* query :
       {"SELECT d.* FROM data d JOIN level1 l ON l.\"internal:parent_id\" = d.\"internal:current_id\"",
        "SELECT * FROM data WHERE \"internal:current_id\" IN (SELECT \"internal:parent_id\" FROM LEVEL1)",
        "SELECT * FROM data WHERE \"internal:current_id\" IN (SELECT \"internal:parent_id\" FROM \"Level1\")",
        "SELECT d.* FROM data d, level1 l", "SELECT d.* FROM data d, \"level1\" l",
        "WITH x AS (SELECT 1 FROM level1) SELECT * FROM data"}) {
    CAPTURE(std::string(query));
    CHECK_FALSE(dataset.sql(query).is_rsut());
    CHECK_FALSE(dataset.sql(query).sql("SELECT * FROM data").is_rsut());
  }
  CHECK(dataset.sql("SELECT * FROM data WHERE id <> 'level1'").is_rsut());
}

TEST_CASE("an empty result is legal and has all columns") {
  const Dataset none = flat().sql("SELECT * FROM data WHERE false");
  CHECK(none.num_rows() == 0);
  CHECK(none.pit_schema().root_n == 0);
  CHECK(none.data().columns() == flat().data().columns());
  CHECK(none.data_raw().num_rows() == 0);
  const Dataset later = none.filter_bbox(-180, -90, 180, 90).sql("SELECT * FROM data ORDER BY id LIMIT 3");
  CHECK(later.num_rows() == 0);
  CHECK(later.data().columns() == flat().data().columns());
}

TEST_CASE("ORDER BY, LIMIT, CTE, UNION and a semicolon at the end work, and data keeps the order") {
  CHECK(ids_of(flat().sql("SELECT * FROM data ORDER BY id DESC")) ==
        Strings{"valencia", "tokyo", "suva", "new_york", "madrid"});
  CHECK(ids_of(flat().sql("SELECT * FROM data ORDER BY cloud_cover DESC LIMIT 2")) == Strings{"suva", "tokyo"});
  CHECK(ids_of(flat().sql("WITH x AS (SELECT * FROM data WHERE cloud_cover < 20) SELECT * FROM x;")) ==
        Strings{"valencia"});
  CHECK(flat().sql("SELECT * FROM data UNION ALL SELECT * FROM data").num_rows() == 10);
  CHECK(flat().sql("SELECT * FROM data; -- done").num_rows() == 5);
  CHECK(flat().sql("SELECT * FROM data ;;").num_rows() == 5);
}

TEST_CASE("text that is not a single SELECT is a QueryError and changes nothing") {
  const Dataset dataset = flat();
  for (const char* query : {"",
                            ";",
                            "SELECT",
                            "DROP TABLE data",
                            "CREATE TABLE x AS SELECT 1",
                            "INSERT INTO data VALUES (1)",
                            "UPDATE data SET id = 1",
                            "DELETE FROM data",
                            "SELECT 1; SELECT 2",
                            "SELECT 1; CREATE TABLE x (a INT)",
                            "COPY data TO 'x.csv'",
                            "ATTACH 'x.db'",
                            "PRAGMA database_list",
                            "SET threads = 1",
                            "INSTALL spatial",
                            "LOAD spatial",
                            "EXPORT DATABASE 'x'",
                            "BEGIN",
                            "CALL pragma_version()",
                            "EXPLAIN SELECT 1",
                            "DESCRIBE data",
                            "SHOW TABLES",
                            "SUMMARIZE data",
                            "PREPARE x AS SELECT 1",
                            "EXECUTE x",
                            "VACUUM",
                            "CHECKPOINT",
                            "SELECT * FROM data WHERE id = ?",
                            "SELECT * FROM data WHERE id = $1",
                            "SELECT * FROM data LIMIT $1",
                            "SELECT * FROM unnest([$1])",
                            "SELECT * FROM range($1)",
                            "SELECT $name"}) {
    CAPTURE(std::string(query));
    CHECK(has_text(error_of([&] { dataset.sql(query); }), "QueryError"));
  }
  CHECK(dataset.sql("SELECT * FROM data").num_rows() == 5);
}

TEST_CASE("SQL cannot read files, the network, settings or the environment") {
  const TemporaryFolder folder;
  const std::string csv = folder.write("a.csv", "a,b\n1,2\n");
  const Dataset dataset = flat();
  const Strings queries{"SELECT * FROM read_csv('FILE')",
                        "SELECT * FROM read_text('FILE')",
                        "SELECT * FROM 'FILE'",
                        "SELECT * FROM \"FILE\"",
                        "SELECT * FROM read_parquet('FILE')",
                        "SELECT * FROM parquet_metadata('FILE')",
                        "SELECT * FROM glob('/*')",
                        "SELECT * FROM read_blob('FILE')",
                        "SELECT * FROM read_json('FILE')",
                        "SELECT * FROM 'https://localhost/a.parquet'",
                        "SELECT * FROM duckdb_settings()",
                        "SELECT * FROM duckdb_secrets()",
                        "SELECT getenv('HOME')",
                        "SELECT current_setting('home_directory')",
                        "SELECT * FROM information_schema.tables",
                        "SELECT * FROM pg_catalog.pg_tables",
                        "SELECT * FROM pg_settings",
                        "SELECT * FROM PG_Class",
                        "SELECT * FROM sqlite_master",
                        "SELECT * FROM sqlite_temp_master",
                        "SELECT * FROM duckdb_databases",
                        "SELECT * FROM duckdb_logs",
                        "FROM (WITH x AS (FROM duckdb_views) FROM x)",
                        "SELECT * FROM pragma_database_list",
                        "SELECT current_query()",
                        "SELECT * FROM query('SELECT 1')",
                        "SELECT * FROM query_table('data')",
                        "SELECT (SELECT content FROM read_text('FILE'))",
                        "WITH x AS (FROM read_text('FILE')) SELECT * FROM x",
                        "SELECT * FROM data WHERE EXISTS (FROM read_csv('FILE'))",
                        "SELECT * FROM data ORDER BY (SELECT count(*) FROM read_csv('FILE'))",
                        "SELECT * FROM read_parquet('tacore://x')",
                        "SELECT * FROM 'tacore://x'"};
  for (std::string query : queries) {
    if (const auto at = query.find("FILE"); at != query.npos) query.replace(at, 4, csv);
    CAPTURE(query);
    const std::string error = error_of([&] { dataset.sql(query).data(); });
    CHECK(has_text(error, "QueryError"));
    CHECK_FALSE(has_text(error, "tacore://0"));
  }
}

TEST_CASE("internal names of open levels never appear in messages") {
  const Dataset dataset = load(golden("nested.tacozip"));
  for (const char* query :
       {"SELECT no_such FROM data", "SELECT * FROM data WHERE id = 3 + 'x'", "SELECT * FROM nosuch"}) {
    CAPTURE(std::string(query));
    CHECK_FALSE(has_text(error_of([&] { dataset.sql(query).data(); }), "tacore://"));
  }
}

TEST_CASE("unknown columns, tables and functions, and syntax and type errors, are QueryErrors in DuckDB's words") {
  const Dataset first = flat(), later = first.filter_bbox(-180, 0, 180, 90);
  const struct {
    const char *query, *words;
  } cases[] = {{"SELECT * FORM data", "syntax error"},
               {"SELECT nosuch FROM data", "nosuch"},
               {"SELECT * FROM nosuch", "nosuch"},
               {"SELECT nosuch(id) FROM data", "nosuch"},
               {"SELECT * FROM level1", "level1"},
               {"SELECT id + FROM data", "syntax error"},
               {"SELECT sum(id) FROM data", "sum"},
               {"SELECT CAST(id AS INT) FROM data", "valencia"},
               {"SELECT * FROM data GROUP BY id", "GROUP BY"},
               {"SELECT Parquet FROM data", "Parquet"}};
  for (const auto& c : cases) {
    CAPTURE(std::string(c.query));
    for (const Dataset& dataset : {first, later}) {
      const std::string error = error_of([&] { dataset.sql(c.query).data(); });
      says(error, "QueryError: ");
      says(error, c.words);
    }
  }
  CHECK(first.sql("SELECT * FROM data").num_rows() == 5);
}

TEST_CASE("two reads of one dataset give the same rows in the same order, even with random()") {
  const Dataset shuffled = flat().sql("SELECT *, random() AS r FROM data ORDER BY random()");
  const std::string first = dump(shuffled.data());
  CHECK(dump(shuffled.data()) == first);
  CHECK(shuffled.num_rows() == 5);
  const Dataset north = shuffled.filter_bbox(-180, 0, 180, 90);
  CHECK(dump(north.data()) == dump(north.data()));
  const Dataset sampled = flat().sql("SELECT * FROM data WHERE random() < 0.5");
  CHECK(sampled.data().num_rows() == sampled.num_rows());
  CHECK(dump(sampled.data_raw().select(Strings{"id"})) == dump(sampled.data().select(Strings{"id"})));
}

TEST_CASE("levelN tables can be queried and hide padding") {
  const Dataset padded = load(golden("nested_padded.tacozip"));
  CHECK(ids_of(padded.sql("SELECT * FROM level1")) == Strings{"a", "b", "c", "a", "c"});
  CHECK(ids_of(padded.sql("SELECT * FROM level0")) == Strings{"one", "two"});
  CHECK(load(golden("flat_padded.tacozip")).sql("SELECT * FROM level0").num_rows() == 3);
  CHECK(padded.level_rows(1) == 5);
}

TEST_CASE("verbose takes true, \"info\", \"debug\" and false, and refuses other words") {
  for (const char* bad : {"INFO", "", "warning", "1", "None"}) {
    CAPTURE(std::string(bad));
    CHECK(has_text(error_of([&] { verbose(bad); }), "QueryError"));
  }
  const Report report("info");
  verbose(true);
  CHECK(log_level() == LogLevel::Info);
  verbose("debug");
  verbose("debug");
  CHECK(log_level() == LogLevel::Debug);
  const std::size_t before = report.all.size();
  load(golden("flat.tacozip"));
  std::size_t opened = 0;
  for (std::size_t i = before; i < report.all.size(); ++i) opened += has_text(report.all[i].second, "zip container");
  CHECK(opened == 1);  // set twice, the level still logs each message once
  verbose(false);
  CHECK(log_level() == LogLevel::Off);
}

TEST_CASE("info tells files and views, debug also SQL, offsets, requests and memory, false nothing at all") {
  const auto work = [] {
    load(golden("permuted_offsets.tacozip")).sql("SELECT *, \"internal:gdal_vsi\" AS p FROM level1").data();
  };
  {
    const Report report("info");
    work();
    CHECK(report.has(LogLevel::Info, "zip container"));
    CHECK(report.has(LogLevel::Info, "view of 1 steps, 9 rows"));
    CHECK(report.has(LogLevel::Warning, "permuted"));
    for (const auto& [level, text] : report.all) CHECK(level != LogLevel::Debug);
  }
  {
    const Report report("info");
    verbose("debug");
    work();
    CHECK(report.has(LogLevel::Debug, "SQL: "));
    CHECK(report.has(LogLevel::Debug, "level 0 is "));
    CHECK(report.has(LogLevel::Debug, "read "));
    CHECK(report.has(LogLevel::Debug, "MiB"));
  }
  const Report report("debug");
  verbose(false);
  work();
  CHECK(report.all.empty());
}

TEST_CASE("every error of the library is an Error") {
  const auto is_error = [](const auto& body) {
    try {
      body();
    } catch (const Error& error) {
      return std::string(error.what()) != "" && error.message() != "";
    }
    return false;
  };
  CHECK(is_error([] { load("/no/such.tacozip"); }));
  CHECK(is_error([] { load("a.taco"); }));
  CHECK(is_error([] { flat().sql("DROP"); }));
  CHECK(is_error([] { flat().data().read("nobody"); }));
  CHECK(is_error([] { flat().data().read(-1); }));
  CHECK(is_error([] { flat().filter_bbox(1, 2, 3, 0); }));
  CHECK(is_error([] { flat().filter_datetime("x"); }));
  CHECK(is_error([] { PitSchema::parse("{}"); }));
  CHECK(is_error([] { verbose("x"); }));
}

// The instance.

TEST_CASE("times are UTC in SQL, whatever the zone of the machine" * doctest::test_suite("fork")) {
  // DuckDB looks at the zone once, when it starts: a child starts its own.
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::setenv("TZ", "America/Lima", 1);
    ::tzset();
    int code = 1;
    const std::string error = error_of([&] {
      const DataFrame rows =
          load(golden("times.tacozip"))
              .sql(
                  "SELECT t_utc, CAST(t_utc AS DATE) AS d, CAST(t_utc AS VARCHAR) AS s FROM data WHERE id = 'new_year'")
              .data();
      const bool same = rows.columns()[0].type == "timestamp[us, tz=UTC]" &&
                        values(rows, "d") == Strings{"2023-01-01"} &&
                        values(rows, "s") == Strings{"2023-01-01 00:00:00+00"};
      code = same ? 0 : 2;
    });
    ::_exit(error.empty() ? code : 3);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a query that fails halfway leaves the next one working") {
  const Dataset dataset = flat();
  for (int i = 0; i < 3; ++i) {
    CHECK(has_text(error_of([&] { dataset.sql("SELECT *, error('stop') FROM data").data(); }), "stop"));
    CHECK(dataset.sql("SELECT * FROM data").num_rows() == 5);
  }
}

TEST_CASE("a query leaves no tables for the next one") {
  CHECK(flat().sql("WITH x AS (SELECT 1 AS a) SELECT * FROM x").num_rows() == 1);
  CHECK(has_text(error_of([] { flat().sql("SELECT * FROM x").data(); }), "QueryError"));
  CHECK(has_text(error_of([] { flat().sql("SELECT * FROM frame").data(); }), "QueryError"));
}

TEST_CASE("an interrupt check stops a running query, and the next one completes") {
  // Quick queries end before interruption is checked for.
  std::string tables, terms;
  for (char name = 'a'; name < 'o'; ++name) {
    tables += std::string(name == 'a' ? "" : ", ") + "data " + name;
    terms += std::string("sin(") + name + ".cloud_cover) + ";
  }
  const std::string endless = "SELECT count(*) AS n FROM " + tables + " WHERE " + terms + "0 > 99";
  set_interrupt_check([](void*) { return true; });
  CHECK(has_text(error_of([&] { flat().sql(endless).data(); }), "QueryError: the call was stopped"));
  static std::atomic<int> num_asked = 0;
  set_interrupt_check([](void*) { return ++num_asked == 3; });
  CHECK(has_text(error_of([&] { flat().sql(endless).data(); }), "the call was stopped"));
  CHECK(num_asked == 3);
  CHECK(flat().sql("SELECT * FROM data").num_rows() == 5);
  set_interrupt_check(nullptr);
  CHECK(flat().sql("SELECT * FROM data WHERE cloud_cover > 30").num_rows() == 3);
}

TEST_CASE("a forked child queries with its own DuckDB instance after its parent did" * doctest::test_suite("fork")) {
  const Dataset dataset = load(golden("nested.tacozip"));
  REQUIRE(dataset.sql("SELECT * FROM data").num_rows() == 3);
  const DataFrame rows = dataset.data();
  for (int i = 0; i < 2; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      // No test framework in here: it would report twice.
      int code = 1;
      const std::string error = error_of([&] {
        const bool same = dataset.sql("SELECT * FROM data WHERE id <> 'asia'").num_rows() == 2 &&
                          dataset.filter_datetime("2023-02-01/2023-02-28", {.level = 1}).num_rows() == 1 &&
                          to_text(rows.read_bytes("asia/item_1")) == "asia/item_1" &&
                          rows.filter("id = 'asia'").num_rows() == 1;
        code = same ? 0 : 2;
      });
      ::_exit(error.empty() ? code : 3);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(dataset.sql("SELECT * FROM data WHERE id <> 'europe'").num_rows() == 2);  // the parent's own still works
  }
}

}  // namespace
