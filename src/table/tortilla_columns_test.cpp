#include "table/tortilla_columns.hpp"

#include <arrow/array/builder_dict.h>
#include <arrow/array/builder_nested.h>
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "model/wkb_centroid.hpp"
#include "support/table_files.hpp"
#include "table/read_table.hpp"
#include "table/values.hpp"

namespace tacore {
namespace {

using Values = std::vector<Value>;
constexpr const char* kRaster = "stac:raster_shape";
constexpr const char* kTensor = "stac:tensor_shape";

Value list(Value::List items) { return items; }

Values cells(const std::shared_ptr<arrow::Table>& table, const std::string& name) {
  return read_values(*find_column(*table, name));
}

std::string type_of(const std::shared_ptr<arrow::Table>& table, const std::string& name) {
  return find_column(*table, name)->type()->ToString();
}

std::shared_ptr<arrow::Array> column(const Values& values, const std::string& type) {
  std::vector<const Value*> pointers;
  for (const auto& value : values) pointers.push_back(value.is_null() ? nullptr : &value);
  return make_array(pointers, parse_type(type));
}

std::shared_ptr<arrow::Table> from(const NamedArrays& columns) { return from_footer_columns(table_of(columns)); }

TEST_CASE("the v1 fields are mapped to the names, types and units of v2") {
  const auto level = from({{"tortilla:id", texts({"a", "b"})},
                           {"tortilla:file_format", texts({"GTiff", "BYTES"})},
                           {"tortilla:data_split", texts({"train", std::nullopt})},
                           {"tortilla:offset", integers({200, 210})},
                           {"tortilla:length", integers({10, 20})},
                           {"stac:crs", texts({"EPSG:32630", std::nullopt})},
                           {kRaster, column({list({4, 5}), {}}, "list<item: int32>")},
                           {"stac:time_start", integers({1'600'000'000, -1})},
                           {"stac:time_end", reals({1.5, std::nan("")})},
                           {"stac:centroid", texts({"POINT (-3.0 41.5)", std::nullopt})},
                           {"rai:ele", reals({12.0, std::nullopt})},
                           {"stats:mean", column({list({1.5}), {}}, "list<item: double>")},
                           {"cloud", reals({0.5, std::nan("")})},
                           {"__index_level_0__", integers({0, 1})}});
  CHECK(column_names(*level) == std::vector<std::string>{"tortilla:file_format", "split", "stac:crs", kTensor,
                                                         "stac:time_start", "stac:time_end", "stac:centroid",
                                                         "rai:elevation", "stats:mean", "cloud"});
  CHECK(cells(level, "split") == Values{"train", {}});
  CHECK(type_of(level, kTensor) == "list<item: int64>");
  CHECK(cells(level, kTensor) == Values{list({4, 5}), {}});
  CHECK(type_of(level, "stac:time_start") == "timestamp[us]");
  CHECK(cells(level, "stac:time_start") == Values{Timestamp{1'600'000'000'000'000}, Timestamp{-1'000'000}});
  CHECK(cells(level, "stac:time_end") == Values{Timestamp{1'500'000}, {}});
  CHECK(cells(level, "stac:centroid") == Values{Binary{wkb_point(-3, 41.5)}, {}});
  CHECK(type_of(level, "rai:elevation") == "int64");
  CHECK(cells(level, "rai:elevation") == Values{12, {}});
}

TEST_CASE("a v1 field column may be of null type, and use any list or text type") {
  arrow::StringDictionaryBuilder words;
  REQUIRE(words.Append("test").ok());
  arrow::LargeStringBuilder points;
  REQUIRE(points.Append("POINT(1 2)").ok());
  const auto level = from({{"tortilla:data_split", words.Finish().ValueOrDie()},
                           {"stac:time_start", column({Timestamp{5}}, "timestamp[us]")},
                           {"stac:time_end", column({{}}, "null")},
                           {"stac:geotransform", column({list({1, 2, 3, 4, 5, 6})}, "list<item: float>")},
                           {kTensor, column({list({3.0, 4.0, 5.0})}, "list<item: double>")},
                           {"stac:centroid", points.Finish().ValueOrDie()},
                           {"rai:elevation", reals({12.5})}});
  CHECK(cells(level, "split") == Values{"test"});
  CHECK(cells(level, "stac:time_start") == Values{Timestamp{5}});
  CHECK(type_of(level, "stac:time_end") == "timestamp[us]");
  CHECK(cells(level, "stac:time_end") == Values{{}});
  CHECK(cells(level, "stac:geotransform") == Values{list({1.0, 2.0, 3.0, 4.0, 5.0, 6.0})});
  CHECK(cells(level, kTensor) == Values{list({3, 4, 5})});
  CHECK(cells(level, "stac:centroid") == Values{Binary{wkb_point(1, 2)}});
  CHECK(cells(level, "rai:elevation") == Values{12.5});
  CHECK(cells(from({{"stac:centroid", column({list({1, 2}), {}}, "list<item: int64>")}}), "stac:centroid") ==
        Values{Binary{wkb_point(1, 2)}, {}});
  CHECK(from({{"tortilla:data_split", column({{}}, "null")}}) == nullptr);
  CHECK(from_footer_columns(nullptr) == nullptr);
}

TEST_CASE("a value that v2 cannot hold exactly is refused with its column and row") {
  const auto refused = [](const char* name, const std::shared_ptr<arrow::Array>& values, const char* why) {
    CAPTURE(name);
    CHECK_THROWS_WITH_AS(from({{name, values}}), doctest::Contains(why), SchemaError);
  };
  refused("stac:time_start", reals({1.0, 0.00000025}),
          "column 'stac:time_start', row 1: the time does not fit microseconds");
  refused("stac:time_end", reals({1e300}), "row 0: the time does not fit microseconds");
  refused("stac:time_end", reals({std::numeric_limits<double>::infinity()}),
          "row 0: the time does not fit microseconds");
  refused("stac:time_start", integers({INT64_MAX / 1'000'000 + 1}), "row 0: the time does not fit microseconds");
  refused("stac:time_start", texts({"2020"}), "has type string, seconds since 1970 expected");
  refused(kRaster, column({list({1.5, 2.0})}, "list<item: double>"), "column 'stac:raster_shape': ");
  refused(kRaster, texts({"4x5"}), "column 'stac:raster_shape': ");
  refused("stac:centroid", texts({std::nullopt, "POINT (1)"}), "row 1: expected a point of longitude");
  refused("stac:centroid", column({list({1, 2, 3})}, "list<item: int64>"), "row 0: expected a point of longitude");
  refused("stac:centroid", column({Binary{"no"}}, "binary"), "column 'stac:centroid', row 0: ");
  refused("stac:centroid", integers({1}), "has type int64, WKT expected");
  arrow::UInt64Builder builder;
  REQUIRE(builder.Append(uint64_t{1} << 63).ok());
  refused("stac:time_end", builder.Finish().ValueOrDie(), "row 0: the time does not fit microseconds");
}

TEST_CASE("names that v2 forbids or uses otherwise are escaped, and restored on the way back") {
  const std::vector<std::string> names = {"id",      "type",      "path", "split",           "cloud cover (%)",
                                          "a:b:c",   "v1:x",      "a_b",  "gr\u00f6\u00dfe", "\u00fc:a",
                                          "v1:_5Fx", "a b_\u00fc"};
  NamedArrays columns;
  for (std::size_t i = 0; i < names.size(); ++i) columns.emplace_back(names[i], integers({static_cast<int64_t>(i)}));
  const auto level = from(columns);
  CHECK(column_names(*level) == std::vector<std::string>{"v1:id", "v1:type", "v1:path", "v1:split",
                                                         "v1:cloud_20cover_20_28_25_29", "v1:a_3Ab_3Ac", "v1:v1_3Ax",
                                                         "a_b", "v1:gr\u00f6\u00dfe", "v1:\u00fc_3Aa", "v1:v1_3A_5F5Fx",
                                                         "v1:a_20b_5F\u00fc"});
  const auto back = to_footer_columns(level, kRaster);
  CHECK(column_names(*back) == names);
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(cells(back, names[i]) == Values{static_cast<int64_t>(i)});
}

TEST_CASE("of two columns with one meaning the specified one is mapped, and the other keeps its name") {
  const auto shape = column({list({1, 2})}, "list<item: int64>");
  const auto other = column({list({3, 4})}, "list<item: int64>");
  const auto level = from({{kRaster, other},
                           {kTensor, shape},
                           {"rai:ele", integers({1})},
                           {"rai:elevation", integers({2})},
                           {"split", texts({"mine"})},
                           {"tortilla:data_split", texts({"train"})}});
  CHECK(cells(level, kTensor) == Values{list({1, 2})});
  CHECK(cells(level, "v1:stac_3Araster_5Fshape") == Values{list({3, 4})});
  CHECK(cells(level, "rai:elevation") == Values{2});
  CHECK(cells(level, "split") == Values{"train"});
  const auto back = to_footer_columns(level, kTensor);
  CHECK(cells(back, kRaster) == Values{list({3, 4})});
  CHECK(cells(back, kTensor) == Values{list({1, 2})});
  CHECK(cells(back, "rai:ele") == Values{1});
  CHECK(cells(back, "split") == Values{"mine"});
  CHECK(cells(back, "tortilla:data_split") == Values{"train"});
  CHECK_THROWS_WITH_AS(to_footer_columns(level, kRaster), "two columns get the name 'stac:raster_shape'", SchemaError);
}

TEST_CASE("stac:raster_shape is added beside a stac:tensor_shape of more than two dimensions") {
  const NamedArrays stated{{kTensor, column({list({6, 64, 32}), {}}, "list<item: int64>")}};
  const auto tortilla = to_footer_columns(table_of(stated), kRaster);
  CHECK(cells(tortilla, kRaster) == Values{list({64, 32}), {}});
  CHECK(cells(tortilla, kTensor) == Values{list({6, 64, 32}), {}});
  CHECK(column_names(*to_footer_columns(table_of(stated), kTensor)) == std::vector<std::string>{kTensor});
  CHECK(column_names(*from_footer_columns(tortilla)) == std::vector<std::string>{kTensor});
}

TEST_CASE("values are unchanged from v1 to v2 and back") {
  const double nan = std::nan("");
  const std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> columns = {
      {"tortilla:file_format", texts({"GTiff", "TORTILLA", "BYTES", std::nullopt})},
      {"tortilla:data_split", texts({"train", "validation", "val", std::nullopt})},
      {kRaster, column({list({4, 5}), list({1, 1}), {}, list({0, 9})}, "list<item: int64>")},
      {"stac:time_start", integers({-86'400, 0, INT64_MAX / 1'000'000, std::nullopt})},
      {"stac:time_end", reals({-86'400.5, 0.000001, 1'700'000'000.123456, std::nullopt})},
      {"stac:centroid",
       texts({"POINT (-3.0 41.5)", "POINT (179.99999999999997 -0.0000001)", "POINT (0.1 1.0)", std::nullopt})},
      {"rai:elevation", integers({-430, 8848, 0, std::nullopt})},
      {"rai:cisi", reals({0.5, nan, 0, std::nullopt})},
      {"stats:mean", column({list({1.5, nan}), list({}), list({{}}), {}}, "list<item: double>")},
      {"n", column({1, 2, {}, -3}, "int32")},
      {"a note", texts({"", "\xc3\xbc", "x", std::nullopt})}};
  const auto back = to_footer_columns(from_footer_columns(table_of(columns)), kRaster);
  for (const auto& [name, values] : columns) {
    CAPTURE(name);
    const auto found = find_column(*back, name);
    CHECK(found->type()->Equals(values->type()));
    CHECK(found->Equals(*values, arrow::EqualOptions::Defaults().nans_equal(true)));
  }
  CHECK(back->num_columns() == static_cast<int>(columns.size()));
}

TEST_CASE("a two-dimensional shape gets its original v1 name back") {
  const auto flat = table_of({{kTensor, column({list({4, 5}), {}}, "list<item: int64>")}});
  CHECK(column_names(*to_footer_columns(flat, kRaster)) == std::vector<std::string>{kRaster});
  CHECK(column_names(*to_footer_columns(flat, kTensor)) == std::vector<std::string>{kTensor});
  const auto cube = table_of({{kTensor, column({list({3, 4, 5})}, "list<item: int64>")}});
  CHECK(column_names(*to_footer_columns(cube, kRaster)) == std::vector<std::string>{kRaster, kTensor});
  CHECK(to_footer_columns(nullptr, kRaster) == nullptr);
  CHECK(to_footer_columns(table_of({{"tortilla:offset", integers({1})}, {"internal:size", integers({1})}}), kRaster) ==
        nullptr);
}

TEST_CASE("what a v1 file cannot hold is refused") {
  const auto refused = [](const char* name, const std::shared_ptr<arrow::Array>& values, const char* why) {
    CHECK_THROWS_WITH_AS(to_footer_columns(table_of({{name, values}}), kTensor), doctest::Contains(why), SchemaError);
  };
  refused("stac:time_start", column({Timestamp{INT64_MAX}}, "timestamp[us]"), "does not fit floating-point seconds");
  refused("stac:centroid", column({Binary{"no"}}, "binary"), "column 'stac:centroid', row 0: WKB has");
}

}  // namespace
}  // namespace tacore
