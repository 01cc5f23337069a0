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
