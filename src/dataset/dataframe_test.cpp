#include "tacore/dataframe.hpp"

#include <arrow/c/abi.h>
#include <doctest/doctest.h>

#include "support/query_data.hpp"
#include "table/arrow_stream.hpp"

using namespace tacore;

namespace {

DataFrame flat_rows() { return load(golden("flat.tacozip")).data(); }
DataFrame region() { return children(load(golden("nested.tacozip")).data(), "asia"); }

/// The rows that show, as another library would receive them.
std::shared_ptr<const Rows> exported(const DataFrame& frame) {
  ArrowArrayStream stream;
  frame.export_stream(&stream);
  return table_rows(import_table(&stream));
}

TEST_CASE("an expression is one value for each row") {
  const DataFrame rows = load(golden("flat.tacozip")).data();
  for (const char* expression : {"unnest([1, 2])", "unnest({'a': 1, 'b': 2})", "*", "COLUMNS(*)"}) {
    CAPTURE(std::string(expression));
    CHECK(has_text(error_of([&] { rows.with_column("x", expression); }), "QueryError"));
    CHECK(has_text(error_of([&] { rows.with_column("cloud_cover", expression); }), "QueryError"));
  }
  CHECK(rows.with_column("x", "cloud_cover * 2").num_rows() == rows.num_rows());
}

TEST_CASE("selected rows are a frame that can be navigated") {
  const DataFrame rows = flat_rows();
  const DataFrame taken = rows.take(std::vector<int64_t>{3, 0, 3});
  REQUIRE(taken.num_rows() == 3);
  CHECK(taken.text(0, "id") == rows.text(3, "id"));
  CHECK(taken.text(1, "id") == rows.text(0, "id"));
  CHECK(std::get<VsiPath>(taken.read(2)) == std::get<VsiPath>(rows.read(3)));
  CHECK(std::get<VsiPath>(taken.read(*rows.text(0, "id"))) == std::get<VsiPath>(rows.read(0)));
  CHECK(has_text(error_of([&] { taken.read(*rows.text(1, "id")); }), "NavigationError"));
  CHECK(exported(taken)->text(0, 1) == rows.text(0, "id"));
  CHECK(taken.sort("id").limit(1).text(0, "id") == std::min(*rows.text(0, "id"), *rows.text(3, "id")));
  CHECK(rows.take({}).num_rows() == 0);
  CHECK(children(load(golden("nested.tacozip")).data().take(std::vector<int64_t>{1}), "asia").num_rows() > 0);
  for (const int64_t position : {int64_t{-1}, rows.num_rows()})
    CHECK(has_text(error_of([&] { rows.take(std::vector{position}); }), "NavigationError"));
}

TEST_CASE("the level of a frame is determined once") {
  struct Counting : Rows {
    std::shared_ptr<const Rows> of;
    mutable int64_t keys = 0;

    int64_t num_rows() const noexcept override { return of->num_rows(); }
    const std::vector<Column>& columns() const noexcept override { return of->columns(); }
    Cell cell(int column, int64_t row) const override { return of->cell(column, row); }
    std::shared_ptr<arrow::Array> array(int column, int64_t begin, int64_t count) const override {
      return of->array(column, begin, count);
    }
    int64_t run(int64_t begin) const override { return of->run(begin); }
    std::optional<RowKey> key(int64_t row) const override {
      ++keys;
      return of->key(row);
    }
    std::shared_ptr<const Rows> slice(int64_t begin, int64_t count) const override { return of->slice(begin, count); }
  };
  const DataFrame all = load(golden("nested.tacozip")).sql("SELECT * FROM level1").data();
  const auto counting = std::make_shared<Counting>();
  counting->of = impl_of(all)->rows;
  const auto impl = std::make_shared<DataFrame::Impl>();
  impl->dataset = impl_of(all)->dataset;
  impl->rows = counting;
  const DataFrame frame(impl);
  CHECK(frame.level() == 1);
  const int64_t once = counting->keys;
  CHECK(frame.level() == 1);
  CHECK(counting->keys == once);
}

TEST_CASE("rows of several levels have no level, and rows without numbers get no relative path") {
  const Dataset nested = load(golden("nested.tacozip"));
  CHECK(nested.sql("SELECT * FROM level0 UNION ALL BY NAME SELECT * FROM level1").data().level() == -1);
  CHECK(nested.sql("SELECT * FROM level1").data().level() == 1);
  const DataFrame raw = load(golden("no_current_id.tacozip")).sql("SELECT * FROM level1").data_raw();
  const auto columns = column_names(raw);
  CHECK(std::count(columns.begin(), columns.end(), "internal:relative_path") == 0);
}

TEST_CASE("a dataset with a relative path reads its files after the working directory changed") {
  const TemporaryFolder folder;
  folder.copy(golden("nested"), "here/nested");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path("here"));
  const DataFrame rows = load("nested").data();
  fs::current_path("/");
  const std::string bytes = to_text(rows.read_bytes("asia/item_0"));
  fs::current_path(before);
  CHECK(bytes == "asia/item_0");
}

}  // namespace

TEST_CASE("num_rows and columns count visible rows and columns") {
  CHECK(flat_rows().num_rows() == 5);
  CHECK(column_names(flat_rows()) ==
        Strings{"id", "type", "istac:centroid", "istac:time_start", "cloud_cover", "internal:gdal_vsi"});
  CHECK(exported(flat_rows())->columns() == flat_rows().columns());
  CHECK(exported(flat_rows())->num_rows() == 5);
}

TEST_CASE("head and tail give 5 rows by default, and at most all rows") {
  const DataFrame many = load(golden("odd_names.tacozip")).data();
  CHECK(ids(many.head()) == Strings{"with space", "ünïcode_東京", "it's", "a,b", "double\"\"quote"});
  CHECK(many.tail().num_rows() == 5);
  CHECK(ids(many.tail(2)) == Strings{"select", "a_b"});
  CHECK(many.head(100).num_rows() == 16);
  CHECK(many.tail(100).num_rows() == 16);
  CHECK(many.head(0).num_rows() == 0);
  CHECK(many.tail(0).num_rows() == 0);
}

TEST_CASE("a negative number of rows is an error") {
  CHECK(
      has_text(error_of([] { flat_rows().head(-1); }), "QueryError: limit and offset must not be negative; -1 given"));
  CHECK(
      has_text(error_of([] { flat_rows().tail(-1); }), "QueryError: limit and offset must not be negative; -1 given"));
  CHECK(has_text(error_of([] { flat_rows().limit(1, -2); }),
                 "QueryError: limit and offset must not be negative; -2 given"));
}

TEST_CASE("limit takes rows from an offset on, and none beyond the end") {
  CHECK(ids(flat_rows().limit(2, 1)) == Strings{"madrid", "new_york"});
  CHECK(ids(flat_rows().limit(10, 4)) == Strings{"suva"});
  CHECK(flat_rows().limit(1, 5).num_rows() == 0);
  CHECK(flat_rows().limit(1, INT64_MAX).num_rows() == 0);
  CHECK(flat_rows().limit(INT64_MAX, 3).num_rows() == 2);
}

TEST_CASE("filter keeps the rows for which an expression is true") {
  CHECK(ids(flat_rows().filter("cloud_cover > 30 AND id <> 'suva'")) == Strings{"new_york", "tokyo"});
  CHECK(flat_rows().filter("NULL").num_rows() == 0);
  CHECK(ids(flat_rows().filter("id = 'tokyo' -- a comment")) == Strings{"tokyo"});
}

TEST_CASE("filter can test the path") {
  CHECK(ids(flat_rows().filter("\"internal:gdal_vsi\" LIKE '%flat.tacozip'")).size() == 5);
  CHECK(flat_rows().filter("\"internal:gdal_vsi\" LIKE '%elsewhere%'").num_rows() == 0);
}

TEST_CASE("text that is not an expression over the columns is an error") {
  for (const std::string bad :
       {"", "nonsense = 1", "1; DROP TABLE frame", "id = (SELECT max(id) FROM frame)", "cloud_cover >",
        "true) OR (true", "id, type", "$1", "read_text('/etc/passwd') = ''", "getenv('HOME') = ''"}) {
    CAPTURE(bad);
    CHECK(has_text(error_of([&] { flat_rows().filter(bad); }), "QueryError: "));
    CHECK(has_text(error_of([&] { flat_rows().with_column("x", bad); }), "QueryError: "));
  }
}

TEST_CASE("a filter expression cannot close the parenthesis around it") {
  CHECK(has_text(error_of([] { flat_rows().filter("false) OR (true"); }), "QueryError: "));
  CHECK(has_text(error_of([] { flat_rows().filter("false) UNION ALL SELECT * FROM frame WHERE (true"); }),
                 "QueryError: "));
}

TEST_CASE("select gives the requested columns in the requested order") {
  CHECK(column_names(select(flat_rows(), {"cloud_cover", "id"})) == Strings{"cloud_cover", "id"});
  CHECK(select(flat_rows(), {}).columns().empty());
  CHECK(select(flat_rows(), {}).num_rows() == 5);
}

TEST_CASE("select of an unknown column is an error that lists the known") {
  const std::string text = error_of([] { select(flat_rows(), {"id", "nope"}); });
  CHECK(has_text(text, "QueryError: "));
  CHECK(has_text(text, "no column 'nope': id, type, istac:centroid"));
  CHECK(has_text(error_of([] { select(flat_rows(), {"cloud_cove"}); }),
                 "no column 'cloud_cove'; did you mean 'cloud_cover'? The columns are id, type, "));
}

TEST_CASE("a table for people has the columns for which there is room, and the first and last rows") {
  const DataFrame rows = flat_rows();
  const auto wide = tabular::fit(rows, 200);
  CHECK(wide.lines.size() == 7);  // names, a rule and five rows
  CHECK(wide.lines[0].starts_with("id"));
  CHECK(has_text(wide.lines[0], "cloud_cover"));
  CHECK(has_text(wide.lines[2], "POINT ("));
  CHECK(wide.left_out == Strings{"internal:gdal_vsi"});
  const auto narrow = tabular::fit(rows, 16);
  for (const auto& line : narrow.lines) CHECK(line.size() <= 16);
  CHECK(std::ranges::find(narrow.left_out, "cloud_cover") != narrow.left_out.end());
  const auto one = tabular::fit(select(rows, {"cloud_cover"}), 1);
  CHECK(one.lines[0] == "cloud_cover");  // one column is shown in any case
  const DataFrame many = flat().sql("SELECT i AS n, 'a' || chr(7) || chr(10) AS odd FROM range(1000) AS t(i)").data();
  const auto cut = tabular::fit(many, 80);
  REQUIRE(cut.lines.size() == 23);
  CHECK(cut.lines[2] == "  0  a");
  CHECK(cut.lines[12] == "...");
  CHECK(cut.lines[22] == "999  a");
  CHECK(tabular::fit(rows.limit(0), 80).lines.size() == 2);
}

TEST_CASE("a column is selected once") {
  CHECK(has_text(error_of([] { select(flat_rows(), {"id", "id"}); }), "QueryError: "));
}

TEST_CASE("sort orders by one column, with nulls last and ties in their former order") {
  CHECK(ids(flat_rows().sort("cloud_cover", true)) == Strings{"suva", "tokyo", "new_york", "madrid", "valencia"});
  const DataFrame times = load(golden("times.tacozip")).data();
  CHECK(ids(times.sort("t_us").limit(2)) == Strings{"before_epoch", "millennium"});
  CHECK(ids(times.sort("t_us").tail(4)) == Strings{"null", "word", "blank", "bad_month"});
  CHECK(ids(times.sort("t_us", true).tail(4)) == Strings{"null", "word", "blank", "bad_month"});
  CHECK(ids(times.sort("t_us", true).limit(1)) == Strings{"valentine"});
  CHECK(has_text(error_of([] { flat_rows().sort("nope"); }), "QueryError: "));
}

TEST_CASE("sort is stable over many rows") {
  const TemporaryFolder folder;
  const DataFrame rows = load(make_flat_folder(folder, "many", 50000, "i % 7 AS k")).data().sort("k");
  std::vector<int64_t> expected;
  for (int64_t k = 0; k < 7; ++k) {
    for (int64_t i = k; i < 50000; i += 7) expected.push_back(i);
  }
  CHECK(stored_rows(rows) == expected);
}

TEST_CASE("with_column adds a column before the path, and replaces one in its place") {
  const DataFrame more = flat_rows().with_column("half", "cloud_cover / 2");
  CHECK(column_names(more) ==
        Strings{"id", "type", "istac:centroid", "istac:time_start", "cloud_cover", "half", "internal:gdal_vsi"});
  CHECK(values(more, "half") == Strings{"6.25", "12.5", "18.75", "25", "31.25"});
  const DataFrame changed = flat_rows().with_column("cloud_cover", "CAST(cloud_cover AS BIGINT)");
  CHECK(column_names(changed) == column_names(flat_rows()));
  CHECK(changed.columns()[4] == Column{"cloud_cover", "int64"});
}

TEST_CASE("methods of a frame never change the frame itself") {
  const DataFrame frame = flat_rows();
  const std::string before = dump(frame);
  frame.filter("false");
  frame.sort("cloud_cover", true);
  frame.with_column("cloud_cover", "0");
  select(frame, {"id"});
  frame.limit(1);
  CHECK(dump(frame) == before);
}

TEST_CASE("with_column refuses protected columns with a message that says so") {
  for (const std::string name :
       {"id", "type", "internal:gdal_vsi", "internal:offset", "internal:whatever", "ID", "Type", "Internal:Offset"}) {
    CAPTURE(name);
    CHECK(has_text(error_of([&] { flat_rows().with_column(name, "1"); }), "QueryError: "));
    CHECK(has_text(error_of([&] { flat_rows().with_column(name, "1"); }), "Cannot modify protected column"));
  }
  CHECK(error_of([] { flat_rows().with_column("my_id", "id || '!'"); }).empty());
}

TEST_CASE("with_column refuses a name that differs from another column only in case") {
  const std::string text = error_of([] { flat_rows().with_column("Cloud_Cover", "1"); });
  CHECK(has_text(text, "QueryError: "));
  CHECK(has_text(text, "'cloud_cover'"));
}

TEST_CASE("select without id and type keeps them for navigation") {
  const DataFrame hidden = select(load(golden("nested.tacozip")).data(), {"region"});
  CHECK(column_names(hidden) == Strings{"region"});
  CHECK(ids(children(hidden, "asia")) == Strings{"item_0", "item_1", "item_2"});
}

TEST_CASE("read after a query that dropped navigation columns is a NavigationError that says so") {
  const DataFrame bare = load(golden("flat.tacozip")).sql("SELECT cloud_cover FROM data").data();
  CHECK(has_text(error_of([&] { bare.read(0); }), "NavigationError: "));
  CHECK(has_text(error_of([&] { bare.read("valencia"); }), "Cannot search by ID"));
  CHECK(has_text(error_of([&] { bare.read_bytes(0); }), "NavigationError: "));
  CHECK(bare.level() == -1);
}

TEST_CASE("filter, select, sort, limit and with_column keep navigation, one after another") {
  const DataFrame rows = load(golden("nested.tacozip")).data();
  const DataFrame chained =
      select(rows.with_column("n", "length(region)").filter("n > 4").sort("id", true), {"n", "region"}).limit(2);
  CHECK(values(chained, "region") == Strings{"EUROPE", "AFRICA"});
  CHECK(to_text(children(chained, "africa").read_bytes("item_2")) == "africa/item_2");
  CHECK(to_text(std::get<DataFrame>(chained.read(0)).read_bytes(1)) == "europe/item_1");
}

TEST_CASE("frames of children keep navigation when transformed") {
  const DataFrame changed = region().with_column("n", "cloud_cover * 2").filter("n > 20").sort("n", true);
  CHECK(ids(changed) == Strings{"item_2", "item_1"});
  CHECK(to_text(changed.read_bytes("item_1")) == "asia/item_1");
  CHECK(vsi(changed, "item_1") == vsi(region(), "item_1"));
}

TEST_CASE("frames of children read from a __meta__ keep navigation when transformed") {
  const DataFrame b = children(load(golden("uneven_children.tacozip")).data(), "b");
  const DataFrame changed =
      select(b.with_column("twice", "rank * 2").filter("twice > 0").sort("twice", true), {"twice"});
  CHECK(values(changed, "twice") == Strings{"4", "2"});
  CHECK(vsi(changed, "item_2") == vsi(b, "item_2"));
  CHECK(to_text(changed.read_bytes(1)) == to_text(b.read_bytes("item_1")));
}

TEST_CASE("an empty frame can be filtered, sorted and limited") {
  const DataFrame none = flat_rows().filter("false");
  CHECK(column_names(none) == column_names(flat_rows()));
  CHECK(none.filter("cloud_cover > 1").num_rows() == 0);
  CHECK(none.sort("cloud_cover").num_rows() == 0);
  CHECK(column_names(none.with_column("x", "1")) ==
        Strings{"id", "type", "istac:centroid", "istac:time_start", "cloud_cover", "x", "internal:gdal_vsi"});
  CHECK(none.head().num_rows() == 0);
  CHECK(has_text(error_of([&] { none.read(0); }), "Position 0 out of range [0, -1]"));
}

TEST_CASE("the computed path column is exported with the values that read gives") {
  const auto rows = exported(flat_rows());
  const int path = rows->find("internal:gdal_vsi");
  REQUIRE(path >= 0);
  for (int64_t i = 0; i < 5; ++i) CHECK(rows->text(path, i) == std::get<VsiPath>(flat_rows().read(i)).value);
}

TEST_CASE("export_stream gives the visible rows in their order") {
  const auto rows = exported(select(flat_rows().filter("cloud_cover > 20").sort("id"), {"id", "cloud_cover"}));
  CHECK(rows->columns() == std::vector<Column>{{"id", "string"}, {"cloud_cover", "double"}});
  REQUIRE(rows->num_rows() == 4);
  CHECK(rows->text(0, 0) == "madrid");
  CHECK(rows->text(0, 3) == "tokyo");
}

TEST_CASE("an exported stream outlives its frame, and may be released unread") {
  ArrowArrayStream stream;
  {
    const DataFrame frame = flat_rows();
    frame.export_stream(&stream);
  }
  CHECK(table_rows(import_table(&stream))->num_rows() == 5);
  ArrowArrayStream unread;
  flat_rows().export_stream(&unread);
  REQUIRE(static_cast<bool>(unread.release));
  unread.release(&unread);
  CHECK_FALSE(static_cast<bool>(unread.release));
}

TEST_CASE("an empty frame is exported with its columns") {
  const auto rows = exported(flat_rows().filter("false"));
  CHECK(rows->num_rows() == 0);
  CHECK(column_names(rows->columns()) == column_names(flat_rows()));
}

TEST_CASE("the exported types of a frame are those of its columns") {
  for (const std::string name :
       {"times.tacozip", "lonlat_lists.tacozip", "stats_flat.tacozip", "odd_names.tacozip", "polygons.tacozip"}) {
    CAPTURE(name);
    const DataFrame frame = load(golden(name)).data();
    CHECK(exported(frame)->columns() == frame.columns());
    const DataFrame computed = frame.filter("true");
    CHECK(exported(computed)->columns() == computed.columns());
  }
}

TEST_CASE("columns with odd names can be filtered, sorted, replaced and selected") {
  const DataFrame odd = load(golden("odd_names.tacozip")).data();
  const Strings names{"select", "my-col", "data", "double\"quote", "it's", "with space", "ünï", "semi;colon", "level0"};
  for (const std::string& name : names) {
    CAPTURE(name);
    std::string quoted_name = "\"";
    for (const char c : name) quoted_name += c == '"' ? "\"\"" : std::string(1, c);
    quoted_name += '"';
    CHECK(odd.filter(quoted_name + " >= 1400").num_rows() == 2);
    CHECK(ids(odd.sort(name, true).limit(1)) == Strings{"a_b"});
    CHECK(values(odd.with_column(name, quoted_name + " + 1").limit(1), name).size() == 1);
    CHECK(column_names(select(odd, {name})) == Strings{name});
  }
}

TEST_CASE("a column that differs from another only in case gets a suffixed name") {
  const DataFrame odd = load(golden("odd_names.tacozip")).data();
  CHECK(values(odd.limit(2), "Id_1") == Strings{"3", "103"});
  CHECK(ids(odd.filter("\"Id_1\" = 103")) == Strings{"ünïcode_東京"});
}

TEST_CASE("every operation of a frame hides padding") {
  const DataFrame rows = load(golden("flat_padded.tacozip")).data();
  CHECK(rows.num_rows() == 3);
  CHECK(rows.filter("true").num_rows() == 3);
  CHECK(rows.sort("id").num_rows() == 3);
  CHECK(rows.tail(5).num_rows() == 3);
  CHECK(exported(rows)->num_rows() == 3);
  CHECK_FALSE(has_text(dump(rows), "TACOPAD"));
}

TEST_CASE("a frame remains usable after its dataset is destroyed") {
  const auto frame = [] { return load(golden("nested.tacozip")).data(); }();
  CHECK(to_text(frame.read_bytes("asia/item_0")) == "asia/item_0");
}
