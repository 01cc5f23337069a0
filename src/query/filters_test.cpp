#include "query/filters.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/query_data.hpp"
#include "support/support.hpp"

using namespace tacore;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Dataset flat() { return load(golden("flat.tacozip")); }
Dataset cascade() { return load(golden("cascade_tacocat")); }
Strings found(const Dataset& dataset) { return ids(dataset.data()); }

std::vector<Column> columns(const Strings& names) {
  std::vector<Column> out;
  for (const auto& name : names) out.push_back({name, "binary"});
  return out;
}
std::string resolved(const Filter& filter, const Strings& names) {
  const auto tested = tested_columns(filter, columns(names));
  return tested.empty() ? why_untested(filter, columns(names)) : tested[0].name;
}

const TimeRange kAlways{{std::numeric_limits<int64_t>::min()}, {std::numeric_limits<int64_t>::max()}};

}  // namespace

TEST_CASE("filter_bbox finds the one sample inside the box") {
  CHECK(found(flat().filter_bbox(-0.5, 39.3, -0.2, 39.6)) == Strings{"valencia"});
}

TEST_CASE("filter_bbox finds only valencia in the published flat dataset" * doctest::test_suite("external")) {
  if (missing(published("zip/flat.tacozip"))) return;
  const Dataset dataset = load(published("zip/flat.tacozip"));
  CHECK(values(dataset.filter_bbox(-0.5, 39.3, -0.2, 39.6).data(), "location") == Strings{"valencia"});
  CHECK(dataset.filter_bbox(50, 50, 51, 51).num_rows() == 0);
}

TEST_CASE("a box without samples gives no rows and no error") {
  const Dataset none = flat().filter_bbox(50, 50, 51, 51);
  CHECK(none.num_rows() == 0);
  CHECK(column_names(none.data()) == column_names(flat().data()));
}

TEST_CASE("geometry is istac:geometry, else stac:centroid, else istac:centroid") {
  const Filter box{BBox{}};
  CHECK(resolved(box, {"istac:centroid", "stac:centroid", "istac:geometry"}) == "istac:geometry");
  CHECK(resolved(box, {"istac:centroid", "stac:centroid"}) == "stac:centroid");
  CHECK(resolved(box, {"id", "istac:centroid"}) == "istac:centroid");
}

TEST_CASE("the standard columns are found by their exact names") {
  CHECK(has_text(resolved(Filter{BBox{}}, {"ISTAC:geometry", "centroid"}), "No geometry column found"));
}

TEST_CASE("a missing geometry column is an error that lists the columns, at any level") {
  const Dataset dataset = load(golden("uneven_children.tacozip"));
  const std::string text = error_of([&] { dataset.filter_bbox(0, 0, 1, 1, {.column = "auto", .level = 1}); });
  CHECK(has_text(text, "QueryError: No geometry column found in level 1"));
  CHECK(has_text(text, "rank"));
  CHECK(
      has_text(error_of([&] { dataset.filter_bbox(0, 0, 1, 1); }), "QueryError: No geometry column found in level 0"));
}

TEST_CASE("an unknown filter column is an error that names it, its level and the known columns") {
  const std::string text = error_of([] { flat().filter_bbox(0, 0, 1, 1, {.column = "outline"}); });
  CHECK(has_text(text, "QueryError: Column 'outline' not found in level 0"));
  CHECK(has_text(text, "istac:centroid"));
  CHECK(has_text(error_of([] { flat().filter_datetime("2023-01-01", {.column = "when"}); }),
                 "QueryError: Column 'when' not found in level 0"));
  CHECK(has_text(error_of([] { cascade().filter_bbox(0, 0, 1, 1, {.column = "nope", .level = 2}); }),
                 "QueryError: Column 'nope' not found in level 2"));
  CHECK(has_text(error_of([] { cascade().filter_datetime("2023-01-01", {.column = "nope", .level = 1}); }),
                 "QueryError: Column 'nope' not found in level 1"));
}

TEST_CASE("time is istac:time_start, else stac:time_start, else an error") {
  const Filter time{TimeRange{}};
  CHECK(resolved(time, {"stac:time_start", "istac:time_start"}) == "istac:time_start");
  CHECK(resolved(time, {"datetime", "stac:time_start"}) == "stac:time_start");
  CHECK(resolved(time, {"datetime"}) == "No time column found in level 0: datetime");
}

TEST_CASE("both ends of a time range are included, and an end date counts as a whole day") {
  CHECK(found(flat().filter_datetime("2023-01-01/2023-01-15")) == Strings{"valencia"});
  CHECK(found(flat().filter_datetime("2023-01-01/2023-02-15")) == Strings{"valencia", "madrid"});
  CHECK(found(flat().filter_datetime("2023-02-01/2023-03-01")) == Strings{"madrid", "new_york"});
  const auto times = load(golden("times.tacozip")).filter_datetime("2023-01-15/2023-01-15");
  CHECK(found(times) == Strings{"noon", "day_end"});
}

TEST_CASE("filter_datetime accepts a pair of instants") {
  const TimeRange range{Timestamp::parse("2023-02-01T00:00:00Z"), Timestamp::parse("2023-04-01T00:00:00Z")};
  CHECK(found(flat().filter_datetime(range)) == Strings{"madrid", "new_york", "tokyo"});
}

TEST_CASE("a time range that ends before it starts is an error") {
  CHECK(has_text(error_of([] { flat().filter_datetime("2023-02-01/2023-01-01"); }), "QueryError: "));
  const TimeRange backwards{Timestamp{2}, Timestamp{1}};
  CHECK(has_text(error_of([&] { flat().filter_datetime(backwards); }),
                 "QueryError: time range starts at 1970-01-01T00:00:00.000002Z, after its end"));
}

TEST_CASE("times stored as text are compared in any zone, and invalid text never matches") {
  const Dataset times = load(golden("times.tacozip"));
  const FilterOptions text{.column = "t_text"};
  CHECK(found(times.filter_datetime("2023-01-15/2023-01-16", text)) == Strings{"noon", "day_end", "next_day"});
  CHECK(found(times.filter_datetime(kAlways, text)) ==
        Strings{"millennium", "new_year", "noon", "day_end", "next_day", "valentine", "before_epoch"});
}

TEST_CASE("a level that does not exist is an error") {
  for (const int level : {-1, 3, 100}) {
    CAPTURE(level);
    const FilterOptions at{.column = "auto", .level = level};
    const std::string expected = "Level " + std::to_string(level) + " does not exist";
    CHECK(has_text(error_of([&] { cascade().filter_bbox(0, 0, 1, 1, at); }), expected));
    CHECK(has_text(error_of([&] { cascade().filter_datetime("2023", at); }), "QueryError"));
    CHECK(has_text(error_of([&] { cascade().filter_datetime("2023-01-01", at); }), expected));
  }
}

TEST_CASE("boxes are tested by SQL functions of tacore, not by DuckDB's spatial extension") {
  const auto test_of = [](const std::string& type) {
    std::vector<SqlValue> bound;
    const std::vector<Column> one{{"g", type}};
    return predicate({BBox{}, "g"}, one, bound);
  };
  CHECK(test_of("binary").starts_with("tacore_meets_wkb("));
  CHECK(test_of("string").starts_with("tacore_meets_wkt("));
  CHECK(test_of("list<item: float>").starts_with("tacore_meets_point("));
  // SQL has one type for all of these.
  CHECK(test_of("binary_view").starts_with("tacore_meets_wkb("));
  CHECK(test_of("string_view").starts_with("tacore_meets_wkt("));
  CHECK(test_of("dictionary<values=binary, indices=int32, ordered=0>").starts_with("tacore_meets_wkb("));
  CHECK(test_of("dictionary<values=string, indices=int8, ordered=0>").starts_with("tacore_meets_wkt("));
}

TEST_CASE("non-finite bounds and miny > maxy are errors") {
  const BBox bad[] = {{kNan, 0, 1, 1}, {0, kNan, 1, 1}, {0, 0, kInf, 1}, {0, 0, 1, -kInf}, {0, 2, 1, 1}};
  for (const BBox& box : bad) {
    CHECK(has_text(error_of([&] { flat().filter_bbox(box); }), "]: finite numbers with miny <= maxy expected"));
  }
}

TEST_CASE("a box with minx > maxx crosses the antimeridian") {
  CHECK(found(flat().filter_bbox(170, -30, -170, 0)) == Strings{"suva"});
  CHECK(found(flat().filter_bbox(100, -90, -70, 90)) == Strings{"new_york", "tokyo", "suva"});
  CHECK(found(flat().filter_bbox(-70, -90, 100, 90)) == Strings{"valencia", "madrid"});
}

TEST_CASE("box and time filters give the same rows in any order, with a cascade between them as well") {
  const Dataset all = flat();
  const Strings expected{"madrid"};
  CHECK(found(all.filter_bbox(-10, 30, 10, 50).filter_datetime("2023-02-01/2023-12-31")) == expected);
  CHECK(found(all.filter_datetime("2023-02-01/2023-12-31").filter_bbox(-10, 30, 10, 50)) == expected);
}

TEST_CASE("null geometries and null times match nothing, not even a box of the whole world") {
  const Strings shapes = found(load(golden("polygons.tacozip")).filter_bbox(-180, -90, 180, 90));
  CHECK(std::find(shapes.begin(), shapes.end(), "null") == shapes.end());
  CHECK(std::find(shapes.begin(), shapes.end(), "empty") == shapes.end());
  CHECK(std::find(shapes.begin(), shapes.end(), "empty_point") == shapes.end());
  CHECK(shapes.size() == 11);
  CHECK(load(golden("times.tacozip")).filter_datetime(kAlways).num_rows() == 7);
}

TEST_CASE("geometries of every kind are tested exactly, not by their envelopes") {
  const Dataset shapes = load(golden("polygons.tacozip"));
  const struct {
    const char* what;
    BBox box;
    Strings expected;
  } cases[] = {
      {"inside the hole", {14, 14, 16, 16}, {}},
      {"over the edge of the hole", {11, 11, 13, 13}, {"with_hole"}},
      {"in the envelope of the triangle, beyond its long side", {38, 8, 39, 9}, {}},
      {"in the triangle", {31, 1, 32, 2}, {"triangle"}},
      {"east of the antimeridian", {-180, -18, -179, -17}, {"fiji"}},
      {"over the antimeridian", {179, -18, -179, -17}, {"fiji"}},
      {"a polygon whose longitudes pass 180", {-179, 51, -178, 52}, {"beyond_180"}},
      {"the gap of a multipoint", {102, 12, 108, 18}, {}},
      {"one point of a multipoint", {99, 9, 101, 11}, {"points"}},
      {"with Z", {59, 59, 61, 61}, {"point_z"}},
      {"with an SRID", {69, -71, 71, -69}, {"ewkb"}},
      {"big-endian", {-61, 29, -59, 31}, {"big_endian"}},
      {"a collection", {-101, 49, -99, 51}, {"collection"}},
      {"the edge of a box counts", {0, 40, 5, 45}, {"box"}},
  };
  for (const auto& c : cases) {
    CAPTURE(std::string(c.what));
    CHECK(found(shapes.filter_bbox(c.box)) == c.expected);
  }
}

TEST_CASE("WKT points are read in every allowed spelling") {
  // Nulls in place of the two that are no points; WHERE would not do, as SQL tests conditions in any order.
  const Dataset points =
      load(golden("wkt_points.tacozip"))
          .sql(
              "SELECT * REPLACE (CASE WHEN id NOT IN ('line', 'nonsense') THEN \"istac:centroid\" END AS "
              "\"istac:centroid\") FROM data");
  CHECK(found(points.filter_bbox(-180, -90, 180, 90)) ==
        Strings{"valencia", "tight", "spaced", "with_z", "with_srid", "exponent"});
  CHECK(found(points.filter_bbox(9, -26, 11, 51)) == Strings{"spaced", "exponent"});
  CHECK(found(points.filter_bbox(-75, 40, -73, 41)) == Strings{"with_srid"});
}

TEST_CASE("invalid WKT is an error that quotes it") {
  const Dataset dataset = load(golden("wkt_points.tacozip"));
  const std::string text = error_of([&] { dataset.filter_bbox(-180, -90, 180, 90).data(); });
  CHECK(has_text(text, "FormatError: "));
  CHECK(has_text(text, "geometry 'LINESTRING (0 0, 1 1)' is not a WKT point"));
}

TEST_CASE("[lon, lat] lists are points, and shorter lists match nothing") {
  const Dataset dataset = load(golden("lonlat_lists.tacozip"));
  CHECK(found(dataset.filter_bbox(-180, -90, 180, 90)) ==
        Strings{"valencia", "madrid", "new_york", "tokyo", "suva", "with_height"});
  CHECK(found(dataset.filter_bbox(-0.5, 39.3, -0.2, 39.6)) == Strings{"valencia", "with_height"});
  CHECK(found(dataset.filter_bbox(170, -30, -170, 0)) == Strings{"suva"});
}

TEST_CASE("a column without locations or times is an error that states the accepted types") {
  CHECK(has_text(error_of([] { flat().filter_bbox(0, 0, 1, 1, {.column = "cloud_cover"}).data(); }),
                 "QueryError: column 'cloud_cover' has type double; a geometry is WKB"));
  CHECK(has_text(error_of([] { flat().filter_datetime("2023-01-01", {.column = "istac:centroid"}).data(); }),
                 "QueryError: column 'istac:centroid' has type binary; a time is"));
}

TEST_CASE("every kind of time column finds the same samples") {
  const Dataset times = load(golden("times.tacozip"));
  const struct {
    const char* column;
    bool whole_days;  ///< keeps no time of day
  } kinds[] = {{"t_s", false},
               {"t_ms", false},
               {"t_us", false},
               {"t_ns", false},
               {"t_utc", false},
               {"t_date", true},
               {"t_int_s", false},
               {"t_int_ms", false},
               {"t_double_s", false},
               {"t_text", false},
               {"istac:time_start", false}};
  for (const auto& kind : kinds) {
    CAPTURE(std::string(kind.column));
    const FilterOptions at{.column = kind.column};
    CHECK(found(times.filter_datetime("2023-01-15", at)) == Strings{"noon", "day_end"});
    CHECK(found(times.filter_datetime("1960-01-01/2000-12-31", at)) == Strings{"millennium", "before_epoch"});
    CHECK(found(times.filter_datetime("2023-01-16/..", at)) == Strings{"next_day", "valentine"});
    CHECK(found(times.filter_datetime("../1970-01-01", at)) == Strings{"before_epoch"});
    CHECK(times.filter_datetime(kAlways, at).num_rows() == 7);
    if (!kind.whole_days)
      CHECK(found(times.filter_datetime("2023-01-15T12:30:45Z/2023-01-15T12:30:46Z", at)) == Strings{"noon"});
  }
}

TEST_CASE("time filters are exact to the microsecond") {
  const Dataset times = load(golden("times.tacozip"));
  for (const std::string column : {"t_us", "t_ns", "t_utc", "t_text"}) {
    CAPTURE(column);
    const FilterOptions at{.column = column};
    CHECK(found(times.filter_datetime("2023-01-15T23:59:59.999999Z/2023-01-16T00:00:00Z", at)) ==
          Strings{"day_end", "next_day"});
    CHECK(found(times.filter_datetime("2023-01-15T23:59:59.999998Z", at)).empty());
  }
}

TEST_CASE("numbers are epochs, with a warning that names the unit") {
  const Dataset times = load(golden("times.tacozip"));
  const struct {
    const char* column;
    const char* unit;
  } kinds[] = {{"t_int_s", "seconds"}, {"t_int_ms", "milliseconds"}, {"t_double_s", "seconds"}};
  for (const auto& kind : kinds) {
    const Report report;
    times.filter_datetime("2023-01-15", {.column = kind.column}).data();
    CHECK(has_text(report.warnings(),
                   "column '" + std::string(kind.column) + "' holds numbers; read as Unix times in " + kind.unit));
  }
}

// The unit of a number does not depend on other numbers of its column: one sentinel once made all of them nanoseconds.
TEST_CASE("a numeric time has the same unit with sentinels in the column, after a query and in a concat") {
  const TemporaryFolder folder;
  const auto made = [&](const std::string& name, const std::string& odd) {
    return load(
        make_flat_folder(folder, name, 4,
                         "CASE i WHEN 0 THEN " + odd +
                             " ELSE 1673740800000 + i * 86400000 END::BIGINT AS whole, "
                             "CASE i WHEN 0 THEN 'inf'::DOUBLE WHEN 1 THEN 'nan'::DOUBLE ELSE 1673740800.25 + i * "
                             "86400 END AS real"));
  };
  const Dataset least = made("least", "-9223372036854775808"), early = made("early", "86400");
  for (const std::string range : {"2023-01-16/2023-01-17", "1960-01-01/..", "../2023-01-17", "1970-01-02"}) {
    CAPTURE(range);
    for (const char* column : {"whole", "real"}) {
      const FilterOptions at{.column = column};
      Strings expected = found(least.filter_datetime(range, at));
      CHECK(found(least.sql("SELECT *, 1 AS more FROM data").filter_datetime(range, at)) == expected);
      const Strings more = found(early.filter_datetime(range, at));
      expected.insert(expected.end(), more.begin(), more.end());
      CHECK(found(concat({least, early}).filter_datetime(range, at)) == expected);
    }
  }
  CHECK(found(least.filter_datetime("1960-01-01/..", {.column = "whole"})) ==
        Strings{"sample_1", "sample_2", "sample_3"});
  CHECK(found(least.filter_datetime("1960-01-01/..", {.column = "real"})) == Strings{"sample_2", "sample_3"});
  const Report report;
  CHECK(found(early.filter_datetime("1970-01-02", {.column = "whole"})) == Strings{"sample_0"});
  CHECK(has_text(report.warnings(), "read as Unix times in seconds and milliseconds, each by its own magnitude"));
}

TEST_CASE("text that is not an RFC 3339 time matches nothing, with a warning") {
  const TemporaryFolder folder;
  const Dataset dataset =
      load(make_flat_folder(folder, "texts", 4,
                            "CASE i WHEN 0 THEN '2020' WHEN 1 THEN '20200101' WHEN 2 THEN '2020-01-01T12:00:00+02:00' "
                            "END AS \"stac:time_start\""));
  const Report report;
  CHECK(found(dataset.filter_datetime("2019-01-01/2021-01-01")) == Strings{"sample_2"});
  CHECK(has_text(report.warnings(), "column 'stac:time_start': 2 different texts are not RFC 3339 times"));
  CHECK(has_text(report.warnings(), "match no time filter: '2020' is the first in order"));
}

TEST_CASE("epochs in microseconds and nanoseconds are recognised by their magnitude") {
  const TemporaryFolder folder;
  const Dataset dataset = load(
      make_flat_folder(folder, "epochs", 4,
                       "1673740800000000 + i * 86400000000 AS us, (1673740800000000 + i * 86400000000) * 1000 AS ns, "
                       "CAST(1673740800000000 + i * 86400000000 AS DOUBLE) AS us_double, CAST(1673740800 + i * 86400 "
                       "AS UBIGINT) AS s_unsigned, "
                       "CAST(1673740800 + i * 86400 AS INTEGER) AS s_small"));
  for (const std::string column : {"us", "ns", "us_double", "s_unsigned", "s_small"}) {
    CAPTURE(column);
    CHECK(found(dataset.filter_datetime("2023-01-16/2023-01-17", {.column = column})) ==
          Strings{"sample_1", "sample_2"});
    CHECK(found(dataset.filter_datetime("2023-01-18/..", {.column = column})) == Strings{"sample_3"});
  }
}

TEST_CASE("numeric times computed by a query are epochs as well, with a warning") {
  const Report report;
  const Dataset made = load(golden("times.tacozip")).sql("SELECT *, t_int_s + 0 AS later FROM data");
  CHECK(found(made.filter_datetime("2023-01-15", {.column = "later"})) == Strings{"noon", "day_end"});
  CHECK(has_text(report.warnings(), "column 'later' holds numbers; read as Unix times in seconds"));
}

TEST_CASE("the unit of numbers that a query changed is determined anew") {
  const Dataset made = load(golden("times.tacozip")).sql("SELECT * REPLACE (t_int_ms // 1000 AS t_int_ms) FROM data");
  CHECK(found(made.filter_datetime("2023-01-15", {.column = "t_int_ms"})) == Strings{"noon", "day_end"});
}

TEST_CASE("NaN never matches a time range, whichever end is open") {
  const TemporaryFolder folder;
  const Dataset dataset = load(make_flat_folder(
      folder, "nan", 4, "CASE i WHEN 0 THEN CAST('nan' AS DOUBLE) WHEN 1 THEN NULL ELSE 1673740800.5 + i END AS t"));
  for (const std::string range : {"2000-01-01/..", "../2100-01-01", "2023-01-15"}) {
    CAPTURE(range);
    CHECK(found(dataset.filter_datetime(range, {.column = "t"})) == Strings{"sample_2", "sample_3"});
    CHECK(found(dataset.sql("SELECT * FROM data").filter_datetime(range, {.column = "t"})) ==
          Strings{"sample_2", "sample_3"});
  }
  CHECK(found(dataset.filter_datetime(kAlways, {.column = "t"})) == Strings{"sample_2", "sample_3"});
}

// Statistics without nulls promised that all values lie between minimum and maximum, but NaN does not.
TEST_CASE("NaN never matches in a column whose statistics cover only times") {
  const TemporaryFolder folder;
  const Dataset dataset = load(
      make_flat_folder(folder, "nan", 3, "CASE i WHEN 1 THEN CAST('nan' AS DOUBLE) ELSE 1673740800.5 + i END AS t"));
  for (const std::string range : {"2000-01-01/..", "../2100-01-01", "2023-01-15"}) {
    CAPTURE(range);
    CHECK(found(dataset.filter_datetime(range, {.column = "t"})) == Strings{"sample_0", "sample_2"});
    CHECK(found(concat({dataset, dataset}).filter_datetime(range, {.column = "t"})).size() == 4);
  }
}

TEST_CASE("bounds far outside a nanosecond column do not overflow") {
  const Dataset times = load(golden("times.tacozip"));
  CHECK(times.filter_datetime("0001-01-01/9999-12-31", {.column = "t_ns"}).num_rows() == 7);
  CHECK(times.filter_datetime("9000-01-01/9999-12-31", {.column = "t_ns"}).num_rows() == 0);
  CHECK(times.filter_datetime("0001-01-01/0002-01-01", {.column = "t_ns"}).num_rows() == 0);
}

TEST_CASE("a filter after a query tests the columns that the query gives") {
  const Dataset renamed = flat().sql("SELECT * EXCLUDE (\"istac:centroid\"), \"istac:centroid\" AS place FROM data");
  CHECK(found(renamed.filter_bbox(-0.5, 39.3, -0.2, 39.6, {.column = "place"})) == Strings{"valencia"});
  CHECK(has_text(error_of([&] { renamed.filter_bbox(0, 0, 1, 1).data(); }),
                 "QueryError: No geometry column found in level 0"));
}

TEST_CASE("a filter after a query that dropped internal columns works over a TACOCAT") {
  const Dataset bare = cascade().sql("SELECT id, \"istac:centroid\" FROM data");
  CHECK(found(bare.filter_bbox(99, 34, 101, 36)) == Strings{"asia"});
}

TEST_CASE("filters of a level-0 column hide padding") {
  const Dataset padded = load(golden("flat_padded.tacozip"));
  CHECK(padded.filter_bbox(-180, -90, 180, 90).num_rows() == 3);
  CHECK(padded.filter_datetime(kAlways).num_rows() == 3);
}

TEST_CASE("a filter error names the levels that have the missing column") {
  const TemporaryFolder folder;
  const Dataset dataset = load(make_folder(
      folder, "below", two_levels(1, 1, {"a"}),
      {"SELECT 'x' AS id, 'FOLDER' AS type, i AS \"internal:current_id\", i AS \"internal:parent_id\" "
       "FROM range(1) r(i)",
       "SELECT 'a' AS id, 'FILE' AS type, 'POINT (1 2)' AS \"stac:centroid\", i AS \"internal:current_id\", i AS "
       "\"internal:parent_id\" FROM range(1) r(i)"}));
  const std::string text = error_of([&] { dataset.filter_bbox(0, 0, 1, 1); });
  CHECK(has_text(text, "No geometry column found in level 0: "));
  CHECK(has_text(text, "; level 1 has 'stac:centroid'"));
  CHECK(found(dataset.filter_bbox(0, 1, 2, 3, {.level = 1})) == Strings{"x"});
}

// --- Footprints

namespace {

/// Grids as (id, CRS, geotransform, shape): a square in UTM, one that is turned by 45 degrees, one over the
/// antimeridian, one in an unknown CRS.
Dataset grids(const TemporaryFolder& folder) {
  return load(make_flat_folder(
      folder, "grids", 4,
      "['EPSG:32630', 'EPSG:4326', 'EPSG:4326', 'EPSG:999999'][i + 1] AS \"stac:crs\", "
      "[[500000.0, 10, 0, 4649776, 0, -10], [10.0, 0.1, 0.1, 0, 0.1, -0.1], [179.0, 0.01, 0, 10, 0, -0.01], "
      "[0.0, 1, 0, 0, 0, -1]][i + 1] AS \"stac:geotransform\", "
      "[[100, 100], [3, 10, 10], [3, 200, 200], [10, 10]][i + 1]::BIGINT[] AS \"stac:tensor_shape\", "
      "['POINT (-2.9940 41.9955)', 'POINT (11 0)', 'POINT (180 9)', 'POINT (50 50)'][i + 1] AS \"stac:centroid\""));
}

}  // namespace

TEST_CASE("with geometry 'footprint' a box is tested against the footprint, not the centroid") {
  const TemporaryFolder folder;
  const Dataset dataset = grids(folder);
  const FilterOptions footprint{.column = "footprint"};
  const struct {
    const char* what;
    BBox box;
    Strings expected;
  } cases[] = {
      {"the corner of the UTM square, far from its centroid", {-2.9999, 41.99985, -2.9998, 41.99995}, {"sample_0"}},
      {"beside it", {-3.01, 41.99, -3.0005, 42.01}, {}},
      {"in the envelope of the turned grid, beyond its edge", {10, 0.8, 10.1, 0.9}, {}},
      {"in the turned grid", {10.4, 0.2, 10.5, 0.3}, {"sample_1"}},
      {"east of the antimeridian", {-179.5, 9, -179.2, 9.5}, {"sample_2"}},
      {"west of it", {179.1, 9, 179.2, 9.1}, {"sample_2"}},
      {"over it, from a box that crosses it", {179.9, 9, -179.9, 9.1}, {"sample_2"}},
  };
  for (const auto& c : cases) {
    CAPTURE(std::string(c.what));
    CHECK(found(dataset.filter_bbox(c.box, footprint)) == c.expected);
    CHECK(found(dataset.sql("SELECT *, 1 AS more FROM data").filter_bbox(c.box, footprint)) == c.expected);
    CHECK(found(concat({dataset, dataset}).filter_bbox(c.box, footprint)).size() == 2 * c.expected.size());
  }
  CHECK(dataset.filter_bbox(cases[0].box).num_rows() == 0);  // the published rule
}

TEST_CASE("a footprint that cannot be computed is replaced by the centroid, with one warning that counts") {
  const TemporaryFolder folder;
  const Report report;
  CHECK(found(grids(folder).filter_bbox(49, 49, 51, 51, {.column = "footprint"})) == Strings{"sample_3"});
  CHECK(
      has_text(report.warnings(), "1 sample has no footprint; centroids were tested instead. Reason for the first: "));
  CHECK(has_text(report.warnings(), "EPSG:999999"));
}

TEST_CASE("a geometry column in degrees is the footprint, and one in another CRS is not") {
  const TemporaryFolder folder;
  const std::string point = "from_hex('0101000000' || '000000000000F03F' || '0000000000000040')";  // POINT (1 2)
  const Dataset dataset = load(make_flat_folder(
      folder, "geometries", 4,
      point + " AS \"istac:geometry\", [NULL, 'EPSG:4326', 'OGC:CRS84', 'EPSG:3857'][i + 1] AS \"istac:crs\", "
              "'POINT (70 70)' AS \"istac:centroid\""));
  CHECK(found(dataset.filter_bbox(0, 1, 2, 3, {.column = "footprint"})) == Strings{"sample_0", "sample_1", "sample_2"});
  CHECK(found(dataset.filter_bbox(69, 69, 71, 71, {.column = "footprint"})) == Strings{"sample_3"});
}

TEST_CASE("a column named footprint is tested as a column, and samples without any footprint are an error") {
  const TemporaryFolder folder;
  const Dataset own = load(make_flat_folder(folder, "own", 2, "'POINT (' || i || ' 0)' AS footprint"));
  CHECK(found(own.filter_bbox(0.5, -1, 1.5, 1, {.column = "footprint"})) == Strings{"sample_1"});
  const Dataset none = load(make_flat_folder(folder, "none", 2, "i AS n"));
  CHECK(has_text(error_of([&] { none.filter_bbox(0, 0, 1, 1, {.column = "footprint"}); }),
                 "QueryError: No footprint found in level 0, which needs istac:geometry, or stac:crs"));
}
