#include "table/values.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/chunked_array.h>
#include <arrow/type.h>
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tacore/error.hpp"

using namespace tacore;

namespace {

std::string type_of(const std::string& name) { return parse_type(name)->ToString(); }

Value back(const Value& value, const std::string& type) {
  return read_values(arrow::ChunkedArray(make_array({&value}, parse_type(type)))).at(0);
}

template <class Builder, class Tick>
Value read(const std::shared_ptr<arrow::DataType>& type, Tick tick) {
  Builder builder(type, arrow::default_memory_pool());
  REQUIRE(builder.Append(tick).ok());
  return read_values(arrow::ChunkedArray(builder.Finish().ValueOrDie())).at(0);
}

}  // namespace

TEST_CASE("type names are parsed as a whole") {
  CHECK(type_of("Timestamp[ns, tz=America/Lima]") == "timestamp[ns, tz=America/Lima]");
  CHECK(type_of("list<item: struct<A: int8, b: fixed_size_list<item: double>[2]>>") ==
        "list<item: struct<A: int8, b: fixed_size_list<item: double>[2]>>");
  for (const char* name : {"", " ", "int", "timestamp[]", "timestamp[u]", "timestamp[s", "list<int8>", "int8>"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(parse_type(name), SchemaError);
  }
}

TEST_CASE("a type name with endless nesting is refused") {
  std::string name;
  for (int i = 0; i < 200'000; ++i) name += "list<item: ";
  CHECK_THROWS_AS(parse_type(name), SchemaError);
}

TEST_CASE("a finite number beyond the range of float is refused") {
  CHECK_THROWS_AS(back(1e300, "float"), SchemaError);
  CHECK(back(-std::numeric_limits<double>::infinity(), "float") == Value(-std::numeric_limits<double>::infinity()));
  CHECK(std::isnan(*back(std::nan(""), "float").get<double>()));
  CHECK(back(double{std::numeric_limits<float>::max()}, "float") == Value(double{std::numeric_limits<float>::max()}));
}

TEST_CASE("times beyond 64 bits of microseconds are errors, not other times") {
  using Times = arrow::TimestampBuilder;
  CHECK(read<Times>(arrow::timestamp(arrow::TimeUnit::SECOND), int64_t{-1}) == Value(Timestamp{-1'000'000}));
  CHECK_THROWS_AS(read<Times>(arrow::timestamp(arrow::TimeUnit::SECOND), int64_t{1} << 53), SchemaError);
  CHECK_THROWS_AS(read<Times>(arrow::timestamp(arrow::TimeUnit::MILLI), INT64_MIN), SchemaError);
  CHECK_THROWS_AS(read<arrow::Date32Builder>(arrow::date32(), INT32_MAX), SchemaError);
}

TEST_CASE("text and bytes have no common type") {
  CHECK(common_type(arrow::utf8(), arrow::binary()) == nullptr);
  CHECK(common_type(arrow::large_binary(), arrow::utf8()) == nullptr);
  CHECK(common_type(arrow::utf8(), arrow::large_utf8())->id() == arrow::Type::LARGE_STRING);
  CHECK_THROWS_WITH_AS(infer_type(Value::List{"a", Binary{"b"}}), "a list of string and binary; one type expected",
                       SchemaError);
}
