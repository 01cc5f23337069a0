#include "tacore/extensions/constant.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <span>

#include "base/crc32.hpp"
#include "support/sample_data.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/optical_data.hpp"

using namespace tacore;
using namespace tacore::extensions;

namespace {

using Names = std::vector<std::string>;

Names names_of(const Value& bands) {
  Names out;
  for (const Value& band : *bands.get<Value::List>())
    out.push_back(*band.get<Struct>()->front().second.get<std::string>());
  return out;
}

}  // namespace

TEST_CASE("Scaling stores numbers as numbers, and both as lists when one of them is a list") {
  const Scaling plain({.scale_factor = 0.5, .scale_offset = -1.0});
  CHECK(names_and_types(plain.schema()) ==
        Names{"scaling:scale_factor float", "scaling:scale_offset float", "scaling:padding list<item: int32>"});
  CHECK(plain.values() == std::vector<Value>{0.5, -1.0, {}});
  const Scaling lists({.scale_factor = std::vector{0.5, -2.0}, .scale_offset = 3.0});
  CHECK(names_and_types(lists.schema())[0] == "scaling:scale_factor list<item: float>");
  CHECK(names_and_types(lists.schema())[1] == "scaling:scale_offset list<item: float>");
  CHECK(lists.values() == std::vector<Value>{Value::List{0.5, -2.0}, Value::List{3.0}, {}});
}

TEST_CASE("Scaling needs no argument, and stores null for what is not given") {
  CHECK(Scaling({}).values() == std::vector<Value>(3));
  CHECK(Scaling({.padding = {{1, 2, 3, 4}}}).values()[2] == Value(Value::List{1, 2, 3, 4}));
}

TEST_CASE("Scaling refuses factors of zero, numbers beyond float32 and paddings of other than four numbers") {
  const char* zero = "scale_factor cannot be zero";
  CHECK_THROWS_WITH_AS(Scaling({.scale_factor = 0.0}), zero, SchemaError);
  CHECK_THROWS_WITH_AS(Scaling({.scale_factor = 1e-60}), zero, SchemaError);
  CHECK_THROWS_WITH_AS(Scaling({.scale_factor = std::vector{1.0, 0.0}}), zero, SchemaError);
  CHECK_THROWS_WITH_AS(Scaling({.scale_offset = 1e60}), doctest::Contains("finite float"), SchemaError);
  CHECK_THROWS_WITH_AS(Scaling({.padding = {{1, 2, 3}}}), doctest::Contains("padding has 3 numbers, expected 4"),
                       SchemaError);
}

TEST_CASE("a split is 'train', 'test' or 'validation', in lower case") {
  for (const char* split : {"train", "test", "validation"}) CHECK(Split(split).values() == std::vector<Value>{split});
  CHECK(names_and_types(Split("test").schema()) == Names{"split string"});
  for (const char* split : {"Train", "val", "", "train "}) {
    CAPTURE(split);
    CHECK_THROWS_WITH_AS(Split{split}, doctest::Contains("expected one of train, test, validation"), SchemaError);
  }
}

TEST_CASE("labels count their classes and write categories as text") {
  const Labels labels({{.name = "water", .category = 1, .description = "open"}, {.name = "land", .category = "soil"}});
  CHECK(names_and_types(labels.schema()) ==
        Names{"labels:classes list<item: struct<name: string, category: string, description: string>>",
              "labels:description string", "labels:num_classes int32"});
  CHECK(labels.values() ==
        std::vector<Value>{Value::List{Struct{{"name", "water"}, {"category", "1"}, {"description", "open"}},
                                       Struct{{"name", "land"}, {"category", "soil"}, {"description", {}}}},
                           {},
                           2});
  CHECK(Labels({}, "nothing").values()[1] == Value("nothing"));
}

TEST_CASE("publications keep their order and may lack a summary") {
  const Publications publications(
      {{.doi = "10.1/a", .citation = "A"}, {.doi = "10.1/b", .citation = "B", .summary = "s"}});
  CHECK(names_and_types(publications.schema()) ==
        Names{"publications list<item: struct<doi: string, citation: string, summary: string>>"});
  CHECK(publications.values() ==
        std::vector<Value>(1, Value::List{Struct{{"doi", "10.1/a"}, {"citation", "A"}, {"summary", {}}},
                                          Struct{{"doi", "10.1/b"}, {"citation", "B"}, {"summary", "s"}}}));
}

TEST_CASE("a split strategy is one of six words") {
  for (const char* word : {"random", "stratified", "manual", "other", "none", "unknown"}) {
    CHECK(SplitStrategy(word).values() == std::vector<Value>{word});
  }
  CHECK(names_and_types(SplitStrategy("none").schema()) == Names{"split:strategy string"});
  CHECK_THROWS_WITH_AS(SplitStrategy{"Random"}, doctest::Contains("expected one of random, stratified"), SchemaError);
}

TEST_CASE("the 14 sensors and 138 bands equal the published tables") {
  CHECK(optical_sensors() == Names{"landsat1mss", "landsat2mss", "landsat3mss", "landsat4mss", "landsat5mss",
                                   "landsat4tm", "landsat5tm", "landsat7etm", "landsat8oli", "landsat9oli",
                                   "sentinel2msi", "eo1ali", "aster", "modis"});
  std::string text;
  int count = 0;
  for (const std::string& sensor : optical_sensors()) {
    for (const SpectralBand& band : optical_bands(sensor)) {
      char numbers[64];
      std::snprintf(numbers, sizeof numbers, "|%.10g|%.10g\n", *band.center_wavelength, *band.full_width_half_max);
      text += sensor + '|' + std::to_string(*band.index) + '|' + band.name + '|' + *band.common_name + '|' +
              *band.description + numbers;
      CHECK_FALSE(band.unit);
      ++count;
    }
  }
  CHECK(count == 138);
  // Of the same text, made by Python from the published tables.
  CHECK(crc32(std::as_bytes(std::span(text))) == 0x45a1f377);
}

TEST_CASE("a sensor fills in its bands, or the requested ones, in that order") {
  const OpticalData all({.sensor = "sentinel2msi"});
  CHECK(names_and_types(all.schema())[0] == "optical:sensor string");
  CHECK(names_and_types(all.schema())[1].starts_with("optical:bands list<item: struct<name: string, index: int32,"));
  CHECK(names_and_types(all.schema())[2] == "optical:num_bands int32");
  CHECK(all.values()[2] == Value(13));
  const auto some = OpticalData({.sensor = " Sentinel2MSI [ B04,B03 , B02 ]"}).values();
  CHECK(some[0] == Value("sentinel2msi"));
  CHECK(names_of(some[1]) == Names{"B04", "B03", "B02"});
  // The index stays that of the sensor.
  CHECK((*(*some[1].get<Value::List>())[0].get<Struct>())[1].second == Value(3));
  CHECK(some[2] == Value(3));
}

TEST_CASE("custom bands need the name of a sensor, which may be any") {
  const auto own = OpticalData({.sensor = "cubesat 7", .bands = {{.name = "pan"}}}).values();
  CHECK(own[0] == Value("cubesat 7"));
  CHECK(names_of(own[1]) == Names{"pan"});
  CHECK_THROWS_WITH_AS(OpticalData({.bands = {{.name = "pan"}}}),
                       doctest::Contains("Sensor must be specified when bands are provided"), SchemaError);
  CHECK_THROWS_WITH_AS(OpticalData({}), doctest::Contains("Either bands or sensor must be provided"), SchemaError);
}

TEST_CASE("unknown sensors and bands are refused with a list of the known ones") {
  CHECK_THROWS_WITH_AS(OpticalData({.sensor = "xsentinel2msi"}), doctest::Contains("expected one of landsat1mss"),
                       SchemaError);
  CHECK_THROWS_WITH_AS(OpticalData({.sensor = "landsat4tm[B02,B99]"}),
                       doctest::Contains("band 'B99': landsat4tm has B01, B02"), SchemaError);
  CHECK_THROWS_AS(OpticalData({.sensor = "landsat4tm[]"}), SchemaError);
  CHECK_THROWS_WITH_AS(OpticalData({.sensor = "landsat4tm[B02"}), doctest::Contains("expected ]"), SchemaError);
}

TEST_CASE("the responsible-use statement has eleven texts, null where omitted") {
  const RaiStatement statement({.data_biases = "few at sea", .data_release_maintenance_plan = "yearly"});
  REQUIRE(statement.schema().size() == 11);
  Names names;
  for (const auto& field : statement.schema()) names.push_back(field.name);
  CHECK(names == Names{"rai:data_collection", "rai:data_collection_type", "rai:data_collection_timeframe",
                       "rai:data_limitations", "rai:data_biases", "rai:personal_sensitive_information", "rai:use_cases",
                       "rai:data_preprocessing_protocol", "rai:data_annotation_protocol", "rai:annotation_platform",
                       "rai:data_release_maintenance_plan"});
  const auto values = statement.values();
  CHECK(values[4] == Value("few at sea"));
  CHECK(values[10] == Value("yearly"));
  CHECK(std::count(values.begin(), values.end(), Value()) == 9);
  CHECK_THROWS_WITH_AS(RaiStatement({}), doctest::Contains("none of its fields is set"), SchemaError);
}
