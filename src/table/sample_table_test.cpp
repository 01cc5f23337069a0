#include "table/sample_table.hpp"

#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <doctest/doctest.h>

#include "support/support.hpp"
#include "table/cells.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

/// A CSV table that is deleted afterwards.
struct Csv {
  explicit Csv(const std::string& text) : path(folder.write("t.csv", text)) {}

  std::shared_ptr<arrow::Table> named(const TableOptions& options) const {
    return with_sample_names(read_table(path, options), options, path);
  }
  /// The words of the SchemaError.
  std::string refusal(const TableOptions& options = {}) const {
    return text_of<SchemaError>([&] { named(options); });
  }

  TemporaryFolder folder;
  std::string path;
};

}  // namespace

TEST_CASE("columns get the names that the options say, all at once") {
  const Csv csv("file,name,id,label,date\na,007,b,c,2024\n");
  const TableOptions options{.id_column = "name",
                             .path_column = "file",
                             .time_column = "date",
                             .rename = {{"id", "label"}, {"label", "old_id"}}};
  const auto table = csv.named(options);
  CHECK(column_names(*table) == Strings{"path", "id", "label", "old_id", "stac:time_start"});
  CHECK(text_column(*table, "id", "") == std::vector<std::optional<std::string>>{"007"});
  CHECK(name_in_file("id", options) == "name");
  CHECK(name_in_file("old_id", options) == "label");
  CHECK(name_in_file("other", options) == "other");
}

TEST_CASE("names of files may be ids as well") {
  const auto table = Csv("filename,label\n007,x\n").named({.id_column = "filename", .path_column = "filename"});
  CHECK(column_names(*table) == Strings{"id", "label", "path"});
  const std::vector<std::optional<std::string>> names{"007"};
  CHECK(text_column(*table, "id", "") == names);
  CHECK(text_column(*table, "path", "") == names);
}

TEST_CASE("names that cannot be are refused with what to type instead") {
  const struct {
    const char *header, *words;
    TableOptions options = {};
  } cases[] = {
      {"ID,path", "no column 'id': ID, path; did you mean 'ID'? --id-column ID"},
      {"filename,label", "no column 'id': filename, label; did you mean 'filename'? --id-column filename"},
      {"place,label", "no column 'id': place, label; name the one that has the ids: --id-column NAME"},
      {"image_id,filename", "no column 'id': image_id, filename; did you mean 'image_id'? --id-column image_id"},
      {"id,File", "no column 'path': id, File; did you mean 'File'? --path-column File"},
      {"id,Path ", "no column 'path': id, Path ; did you mean 'Path '? --path-column \"Path \""},
      {"id,path,land cover class",
       "column 'land cover class' may contain only letters, digits and _, and one : inside; rename it: --rename "
       "\"land cover class\"=land_cover_class"},
      {"id,path,a b,$x,a_b,%", "; rename them: --rename \"a b\"=NEW_NAME --rename '$x'=x --rename \"%\"=NEW_NAME"},
      {"id,path,internal:offset",
       "starts with internal:, which is reserved; rename it: --rename internal:offset=internal_offset"},
      {"id,path,date",
       "--time-column: no column 'dates'; did you mean 'date'? The columns are id, path, date",
       {.time_column = "dates"}},
      {"id,path,x", "--rename: no column 'yy': id, path, x", {.rename = {{"yy", "z"}}}},
      {"id,path,name",
       "--id-column: two columns would be called 'id'; rename that of the table too: --rename id=NEW_NAME",
       {.id_column = "name"}},
      {"id,path,a,b", "--rename: two columns would be called 'c'", {.rename = {{"a", "c"}, {"b", "c"}}}},
      {"id,path,a", "--rename: column 'a' gets two names; one expected", {.rename = {{"a", "b"}, {"a", "c"}}}},
      {"id,path,a",
       "column 'b c' may contain only letters, digits and _, and one : inside; rename it: --rename a=b_c",
       {.rename = {{"a", "b c"}}}},
  };
  for (const auto& each : cases) {
    CAPTURE(std::string(each.header));
    const std::string said = Csv(std::string(each.header) + "\n").refusal(each.options);
    CAPTURE(said);
    CHECK(said.ends_with(each.words));
  }
}

TEST_CASE("times may be text, dates, months and years, and become microseconds") {
  const auto times = [](const std::string& values, const std::string& name) {
    const Csv csv("id,path," + name + "\n" + values);
    RowFaults faults(csv.path, {});
    const auto table = with_times(read_table(csv.path), {}, faults);
    faults.throw_if_any();
    const auto column = find_column(*table, name);
    std::string out = type_name(*column->type());
    for (int64_t row = 0; row < column->length(); ++row) {
      const auto scalar = column->GetScalar(row).ValueOrDie();
      out += " " + (scalar->is_valid ? scalar->ToString() : std::string("-"));
    }
    return out;
  };
  CHECK(times("a,,2024\nb,,2023\n", "stac:time_start") ==
        "timestamp[us] 2024-01-01 00:00:00.000000 2023-01-01 00:00:00.000000");
  CHECK(times("a,,2024-02-29\nb,,\n", "stac:time_start") == "timestamp[us] 2024-02-29 00:00:00.000000 -");
  CHECK(times("a,,2024-02\nb,,2024-02-03T04:05:06+01:00\n", "istac:time_start") ==
        "timestamp[us] 2024-02-01 00:00:00.000000 2024-02-03 03:05:06.000000");
  CHECK(times("a,,2024-02\nb,,2023\n", "istac:time_end") ==
        "timestamp[us] 2024-02-29 23:59:59.999999 2023-12-31 23:59:59.999999");
  CHECK(times("a,,2024-01-31\nb,,2023\n", "istac:time_end") ==
        "timestamp[us] 2024-01-31 00:00:00.000000 2023-12-31 23:59:59.999999");
  CHECK(times("a,,soon\n", "time") == "string soon");
  CHECK(has_text(
      text_of<SchemaError>([&] { times("a,,2024-01-01\n\nb,,31/01/2024\nc,,x\n", "stac:time_start"); }),
      ": 2 faults:\n"
      "  line 4, column 'stac:time_start': '31/01/2024' is no time; 2005-06-30T10:00:00Z (at most microseconds), "
      "2005-06-30, 2005-06 or 2005 expected\n"
      "  line 5, column 'stac:time_start': 'x' is no time; 2005"));
  CHECK(has_text(text_of<SchemaError>([&] { times("a,,2024\nb,,20240131\n", "stac:time_start"); }),
                 ": line 3, column 'stac:time_start': '20240131' is no time"));
  const std::string finer = "a,,2024\nb,,2024-01-01T00:00:00.1234567Z\n";
  CHECK(has_text(text_of<SchemaError>([&] { times(finer, "stac:time_start"); }), ": line 3, column"));
  CHECK_THROWS_WITH_AS(times("a,,1.5\n", "stac:time_start"), doctest::Contains("timestamp[us]"), SchemaError);
}

TEST_CASE("the first 20 faults are told in the order of their rows, and all are counted") {
  RowFaults faults("table", {});
  faults.throw_if_any();
  for (int64_t row = 29; row >= 0; --row) faults.add(row, " is wrong", row == 3 ? 7 : -1);
  const std::string said = text_of<SchemaError>([&] { faults.throw_if_any(); });
  CHECK(said.starts_with("table: 30 faults, the first 20:\n  row 0 is wrong\n  row 1 is wrong\n"));
  CHECK(has_text(said, "\n  row 3 is wrong row 7\n"));
  CHECK(said.ends_with("\n  row 19 is wrong"));
}

TEST_CASE("one file that cannot be opened is an IoError with its row") {
  RowFaults faults("table", {});
  faults.add(4, ": a.tif: cannot stat", -1, ENOENT);
  CHECK(text_of<IoError>([&] { faults.throw_if_any(); }) ==
        "table: row 4: a.tif: cannot stat: No such file or directory");
}
