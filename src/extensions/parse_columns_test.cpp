#include <doctest/doctest.h>

#include "support/sample_data.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/constant.hpp"
#include "tacore/extensions/conventions.hpp"
#include "tacore/extensions/optical_data.hpp"

using namespace tacore;
using namespace tacore::extensions;

namespace {

/// The values of columns from text; also checks that their names and types are those of `same`.
template <class Extension>
std::vector<Value> parsed(const char* name, const char* text, const Extension& same) {
  std::vector<Value> out;
  std::vector<FieldDescription> schema;
  for (const auto& column : parse_columns(name, text)) {
    out.push_back(column.value);
    schema.push_back({column.key, column.type, column.description});
  }
  CHECK(names_and_types(schema) == names_and_types(same.schema()));
  return out;
}

}  // namespace

TEST_CASE("columns from text are those that the class of the extension makes") {
  CHECK(parsed("split", "train", Split("train")) == Split("train").values());
  CHECK(parsed("split_strategy", "random", SplitStrategy("random")) == SplitStrategy("random").values());
  const Scaling plain({.scale_factor = 0.0001});
  CHECK(parsed("scaling", "0.0001", plain) == plain.values());
  const Scaling bands({.scale_factor = std::vector{1.0, 2.0}, .scale_offset = -3.0, .padding = {{1, 2, 3, 4}}});
  const char* json = R"({"scale_offset": -3, "scale_factor": [1, 2], "padding": [1, 2, 3, 4]})";
  CHECK(parsed("scaling", json, bands) == bands.values());
  const Labels labels({{.name = "water", .category = 1}, {.name = "land", .category = "b", .description = "Dry"}}, "D");
  json = R"({"classes": [{"name": "water", "category": 1}, {"name": "land", "category": "b", "description": "Dry"}],
             "description": "D"})";
  CHECK(parsed("labels", json, labels) == labels.values());
  const Labels one({{.name = "water", .category = 1}});
  CHECK(parsed("labels", R"([{"name": "water", "category": 1}])", one) == one.values());
  const OpticalData optical({.sensor = "sentinel2msi[B04, B03]"});
  CHECK(parsed("optical_data", "sentinel2msi[B04, B03]", optical) == optical.values());
  const SpectralBand red{.name = "red", .index = 0, .center_wavelength = 665};
  const OpticalData own({.sensor = "drone", .bands = std::vector{red}});
  json = R"({"sensor": "drone", "bands": [{"name": "red", "index": 0, "center_wavelength": 665}]})";
  CHECK(parsed("optical_data", json, own) == own.values());
  const Publications papers(std::vector{Publication{.doi = "10.1/x", .citation = "Doe 2024"}});
  json = R"([{"doi": "10.1/x", "citation": "Doe 2024"}])";
  CHECK(parsed("publications", json, papers) == papers.values());
  const RaiStatement rai({.data_biases = "Few at sea"});
  CHECK(parsed("rai_statement", R"({"data_biases": "Few at sea"})", rai) == rai.values());
  const Change change({Timestamp::parse("2023-02-01"), Timestamp::parse("2023-02-11")});
  json = R"({"time_before": "2023-02-01", "time_after": "2023-02-11"})";
  CHECK(parsed("change", json, change) == change.values());
  const Methane methane({.isplume = true, .ch4_fluxrate = 5.0});
  CHECK(parsed("methane", R"({"isplume": true, "ch4_fluxrate": 5})", methane) == methane.values());
  const Flood flood({.event_id = "EMSR600", .water_fraction = 0.4});
  CHECK(parsed("flood", R"({"event_id": "EMSR600", "water_fraction": 0.4})", flood) == flood.values());
  const LandCover cover({.fractions = std::vector{0.25, 0.75}});
  CHECK(parsed("land_cover", "[0.25, 0.75]", cover) == cover.values());
}

TEST_CASE("the parameters of an extension are its columns without prefix, computed columns and geometries") {
  using Parameters = std::vector<std::string>;
  CHECK(names_and_types(extension_parameters("scaling")) == Parameters{"scale_factor float or list<item: float>",
                                                                       "scale_offset float or list<item: float>",
                                                                       "padding list<item: int32>"});
  CHECK(extension_parameters("labels").size() == 2);
  CHECK(extension_parameters("optical_data").size() == 2);
  CHECK(extension_parameters("methane").size() == 8);
  CHECK_THROWS_WITH_AS(extension_parameters("header"), "there is no built-in extension 'header'", SchemaError);
}

TEST_CASE("wrong text is refused with what was found and expected") {
  const auto fails = [](const char* name, const char* text, const char* message) {
    CHECK_THROWS_WITH_AS(parse_columns(name, text), doctest::Contains(message), SchemaError);
  };
  fails("split", "val", "split is 'val', expected one of train, test, validation");
  fails("scaling", "half", "scale_factor is string, expected a number");
  fails("scaling", R"({"factor": 1})", "unknown parameter 'factor', expected scale_factor, scale_offset, padding");
  fails("scaling", R"({"padding": [1]})", "padding has 1 numbers, expected 4");
  fails("scaling", R"({"padding": [1, 2, 3, -4]})", "padding has a number that is not from 0");
  fails("scaling", R"({"scale_factor": [1, null]})", "is null, expected a number");
  fails("scaling", R"({"scale_factor": 0})", "scale_factor cannot be zero");
  fails("scaling", R"({"scale_factor": 1)", "JSON");
  fails("labels", "water", "classes is string, expected an array");
  fails("labels", R"([{"name": "water"}])", "classes[0] lacks a name or a category");
  fails("labels", R"([{"name": "water", "class": 1}])", "unknown member 'class', expected name, category, description");
  fails("labels", R"({"description": "D"})", "classes is missing");
  fails("optical_data", "envisat", "Unsupported sensor 'envisat' without bands; expected one of");
  fails("change", "2023-02-01", "change:time_after is null");
  fails("change", R"({"time_before": "yesterday", "time_after": "2023-02-11"})", "yesterday");
  fails("methane", "maybe", "isplume is string, expected true or false");
  fails("flood", R"({"event_id": "a", "water_fraction": 2})", "expected 0 to 1");
  fails("rai_statement", "{}", "none of its fields is set");
}

TEST_CASE("extensions are listed, those of samples before those of COLLECTION.json") {
  const auto names = extension_names();
  CHECK(names.size() == 15);
  CHECK(std::is_partitioned(names.begin(), names.end(), [](const auto& name) { return !extends_collection(name); }));
  CHECK_FALSE(extends_collection("split"));
  CHECK(extends_collection("labels"));
  CHECK_THROWS_AS(extends_collection("header"), SchemaError);
}
