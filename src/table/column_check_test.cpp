#include "table/column_check.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_time.h>
#include <arrow/array/util.h>
#include <arrow/type.h>
#include <doctest/doctest.h>

#include <vector>

#include "table/values.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

std::shared_ptr<arrow::Array> array_of(const Value& value) { return make_array({&value}, infer_type(value)); }

std::shared_ptr<arrow::Array> nulls_of(const std::shared_ptr<arrow::DataType>& type) {
  return arrow::MakeArrayOfNull(type, 1).ValueOrDie();
}

Value nested(int levels) {
  Value out(1);
  for (int i = 0; i < levels; ++i) out = Value(Value::List{out});
  return out;
}

}  // namespace

TEST_CASE("a column may hold each kind of value, nulls in lists and structs too") {
  for (const Value& value : std::vector<Value>{{},
                                               true,
                                               1,
                                               2.5,
                                               "\u00e9",
                                               Binary{"\xff"},
                                               Timestamp{0},
                                               Value::List{"a", Value()},
                                               Struct{{"a", 1}, {"b", Value::List{}}}}) {
    CHECK_NOTHROW(check_column("k", *array_of(value)));
  }
}

TEST_CASE("text that is not UTF-8 is refused with its row, in lists and structs as well") {
  CHECK_THROWS_WITH_AS(check_column("k", *array_of("a\xff")), "field 'k' is not UTF-8 in row 0", SchemaError);
  CHECK_THROWS_AS(check_column("k", *array_of(Value::List{"a\xff"})), SchemaError);
  CHECK_THROWS_AS(check_column("k", *array_of(Struct{{"a", "\xff"}})), SchemaError);
}

TEST_CASE("lists nested deeper than readers of Parquet support are refused") {
  CHECK_NOTHROW(check_column("k", *array_of(nested(32))));
  CHECK_THROWS_WITH_AS(check_column("k", *array_of(nested(33))), "field 'k' has more than 32 nested lists and structs",
                       SchemaError);
}

TEST_CASE("structs that Parquet or SQL cannot name are refused") {
  CHECK_THROWS_AS(check_column("k", *array_of(Struct{})), SchemaError);
  CHECK_THROWS_AS(check_column("k", *array_of(Value::List{Struct{}})), SchemaError);
  CHECK_THROWS_AS(check_column("k", *nulls_of(arrow::struct_({arrow::field("\xff", arrow::int64())}))), SchemaError);
  const auto twins = arrow::struct_({arrow::field("a", arrow::int64()), arrow::field("A", arrow::int64())});
  CHECK_THROWS_WITH_AS(check_column("k", *nulls_of(twins)),
                       "field 'k' has a struct with two fields 'A'; names must differ in more than case", SchemaError);
}

TEST_CASE("types that Parquet stores as another type are refused") {
  for (const auto& type : {arrow::timestamp(arrow::TimeUnit::SECOND), arrow::time32(arrow::TimeUnit::SECOND),
                           arrow::date64(), arrow::list(arrow::timestamp(arrow::TimeUnit::SECOND))}) {
    CHECK_THROWS_AS(check_column("k", *nulls_of(type)), SchemaError);
  }
  CHECK_NOTHROW(check_column("k", *nulls_of(arrow::timestamp(arrow::TimeUnit::MILLI))));
}

TEST_CASE("fixed-size lists of size zero are refused, as readers do not open them") {
  CHECK_THROWS_AS(check_column("k", *nulls_of(arrow::fixed_size_list(arrow::int64(), 0))), SchemaError);
  CHECK_NOTHROW(check_column("k", *nulls_of(arrow::fixed_size_list(arrow::int64(), 2))));
}

TEST_CASE("types that published readers do not open are refused") {
  for (const auto& type :
       {arrow::float16(), arrow::decimal256(50, 2), arrow::month_day_nano_interval(), arrow::list(arrow::float16())}) {
    CHECK_THROWS_AS(check_column("k", *nulls_of(type)), SchemaError);
  }
  CHECK_NOTHROW(check_column("k", *nulls_of(arrow::decimal128(10, 2))));
}

TEST_CASE("milliseconds beyond the range of microseconds are refused, with their row") {
  const auto times = [](int64_t second) {
    arrow::TimestampBuilder builder(arrow::timestamp(arrow::TimeUnit::MILLI), arrow::default_memory_pool());
    for (const int64_t value : {int64_t{0}, second}) REQUIRE(builder.Append(value).ok());
    return builder.Finish().ValueOrDie();
  };
  check_column("t", *times(INT64_MAX / 1000));
  CHECK_THROWS_WITH_AS(check_column("t", *times(INT64_MAX / 1000 + 1)),
                       "field 't' has a time in row 1 that does not fit microseconds in 64 bits", SchemaError);
}
