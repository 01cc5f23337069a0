#include "table/read_table.hpp"

#include <arrow/array/builder_primitive.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <doctest/doctest.h>

#include "support/temporary_folder.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

using Texts = std::vector<std::optional<std::string>>;

/// A file that is deleted afterwards.
struct File {
  File(const std::string& name, const std::string& text) : path(folder.write(name, text)) {}

  TemporaryFolder folder;
  std::string path;
};

}  // namespace

TEST_CASE("ids and paths of CSV are text, whatever they look like") {
  const File file("ids.csv", "id,path,v\n007,1,5\n2024-01-01,true,6\n");
  const auto table = read_table(file.path);
  CHECK(text_column(*table, "id", "") == Texts{"007", "2024-01-01"});
  CHECK(text_column(*table, "path", "") == Texts{"1", "true"});
  CHECK(table->GetColumnByName("v")->type()->id() == arrow::Type::INT64);
}

TEST_CASE("CSV may be separated by a comma, a semicolon, a tab or a bar") {
  const struct {
    const char *name, *text;
  } cases[] = {
      {"a.csv", "id,path,v\na,x;y,1.5\n"},
      {"a.csv", "id;path;v\na;\"x;y\";1.5\n"},
      {"a.csv", "id\tpath\tv\na\tx;y\t1.5\n"},
      {"a.csv", "id|path|v\r\na|x;y|1.5\r\n"},
      {"a.csv", "\xef\xbb\xbf\"id\";\"path\";\"v\"\r\n\"a\";\"x;y\";\"1.5\"\r\n"},
      {"a.tsv", "id\tpath\tv\na\tx;y\t1.5\n"},
      {"a.TSV", "id\t\"path\"\tv\n\na\tx;y\t1.5"},
  };
  for (const auto& each : cases) {
    CAPTURE(std::string(each.text));
    const File file(each.name, each.text);
    const auto table = read_table(file.path);
    CHECK(column_names(*table) == std::vector<std::string>{"id", "path", "v"});
    CHECK(text_column(*table, "path", "") == Texts{"x;y"});
    CHECK(table->GetColumnByName("v")->type()->id() == arrow::Type::DOUBLE);
  }
}

TEST_CASE("the separator is the one that gives most legal names, or the one that is given") {
  const File names("a.csv", "id;path;cover, of land\na;x;1\n"), one("b.csv", "id\na;b\n"),
      tie("c.csv", "a,b;c\nx,y;3\n");
  CHECK(column_names(*read_table(names.path)) == std::vector<std::string>{"id", "path", "cover, of land"});
  CHECK(text_column(*read_table(one.path), "id", "") == Texts{"a;b"});
  CHECK_THROWS_WITH_AS(read_table(tie.path),
                       doctest::Contains("may be separated by ',' or ';'; say by which, such as --separator ','"),
                       FormatError);
  CHECK(column_names(*read_table(tie.path, {.separator = ";"})) == std::vector<std::string>{"a,b", "c"});
  const File odd("d.csv", "id:v\na:1\n"), tabs("e.csv", "id\tv\na\t1\n");
  CHECK(column_names(*read_table(odd.path, {.separator = ":"})) == std::vector<std::string>{"id", "v"});
  CHECK(column_names(*read_table(tabs.path, {.separator = "\\t"})) == std::vector<std::string>{"id", "v"});
  for (const char* wrong : {";;", "\"", "\n", "\xc3\xa9"}) {
    CHECK_THROWS_WITH_AS(read_table(odd.path, {.separator = wrong}), doctest::Contains("one ASCII character expected"),
                         ValidationError);
  }
  const File lines("f.jsonl", "{\"id\":\"a\"}\n");
  CHECK_THROWS_WITH_AS(read_table(lines.path, {.separator = ";"}), doctest::Contains("only .csv and .tsv tables have"),
                       ValidationError);
  const File wide("g.csv", std::string("\xff\xfei\0d\0", 6));
  CHECK_THROWS_WITH_AS(read_table(wide.path), doctest::Contains("UTF-16 text; UTF-8 expected"), FormatError);
}

TEST_CASE("numbers with a decimal comma are refused with their lines") {
  const File file("a.csv", "id;v;w\na;1,5;x\n\nb;2;1,5\nc;;\nd;\"-2,5\";\n");
  const std::string said = file.path +
                           ": column 'v' has numbers with a decimal comma in 2 of 3 values; a decimal point expected: "
                           "line 2 has '1,5', line 6 has '-2,5'";
  CHECK_THROWS_WITH_AS(read_table(file.path), said.c_str(), SchemaError);
  const File mixed("c.csv", "id;v\na;1,5\nb;n/a\n");
  CHECK_THROWS_WITH_AS(read_table(mixed.path), doctest::Contains("in 1 of 2 values"), SchemaError);
  const File list("b.csv", "id,bands\na,\"1,2\"\n");
  CHECK(text_column(*read_table(list.path), "bands", "") == Texts{"1,2"});
}

TEST_CASE("lines with too many or too few values are all told") {
  const File file("a.csv", "id;v\na;1\n\nb;2;3\nc\n");
  CHECK_THROWS_WITH_AS(
      read_table(file.path),
      doctest::Contains("the header line has 2 values separated by ';', but line 4 has 3, line 5 has 1"), FormatError);
  std::string many = "id,v\n";
  for (int i = 0; i < 25; ++i) many += "a\n";
  const File rows("b.csv", many);
  CHECK_THROWS_WITH_AS(read_table(rows.path), doctest::Contains("line 21 has 1, ... (25 in all)"), FormatError);
}

TEST_CASE("CSV in other encodings is refused with its lines, and not read as bytes") {
  const File values("a.csv", "id;name\na;C\xf4te\nb;x\n\nc;\xe9\n"), header("b.csv", "id,C\xf4te\na,1\n"),
      ids("c.csv", "id\n\xe9\n");
  CHECK_THROWS_WITH_AS(read_table(values.path),
                       doctest::Contains("is not UTF-8, which spreadsheets call \"CSV UTF-8\": line 2 has 'C\\xf4te', "
                                         "line 5 has '\\xe9'"),
                       FormatError);
  CHECK_THROWS_WITH_AS(read_table(header.path), doctest::Contains("line 1 has 'C\\xf4te'"), FormatError);
  CHECK_THROWS_WITH_AS(read_table(ids.path), doctest::Contains("line 2 has '\\xe9'"), FormatError);
}

TEST_CASE("rows of text files have lines") {
  using Lines = std::vector<uint64_t>;
  const File csv("a.csv", "\n\"id\",\"a\nb\"\r\n\r\nx,\"1\n2\"\n\n\"y\"\"\n\",5\" tall\nz,3\n");
  REQUIRE(text_column(*read_table(csv.path), "id", "") == Texts{"x", "y\"\n", "z"});
  CHECK(lines_of_rows(csv.path, {}, {0, 1, 2}) == Lines{5, 8, 10});
  CHECK(lines_of_rows(csv.path, {}, {2}) == Lines{10});
  const File json("a.jsonl", "{\"id\":\"x\"}\n\n{\"id\":\"y\"}\n");
  REQUIRE(read_table(json.path)->num_rows() == 2);
  CHECK(lines_of_rows(json.path, {}, {0, 1}) == Lines{1, 3});
  CHECK(lines_of_rows("a.parquet", {}, {0, 1}).empty());
}

TEST_CASE("a JSON line may be longer than a read block") {
  const std::string longer(3 << 20, 'x');
  const File file("long.jsonl", "{\"id\":\"a\"}\n{\"id\":\"" + longer + "\"}\n{\"id\":\"c\"}");
  CHECK(text_column(*read_table(file.path), "id", "") == Texts{"a", longer, "c"});
}

TEST_CASE("JSON lines may be nested 64 levels deep, and no deeper") {
  const auto line = [](std::size_t depth) {
    return "{\"v\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}\n";
  };
  const File good("64.jsonl", line(64)), bad("65.jsonl", line(65)), later("later.jsonl", line(64) + line(65));
  CHECK(read_table(good.path)->num_rows() == 1);
  for (const File* file : {&bad, &later}) {
    CHECK_THROWS_WITH_AS(read_table(file->path), doctest::Contains("nested deeper than 64"), FormatError);
  }
}

TEST_CASE("JSON lines with endless nesting are an error") {
  const File file("deep.jsonl", "{\"id\":\"a\",\"v\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}\n");
  CHECK_THROWS_AS(read_table(file.path), FormatError);
}

TEST_CASE("seconds beyond the range of microseconds are an error") {
  arrow::TimestampBuilder builder(arrow::timestamp(arrow::TimeUnit::SECOND), arrow::default_memory_pool());
  REQUIRE(builder.Append(INT64_MAX / 1000).ok());
  const auto table = arrow::Table::Make(arrow::schema({arrow::field("t", builder.type())}),
                                        std::vector<std::shared_ptr<arrow::Array>>{builder.Finish().ValueOrDie()});
  CHECK_THROWS_AS(in_one_piece(table), SchemaError);
}
