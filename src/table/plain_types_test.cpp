#include "table/plain_types.hpp"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_nested.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <doctest/doctest.h>

#include "table/arrow_error.hpp"
#include "table/metadata_columns.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

std::vector<MetadataColumn> read(const std::shared_ptr<arrow::Table>& table) {
  return stated_columns(*in_one_piece(table));
}

std::shared_ptr<arrow::Table> table_of_column(const std::string& name, const std::shared_ptr<arrow::Array>& array) {
  return arrow::Table::Make(arrow::schema({arrow::field(name, array->type())}), {array});
}

TEST_CASE("string and binary views are read as text and bytes, in lists as well") {
  arrow::StringViewBuilder words;
  check(words.Append("short"));
  check(words.AppendNull());
  check(words.Append("longer than what fits into a view"));
  const auto text = read(table_of_column("t", check(words.Finish())));
  REQUIRE(text.size() == 1);
  CHECK(text[0].type == "string");
  CHECK(text[0].values == std::vector<Value>{"short", {}, "longer than what fits into a view"});

  auto items = std::make_shared<arrow::BinaryViewBuilder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), items);
  check(lists.Append());
  check(items->Append("a"));
  check(lists.AppendNull());
  check(lists.Append());
  const auto sliced = check(lists.Finish())->Slice(0);
  const auto bytes = read(table_of_column("b", sliced));
  CHECK(bytes[0].type == "list<item: binary>");
  CHECK(bytes[0].values == std::vector<Value>{Value::List{Binary{"a"}}, {}, Value::List{}});
}

TEST_CASE("a column of a type that metadata cannot hold is an error that names it") {
  arrow::Decimal128Builder builder(arrow::decimal128(5, 2));
  check(builder.Append(arrow::Decimal128(1)));
  CHECK_THROWS_WITH_AS(read(table_of_column("price", check(builder.Finish()))),
                       doctest::Contains("'price' of type decimal128(5, 2)"), SchemaError);
}

}  // namespace
