#include "table/encode.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_time.h>
#include <arrow/record_batch.h>
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "support/support.hpp"
#include "support/table_files.hpp"
#include "table/arrow_stream.hpp"

namespace {

using namespace tacore;
using tabular::Encoding;

struct Text : tabular::Output {
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

std::string encoded(const NamedArrays& columns, Encoding encoding) {
  const auto table = table_of(columns);
  arrow::TableBatchReader batches(*table);
  Text out;
  encode_batches(batches, encoding, out);
  return out.text;
}

template <class Builder, class Value>
std::shared_ptr<arrow::Array> array_of(const std::shared_ptr<arrow::DataType>& type, const std::optional<Value>& one) {
  return build(std::vector<std::optional<Value>>{one}, Builder(type, arrow::default_memory_pool()));
}

std::shared_ptr<arrow::Array> lists(const std::vector<std::optional<std::vector<double>>>& rows) {
  auto items = std::make_shared<arrow::DoubleBuilder>();
  arrow::ListBuilder builder(arrow::default_memory_pool(), items);
  for (const auto& row : rows) {
    check(row ? builder.Append() : builder.AppendNull());
    if (row) check(items->AppendValues(*row));
  }
  return check(builder.Finish());
}

const std::string kOne = "[\n{\"x\": ";

std::string json_of(const std::shared_ptr<arrow::Array>& one) {
  const std::string text = encoded({{"x", one}}, Encoding::Json);
  return text.substr(kOne.size(), text.size() - kOne.size() - 4);
}

TEST_CASE("JSON is one array of row objects") {
  CHECK(encoded({{"id", texts({"a", std::nullopt})}, {"n", integers({1, -2})}}, Encoding::Json) ==
        "[\n{\"id\": \"a\", \"n\": 1},\n{\"id\": null, \"n\": -2}\n]\n");
  CHECK(encoded({{"id", texts({})}}, Encoding::Json) == "[]\n");
}

TEST_CASE("JSON escapes names and text") {
  CHECK(encoded({{"a\"b", texts({"q\"\\\n\t\x01"})}}, Encoding::Json) ==
        "[\n{\"a\\\"b\": \"q\\\"\\\\\\n\\t\\u0001\"}\n]\n");
}

TEST_CASE("JSON writes NULL, NaN and infinities as null, and numbers in their shortest exact form") {
  CHECK(json_of(reals({std::nullopt})) == "null");
  CHECK(json_of(reals({std::nan("")})) == "null");
  CHECK(json_of(reals({std::numeric_limits<double>::infinity()})) == "null");
  CHECK(json_of(reals({-std::numeric_limits<double>::infinity()})) == "null");
  CHECK(json_of(reals({0.1})) == "0.1");
  CHECK(json_of(array_of<arrow::FloatBuilder, float>(arrow::float32(), 0.1F)) == "0.1");
  CHECK(json_of(integers({INT64_MIN})) == "-9223372036854775808");
  CHECK(json_of(array_of<arrow::UInt64Builder, uint64_t>(arrow::uint64(), UINT64_MAX)) == "18446744073709551615");
  CHECK(json_of(array_of<arrow::BooleanBuilder, bool>(arrow::boolean(), true)) == "true");
}

TEST_CASE("JSON writes times as RFC 3339 in any unit, before the epoch too") {
  const auto time = [](int64_t value, arrow::TimeUnit::type unit) {
    return json_of(array_of<arrow::TimestampBuilder, int64_t>(arrow::timestamp(unit), value));
  };
  CHECK(time(0, arrow::TimeUnit::SECOND) == "\"1970-01-01T00:00:00Z\"");
  CHECK(time(1500, arrow::TimeUnit::MILLI) == "\"1970-01-01T00:00:01.500000Z\"");
  CHECK(time(1673785845123456, arrow::TimeUnit::MICRO) == "\"2023-01-15T12:30:45.123456Z\"");
  CHECK(time(1673785845123456789, arrow::TimeUnit::NANO) == "\"2023-01-15T12:30:45.123456789Z\"");
  CHECK(time(1673785845123456000, arrow::TimeUnit::NANO) == "\"2023-01-15T12:30:45.123456Z\"");
  CHECK(time(-1, arrow::TimeUnit::NANO) == "\"1969-12-31T23:59:59.999999999Z\"");
  CHECK(time(-62'150'000'000, arrow::TimeUnit::SECOND) == "\"0000-07-18T07:06:40Z\"");
  CHECK(time(568'971'820'800, arrow::TimeUnit::SECOND) ==
        "\"20000-01-01T00:00:00Z\"");                         // ISO 8601: RFC 3339 has 4 digits
  CHECK(time(INT64_MAX / 2, arrow::TimeUnit::SECOND) != "");  // beyond any calendar: in some words, not a crash
  const auto date = [](int32_t days) {
    return json_of(array_of<arrow::Date32Builder, int32_t>(arrow::date32(), days));
  };
  CHECK(date(0) == "\"1970-01-01\"");
  CHECK(date(-1) == "\"1969-12-31\"");
  CHECK(date(INT32_MAX - 1) != "");
}

TEST_CASE("JSON writes infinite times as null") {
  for (const int64_t infinite : {INT64_MAX, -INT64_MAX}) {
    CHECK(json_of(array_of<arrow::TimestampBuilder, int64_t>(arrow::timestamp(arrow::TimeUnit::MICRO), infinite)) ==
          "null");
  }
  for (const int32_t infinite : {INT32_MAX, -INT32_MAX}) {
    CHECK(json_of(array_of<arrow::Date32Builder, int32_t>(arrow::date32(), infinite)) == "null");
  }
}

TEST_CASE("JSON writes half floats as numbers, durations as ISO 8601 and maps as lists of key and value") {
  CHECK(json_of(array_of<arrow::HalfFloatBuilder, uint16_t>(arrow::float16(), 0x3E00)) == "1.5");
  CHECK(json_of(array_of<arrow::HalfFloatBuilder, uint16_t>(arrow::float16(), 0x7C00)) == "null");  // infinity
  const auto duration = [](int64_t value, arrow::TimeUnit::type unit) {
    return json_of(array_of<arrow::DurationBuilder, int64_t>(arrow::duration(unit), value));
  };
  CHECK(duration(0, arrow::TimeUnit::SECOND) == "\"PT0S\"");
  CHECK(duration(90, arrow::TimeUnit::SECOND) == "\"PT90S\"");
  CHECK(duration(-1500, arrow::TimeUnit::MILLI) == "\"PT-1.5S\"");
  arrow::MonthDayNanoIntervalBuilder interval;
  check(interval.Append({14, -3, 1'000'000}));
  CHECK(json_of(check(interval.Finish())) == "\"P14M-3DT0.001S\"");
  auto keys = std::make_shared<arrow::StringBuilder>();
  auto values = std::make_shared<arrow::DoubleBuilder>();
  arrow::MapBuilder map(arrow::default_memory_pool(), keys, values);
  check(map.Append());
  check(keys->Append("a"));
  check(values->Append(std::nan("")));
  CHECK(json_of(check(map.Finish())) == "[{\"key\": \"a\", \"value\": null}]");
}

TEST_CASE("JSON writes binary as base64 and lists as arrays") {
  CHECK(json_of(array_of<arrow::BinaryBuilder, std::string>(arrow::binary(), std::string("\0\1\2", 3))) == "\"AAEC\"");
  CHECK(json_of(lists({{{1.5, std::nan(""), 3}}})) == "[1.5, null, 3]");
  CHECK(json_of(lists({{std::vector<double>{}}})) == "[]");
  CHECK(json_of(lists({std::nullopt})) == "null");
}

TEST_CASE("CSV quotes only where needed, and distinguishes null from empty text") {
  CHECK(encoded({{"id", texts({"plain", "a,b", "q\"q", "line\nbreak", "", std::nullopt})},
                 {"x,y", integers({1, 2, 3, 4, 5, 6})}},
                Encoding::Csv) == "id,\"x,y\"\nplain,1\n\"a,b\",2\n\"q\"\"q\",3\n\"line\nbreak\",4\n\"\",5\n,6\n");
  CHECK(encoded({{"x", lists({{{1, 2}}})}}, Encoding::Csv) == "x\n\"[1, 2]\"\n");
  CHECK(encoded({{"id", texts({})}}, Encoding::Csv) == "id\n");
}

TEST_CASE("CSV distinguishes NaN and infinities from null") {
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(encoded({{"x", reals({std::nan(""), inf, -inf, 0.5})}}, Encoding::Csv) == "x\nNaN\ninf\n-inf\n0.5\n");
  const auto time = array_of<arrow::TimestampBuilder, int64_t>(arrow::timestamp(arrow::TimeUnit::MICRO), -INT64_MAX);
  CHECK(encoded({{"t", time}}, Encoding::Csv) == "t\n-infinity\n");
}

TEST_CASE("a text table aligns columns, truncates long cells and shows null") {
  CHECK(encoded({{"id", texts({"a", std::nullopt})}, {"number", integers({1, 200})}}, Encoding::Table) ==
        "id    number\n----  ------\na          1\nnull     200\n");
  const std::string cut = encoded({{"id", texts({std::string(100, 'x')})}}, Encoding::Table);
  CHECK(has_text(cut, std::string(29, 'x') + "..."));
  CHECK_FALSE(has_text(cut, std::string(30, 'x')));
}

TEST_CASE("a text table never cuts a character and has one line per row") {
  std::string long_text;
  for (int i = 0; i < 40; ++i) long_text += "東";
  const std::string text = encoded({{"id", texts({long_text, "a\nb"})}}, Encoding::Table);
  CHECK(has_text(text, "東..."));
  CHECK(std::count(text.begin(), text.end(), '\n') == 4);
}

TEST_CASE("an encoded Parquet file is read back as the same table") {
  const NamedArrays columns{
      {"id", texts({"a", std::nullopt})}, {"type", texts({"FILE", "FILE"})}, {"x", lists({{{1, 2}}, std::nullopt})}};
  const std::string text = encoded(columns, Encoding::Parquet);
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  const auto level = level_of(Bytes(begin, begin + text.size()));
  CHECK(level->num_rows() == 2);
  CHECK(level->columns() == std::vector<Column>{{"id", "string"}, {"type", "string"}, {"x", "list<item: double>"}});
  CHECK(level->array(2, 0)->Equals(columns[2].second));
}

TEST_CASE("an output that throws stops every encoding, and its exception arrives") {
  struct Full : tabular::Output {
    void write(std::string_view) override { throw std::runtime_error("disk full"); }
  };
  for (const auto encoding : {Encoding::Table, Encoding::Csv, Encoding::Json, Encoding::Parquet}) {
    const auto table = table_of({{"id", texts({"a"})}});
    arrow::TableBatchReader batches(*table);
    Full out;
    CHECK_THROWS_WITH_AS(encode_batches(batches, encoding, out), "disk full", std::runtime_error);
  }
}

}  // namespace
