#include <doctest/doctest.h>

#include "support/query_data.hpp"
#include "support/support.hpp"

/// concat(): several datasets as one.
using namespace tacore;

namespace {

Dataset flat() { return load(golden("flat.tacozip")); }
Dataset nested() { return load(golden("nested.tacozip")); }

std::string fail(const std::vector<Dataset>& datasets, ColumnMode mode = ColumnMode::Intersection) {
  return error_of([&] { concat(datasets, mode); });
}

/// Three flat datasets with columns in common and of their own.
struct Mixed {
  TemporaryFolder folder;
  Dataset a = load(make_flat_folder(folder, "a", 2, "i AS shared, i * 10 AS only_a"));
  Dataset b = load(make_flat_folder(folder, "b", 3, "CAST(i + 0.5 AS DOUBLE) AS shared, 'x' || i AS only_b"));
  Dataset text = load(make_flat_folder(folder, "text", 1, "'t' AS shared"));
};

}  // namespace

TEST_CASE("concat of fewer than two datasets is an error") {
  CHECK(has_text(fail({}), "QueryError: concat needs at least 2 datasets, 0 given"));
  CHECK(has_text(fail({flat()}), "QueryError: concat needs at least 2 datasets, 1 given"));
}

TEST_CASE("concat of datasets with different trees is an error that names the dataset") {
  const std::string text = fail({flat(), nested()});
  CHECK(has_text(text, "SchemaError: "));
  CHECK(has_text(text, golden("nested.tacozip")));
  CHECK(has_text(text, "incompatible schema: its tree differs from that of " + golden("flat.tacozip")));
}

TEST_CASE("concat of an input that is not RSUT compliant is an error that states so") {
  const std::string dropped = fail({flat(), flat().sql("SELECT id, type FROM data")});
  CHECK(has_text(dropped, "SchemaError: "));
  CHECK(has_text(dropped, "not RSUT compliant"));
  CHECK(has_text(fail({nested(), nested().sql("SELECT DISTINCT p.* FROM data p JOIN level1 c ON "
                                              "c.\"internal:parent_id\" = p.\"internal:current_id\"")}),
                 "not RSUT compliant"));
}

TEST_CASE("datasets of different formats are concatenated when their trees agree") {
  const Report report;
  for (const auto& [first, second] : {std::pair{"nested.tacozip", "nested"}, std::pair{"nested", "nested.tacozip"}}) {
    CAPTURE(std::string(first));
    const DataFrame rows = concat({load(golden(first)), load(golden(second))}).data();
    REQUIRE(rows.num_rows() == 6);
    for (int64_t i = 0; i < 6; ++i) {
      const DataFrame kids = std::get<DataFrame>(rows.read(i));
      CHECK(to_text(kids.read_bytes("item_2")) == ids(rows)[static_cast<std::size_t>(i)] + "/item_2");
      CHECK(has_text(vsi(kids, "item_2"), golden((i < 3) ? first : second)));
    }
  }
  CHECK(report.warnings() == "");
}

TEST_CASE("a concat of mixed formats passes strict mode, can be queried, and can be concatenated again") {
  const std::vector<Dataset> inputs{nested(), load(golden("nested"))};
  const Dataset both = concat(inputs, ColumnMode::Strict);
  CHECK(both.is_rsut());
  const Dataset queried = both.sql("SELECT * FROM data WHERE region <> 'ASIA'");
  CHECK(queried.is_rsut());
  const Dataset again = concat({queried, load(golden("nested"))});
  CHECK(ids(again.data()) == Strings{"africa", "europe", "africa", "europe", "africa", "asia", "europe"});
  CHECK(to_text(again.data().limit(2, 2).read_bytes("europe/item_0")) == "europe/item_0");
}

TEST_CASE("the strict mode lists the columns of each dataset") {
  const Mixed m;
  const std::string text = fail({m.a, m.b}, ColumnMode::Strict);
  CHECK(has_text(text, "SchemaError: Column mismatch in level 0"));
  CHECK(has_text(text, "'only_a' only in " + m.folder.path("a")));
  CHECK(has_text(text, "'only_b' only in " + m.folder.path("b")));
  CHECK(has_text(text, m.folder.path("a") + " has [id, type, shared, only_a"));
  CHECK(has_text(text, m.folder.path("b") + " has [id, type, shared, only_b"));
  CHECK(text.ends_with("; column_mode intersection or fill_missing allows different columns"));
}

TEST_CASE("strict mode accepts equal columns in any order") {
  const TemporaryFolder folder;
  const Dataset a = load(make_flat_folder(folder, "a", 1, "1 AS x, 2 AS y")),
                b = load(make_flat_folder(folder, "b", 1, "4 AS y, 3 AS x"));
  const DataFrame rows = concat({a, b}, ColumnMode::Strict).data();
  CHECK(values(rows, "x") == Strings{"1", "3"});
  CHECK(values(rows, "y") == Strings{"2", "4"});
}

TEST_CASE("intersection keeps the common columns") {
  const Mixed m;
  const Dataset both = concat({m.a, m.b});
  CHECK(column_names(both.level_columns(0)) == Strings{"id", "type", "shared"});
  CHECK(values(both.data(), "shared") == Strings{"0", "1", "0.5", "1.5", "2.5"});
}

TEST_CASE("fill_missing mode keeps all columns, null for datasets without them") {
  const Mixed m;
  const Dataset both = concat({m.a, m.b}, ColumnMode::FillMissing);
  CHECK(column_names(both.level_columns(0)) == Strings{"id", "type", "shared", "only_a", "only_b"});
  CHECK(values(both.data(), "only_a") == Strings{"0", "10", "", "", ""});
  CHECK(values(both.data(), "only_b") == Strings{"", "", "x0", "x1", "x2"});
  CHECK(both.sql("SELECT * FROM data WHERE only_b IS NULL").num_rows() == 2);
}

TEST_CASE("column modes are parsed from their names, and other names are refused") {
  CHECK(parse_column_mode("intersection") == ColumnMode::Intersection);
  CHECK(parse_column_mode("fill_missing") == ColumnMode::FillMissing);
  CHECK(parse_column_mode("strict") == ColumnMode::Strict);
  for (const std::string bad : {"", "Strict", "union"}) {
    CHECK(has_text(error_of([&] { parse_column_mode(bad); }), "QueryError: Invalid column_mode '" + bad + "'"));
  }
}

TEST_CASE("missing critical columns are an error that lists them") {
  const TemporaryFolder folder;
  const Dataset stray = load(make_folder(
      folder, "stray", two_levels(1, 1, {"a"}),
      {"SELECT 's' AS id, 'FOLDER' AS type, 0 AS \"internal:current_id\" FROM range(1) r(i)",
       "SELECT 'a' AS id, 'FILE' AS type, 0 AS \"internal:current_id\", 's/a' AS \"internal:relative_path\" FROM "
       "range(1) r(i)"}));
  const std::string text = fail({stray, stray});
  CHECK(has_text(text, "SchemaError: "));
  CHECK(has_text(text, "level 1: Critical columns missing: internal:parent_id"));
}

TEST_CASE("concat keeps the input order of rows and adds up the counts") {
  const Dataset all = concat({part(3), part(1), part(2)});
  CHECK(ids(all.data()) == Strings{"americas", "europe", "asia"});
  const PitSchema pit = all.pit_schema();
  CHECK(pit.root_n == 3);
  CHECK(pit.hierarchy.at(1)[0].n == 6);
  CHECK(pit.hierarchy.at(2)[0].n == 3 * part(1).pit_schema().hierarchy.at(2)[0].n);
  CHECK(all.level_rows(2) == 12);
  CHECK(all.path() == "<concatenated>");
  CHECK(all.id() == "cascade");
}

TEST_CASE("concat leaves its inputs unchanged and can be repeated") {
  const Dataset a = part(1), b = part(2);
  for (int i = 0; i < 3; ++i) CHECK(concat({a, b}).num_rows() == 2);
  CHECK(a.num_rows() == 1);
  CHECK(a.pit_schema() == part(1).pit_schema());
  CHECK(a.collection().json == part(1).collection().json);
  CHECK(column_names(a.data_raw()) == column_names(part(1).data_raw()));
}

TEST_CASE("filters of concat inputs apply, and levels hold the children of kept parents") {
  const Dataset all = concat({nested().sql("SELECT * FROM data WHERE region = 'ASIA'"),
                              nested().sql("SELECT * FROM data WHERE region > 'B'")});
  CHECK(ids(all.data()) == Strings{"asia", "europe"});
  CHECK(values(all.sql("SELECT count(*) AS n FROM level1").data(), "n") == Strings{"6"});
  CHECK(values(all.sql("SELECT \"internal:relative_path\" AS p FROM level1 ORDER BY p").data(), "p") ==
        Strings{"asia/item_0", "asia/item_1", "asia/item_2", "europe/item_0", "europe/item_1", "europe/item_2"});
  CHECK(all.pit_schema().root_n == 2);
}

TEST_CASE("one dataset under two different filters is concatenated as two sets of rows") {
  const Dataset low = flat().sql("SELECT * FROM data WHERE cloud_cover < 30"),
                high = flat().sql("SELECT * FROM data WHERE cloud_cover > 40");
  const DataFrame rows = concat({high, low}).data();
  CHECK(ids(rows) == Strings{"tokyo", "suva", "valencia", "madrid"});
  CHECK(to_text(rows.read_bytes("madrid")) == "data of madrid");
}

TEST_CASE("cascade-filtered inputs keep their child restriction") {
  const Dataset one = part(1).filter_bbox(-4, 40, -3, 41, at(2)), two = part(2).filter_bbox(139, 35, 140, 36, at(2));
  const Dataset both = concat({one, two});
  CHECK(ids(children(both.data(), "europe")) == Strings{"country_0"});
  CHECK(ids(children(both.data(), "europe/country_0")) == Strings{"city_0"});
  CHECK(ids(children(both.data(), "asia/country_0")) == Strings{"city_0"});
  CHECK(values(both.sql("SELECT count(*) AS n FROM level2").data(), "n") == Strings{"2"});
}

TEST_CASE("a cascade-filtered input of concat does not restrict the other inputs") {
  const Dataset both = concat({part(1).filter_bbox(-4, 40, -3, 41, at(2)), part(2)});
  CHECK(ids(children(both.data(), "europe")) == Strings{"country_0"});
  CHECK(ids(children(both.data(), "asia")) == Strings{"country_0", "country_1"});
  CHECK(ids(children(both.data(), "asia/country_1")) == Strings{"city_0", "city_1"});
}

TEST_CASE("cascades before and after a concat combine") {
  const Dataset both = concat({part(1).filter_bbox(-10, 35, 10, 60, at(2)), part(2)});
  const DataFrame rows = both.filter_datetime("2023-01-11", at(2)).data();
  CHECK(ids(rows) == Strings{"europe"});
  CHECK(ids(children(rows, "europe/country_0")) == Strings{"city_1"});
}

TEST_CASE("each path after concat names its own source file, in the first and the last row") {
  const DataFrame rows = concat({part(4), part(1)}).data();
  CHECK(has_text(vsi(rows, "africa/country_0/city_0"), "cascade_part0004.tacozip"));
  CHECK(has_text(vsi(rows, "europe/country_1/city_1"), "cascade_part0001.tacozip"));
  CHECK(to_text(rows.read_bytes("europe/country_1/city_1")) == "europe/country_1/city_1");
  const Strings paths = values(rows, "internal:gdal_vsi");
  CHECK(has_text(paths[0], "cascade_part0004.tacozip"));
  CHECK(has_text(paths[1], "cascade_part0001.tacozip"));
}

TEST_CASE("the source file of each row is a column that appears once") {
  const DataFrame raw = concat({part(4), part(1)}).data_raw();
  CHECK(values(raw, "internal:source_path") == Strings{golden("cascade_tacocat/cascade_part0004.tacozip"),
                                                       golden("cascade_tacocat/cascade_part0001.tacozip")});
  CHECK(values(raw, "internal:source_file") == Strings{"cascade_part0004.tacozip", "cascade_part0001.tacozip"});
  Strings names = column_names(raw);
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("rows of a concatenated TACOCAT keep their source files") {
  const Dataset both = concat({load(golden("cascade_tacocat")), part(1)});
  CHECK(both.num_rows() == 5);
  CHECK(values(both.data_raw(), "internal:source_file")[3] == "cascade_part0004.tacozip");
  CHECK(to_text(both.data().read_bytes("africa/country_1/city_1")) == "africa/country_1/city_1");
  CHECK(to_text(both.data().limit(1, 4).read_bytes("europe/country_1/city_1")) == "europe/country_1/city_1");
}

TEST_CASE("an empty input of concat adds no rows, and only empty inputs give no rows") {
  const Dataset none = flat().sql("SELECT * FROM data WHERE false");
  CHECK(ids(concat({none, flat()}).data()).size() == 5);
  CHECK(concat({flat(), none}).num_rows() == 5);
  const Dataset empty = concat({none, none});
  CHECK(empty.num_rows() == 0);
  CHECK(column_names(empty.data()) == column_names(flat().data()));
  const Dataset no_children =
      concat({part(1).filter_bbox(0, -80, 1, -79, at(2)), part(2).filter_bbox(0, -80, 1, -79, at(2))});
  CHECK(no_children.num_rows() == 0);
  CHECK(no_children.sql("SELECT * FROM level2").num_rows() == 0);
}

TEST_CASE("concats of concats navigate to the right source") {
  const Dataset all = concat({concat({part(1), part(2)}), concat({part(3), part(4)})});
  CHECK(ids(all.data()) == Strings{"europe", "asia", "americas", "africa"});
  const Dataset right = concat({part(1), concat({part(2), concat({part(3), part(4)})})});
  CHECK(ids(right.data()) == Strings{"europe", "asia", "americas", "africa"});
  CHECK(
      values(right.sql("SELECT DISTINCT ON (\"internal:source_file\") * FROM level2 ORDER BY \"internal:source_file\"")
                 .data(),
             "id")
          .size() == 4);
  for (const std::string continent : {"europe", "asia", "americas", "africa"}) {
    CAPTURE(continent);
    CHECK(to_text(all.data().read_bytes(continent + "/country_1/city_0")) == continent + "/country_1/city_0");
  }
  CHECK(values(all.data_raw(), "internal:source_file")[2] == "cascade_part0003.tacozip");
  const DataFrame found = all.filter_bbox(139, 35, 140, 36, at(2)).data();
  CHECK(ids(found) == Strings{"asia"});
  CHECK(to_text(found.read_bytes("asia/country_0/city_0")) == "asia/country_0/city_0");
}

TEST_CASE("filtered or queried concats keep their position and row order in an outer concat") {
  const Dataset pair = concat({part(2), part(3)});
  const Dataset filtered = pair.filter_bbox(-180, -90, 180, 90), cascaded = pair.filter_bbox(-180, -90, 180, 90, at(2));
  const Dataset queried = pair.sql("SELECT * FROM data ORDER BY id");
  for (int i = 0; i < 3; ++i) {
    CHECK(ids(concat({part(1), filtered, part(4)}).data()) == Strings{"europe", "asia", "americas", "africa"});
    CHECK(ids(concat({part(1), cascaded, filtered}).data()) ==
          Strings{"europe", "asia", "americas", "asia", "americas"});
    CHECK(ids(concat({part(1), queried, pair}).data()) == Strings{"europe", "americas", "asia", "asia", "americas"});
    CHECK(ids(concat({load(golden("cascade_tacocat/TACOLLECTION.json")),
                      load(golden("cascade_tacocat/TACOLLECTION.json")).filter_bbox(0, 0, 180, 90)})
                  .data()) == Strings{"europe", "asia", "americas", "africa", "europe", "asia", "africa"});
  }
}

TEST_CASE("a column that an inner concat dropped does not come back in an outer one") {
  const Mixed m;
  const Dataset inner = concat({m.a, load(make_flat_folder(m.folder, "c", 1, "9 AS shared"))});
  const Dataset outer = concat({inner, m.a}, ColumnMode::FillMissing);
  CHECK(values(outer.data(), "only_a") == Strings{"", "", "", "0", "10"});
}

TEST_CASE("columns with odd names and rows with equal ids are concatenated") {
  const Dataset odd = load(golden("odd_names.tacozip"));
  const Dataset twice = concat({odd, odd});
  CHECK(twice.num_rows() == 32);
  CHECK(column_names(twice.level_columns(0)) == column_names(odd.level_columns(0)));
  CHECK(values(twice.data(), "select")[17] == "100");
  CHECK(to_text(twice.data().limit(16, 16).read_bytes("it's")) == "it's");
}

TEST_CASE("columns of two datasets that differ only in case stay two columns") {
  const TemporaryFolder folder;
  const Dataset lower = load(make_flat_folder(folder, "lower", 2, "i AS cloud, 1 AS same"));
  const Dataset upper = load(make_flat_folder(folder, "upper", 2, "i + 10 AS \"Cloud\", 2 AS same"));
  const Dataset filled = concat({lower, upper}, ColumnMode::FillMissing);
  CHECK(column_names(filled.level_columns(0)) == Strings{"id", "type", "cloud", "same", "Cloud_1"});
  CHECK(values(filled.data(), "cloud") == Strings{"0", "1", "", ""});
  CHECK(values(filled.data(), "Cloud_1") == Strings{"", "", "10", "11"});
  CHECK(values(filled.sql("SELECT * FROM data WHERE \"Cloud_1\" = 11").data(), "same") == Strings{"2"});
  const Dataset outer = concat({upper, filled}, ColumnMode::FillMissing);
  CHECK(column_names(outer.level_columns(0)) == Strings{"id", "type", "Cloud_2", "same", "cloud", "Cloud_1"});
  CHECK(values(outer.data(), "cloud") == Strings{"", "", "0", "1", "", ""});
  CHECK(values(outer.data(), "Cloud_1") == Strings{"", "", "", "", "10", "11"});
  const Dataset turned = concat({filled, upper}, ColumnMode::FillMissing);
  CHECK(column_names(turned.level_columns(0)) == Strings{"id", "type", "cloud", "same", "Cloud_1", "Cloud_2"});
  CHECK(column_names(concat({lower, upper}).level_columns(0)) == Strings{"id", "type", "same"});
}

TEST_CASE("dropped columns are reported, with the datasets that lack them") {
  const Mixed m;
  const Report report;
  concat({m.a, m.b});
  CHECK(has_text(report.warnings(),
                 "concat: column 'only_a' of level 0 is dropped: it is missing in " + m.folder.path("b") + "\n"));
  CHECK(has_text(report.warnings(),
                 "concat: column 'only_b' of level 0 is dropped: it is missing in " + m.folder.path("a") + "\n"));
}

TEST_CASE("filled columns are reported, with the datasets that lack them") {
  const Mixed m;
  const Report report;
  concat({m.a, m.b}, ColumnMode::FillMissing);
  CHECK(has_text(report.warnings(),
                 "concat: column 'only_a' of level 0 is filled with null in " + m.folder.path("b") + "\n"));
}

TEST_CASE("equal columns cause no warning") {
  const Report report;
  concat({part(1), part(2)});
  CHECK(report.warnings() == "");
}

TEST_CASE("warnings can be switched off") {
  const Mixed m;
  const Report report;
  verbose(false);
  concat({m.a, m.b});
  CHECK(report.warnings() == "");
  verbose(true);
  concat({m.a, m.b});
  CHECK(report.warnings() != "");
}

TEST_CASE("columns of incompatible types are an error that names both types") {
  const Mixed m;
  for (const ColumnMode mode : {ColumnMode::Intersection, ColumnMode::FillMissing, ColumnMode::Strict}) {
    const std::string text =
        fail({m.text, m.text, load(make_flat_folder(m.folder, "number", 1, "1.5::DOUBLE AS shared"))}, mode);
    CHECK(has_text(text, "SchemaError: "));
    CHECK(has_text(text, "'shared'"));
    CHECK(has_text(text, "string in " + m.folder.path("text")));
    CHECK(has_text(text, "double in " + m.folder.path("number")));
  }
}

TEST_CASE("an error of types names the dataset that has the type, not the first one") {
  const TemporaryFolder folder;
  const Dataset none = load(make_flat_folder(folder, "none", 1, "0 AS other"));
  const Dataset text = load(make_flat_folder(folder, "text", 1, "'a' AS v, 0 AS other"));
  const Dataset number = load(make_flat_folder(folder, "number", 1, "1 AS v, 0 AS other"));
  const std::string error = fail({none, text, number}, ColumnMode::FillMissing);
  CHECK(has_text(error, "string in " + folder.path("text")));
}

TEST_CASE("numeric columns of different width are widened to a common type without loss") {
  const TemporaryFolder folder;
  const Dataset small = load(make_flat_folder(folder, "small", 1, "CAST(7 AS TINYINT) AS v"));
  const Dataset large = load(make_flat_folder(folder, "large", 1, "9007199254740993 AS v"));
  CHECK(values(concat({small, large}).data(), "v") == Strings{"7", "9007199254740993"});
}

TEST_CASE("a concat input whose query drops the path does not affect an input whose query uses it") {
  const Dataset hides = flat().sql("SELECT * EXCLUDE (\"internal:gdal_vsi\") FROM data");
  const Dataset asks = flat().sql("SELECT * FROM data WHERE \"internal:gdal_vsi\" LIKE '%flat%'");
  CHECK(concat({hides, asks}).data().num_rows() == 10);
  CHECK(to_text(concat({asks, hides}).data().limit(5, 5).read_bytes("suva")) == "data of suva");
}

TEST_CASE("filters after concat give the rows that they give on one dataset") {
  const Dataset all = concat({part(1), part(2), part(3), part(4)});
  CHECK(ids(all.filter_bbox(90, 0, 110, 50).data()) == Strings{"asia"});
  CHECK(ids(all.filter_datetime("2023-02-01/2023-03-01").data()) == Strings{"asia", "americas"});
  CHECK(ids(all.sql("SELECT * FROM data WHERE continent LIKE 'a%' ORDER BY id LIMIT 2").data()) ==
        Strings{"africa", "americas"});
}

TEST_CASE("padding is hidden after a concat, in rows, levels and children") {
  const Dataset twice = concat({load(golden("nested_padded.tacozip")), load(golden("nested_padded"))});
  CHECK_FALSE(has_text(dump(twice.data()), "TACOPAD"));
  CHECK_FALSE(has_text(dump(twice.sql("SELECT * FROM level1").data()), "TACOPAD"));
  CHECK(twice.sql("SELECT * FROM level1").num_rows() == 10);
  CHECK(ids(children(twice.data().limit(1, 3), "two")) == Strings{"a", "c"});
  CHECK(twice.verify_rsut());
}

// DuckDB rounds integers that no double equals.
TEST_CASE("whole numbers beside doubles are exact, or an error that names the number") {
  const TemporaryFolder folder;
  const auto made = [&](const std::string& name, const std::string& values) {
    return load(make_flat_folder(folder, name, 2, values + " AS n"));
  };
  const Dataset reals = made("reals", "(i + 0.5)::DOUBLE"), small = made("small", "(9007199254740992 - i)::BIGINT"),
                large = made("large", "(9007199254740993 + i)::BIGINT"),
                huge = made("huge", "(18446744073709551615 - i)::UBIGINT"), f = made("f", "(i + 0.5)::FLOAT");
  CHECK(values(concat({small, reals}).data(), "n") == Strings{"9007199254740992", "9007199254740991", "0.5", "1.5"});
  CHECK(values(concat({small, f}).data(), "n") == Strings{"9007199254740992", "9007199254740991", "0.5", "1.5"});
  CHECK(values(concat({concat({small, small}), reals}).data(), "n").size() == 6);
  for (const auto& parts : {std::vector{large, reals}, std::vector{reals, large}, std::vector{reals, huge}}) {
    CHECK(has_text(error_of([&] { concat(parts).data(); }), "is an integer that a double cannot represent exactly"));
  }
  CHECK(has_text(error_of([&] { concat({reals, large}).data(); }), "column 'n': 9007199254740993"));
  CHECK(values(concat({large, small}).data(), "n")[0] == "9007199254740993");
}
