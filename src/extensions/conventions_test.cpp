#include "extensions/conventions.hpp"

#include <doctest/doctest.h>

#include "extensions/columns.hpp"
#include "model/wkb_centroid.hpp"
#include "tacore/error.hpp"

using namespace tacore;
using namespace tacore::extensions;

namespace {

using Faults = std::vector<std::string>;
using Row = std::vector<Value>;

std::vector<std::string> names_and_types(Convention convention) {
  std::vector<std::string> out;
  for (const auto& field : schema_of(extension_of(convention))) out.push_back(field.name + " " + field.type);
  return out;
}

/// A dataset of these samples, with these children.
DatasetShape dataset_of(Convention convention, const std::vector<Row>& samples,
                        std::vector<std::vector<std::string>> child_ids = {}) {
  DatasetShape out = {.fields = schema_of(extension_of(convention)), .child_ids = std::move(child_ids)};
  for (std::size_t row = 0; row < samples.size(); ++row) {
    out.samples.push_back("s" + std::to_string(row));
    for (std::size_t i = 0; i < out.fields.size(); ++i) out.columns[out.fields[i].name].push_back(samples[row][i]);
  }
  return out;
}

Binary outline() {
  const std::vector<Centroid> corners = {{0, 0}, {1, 0}, {1, 1}};
  return {wkb_polygon(corners)};
}

Timestamp at(int64_t microseconds) { return {microseconds}; }

const std::vector<std::vector<std::string>> kMethaneChildren = {
    {"emission", "background", "cloudmask", "ch4", "plume"}};

}  // namespace

TEST_CASE("methane has its columns in order") {
  CHECK(names_and_types(Convention::Methane) ==
        std::vector<std::string>{"methane:isplume bool", "methane:ch4_fluxrate double",
                                 "methane:ch4_fluxrate_std double", "methane:wind_u double", "methane:wind_v double",
                                 "methane:wind_source string", "methane:sector string", "methane:offshore bool",
                                 "plume:geometry binary"});
  const Methane methane(
      {.isplume = true, .ch4_fluxrate = 1500., .wind_u = -2.5, .offshore = false, .plume_geometry = outline()});
  CHECK(methane.values() == std::vector<Value>{true, 1500., {}, -2.5, {}, {}, {}, false, outline()});
}

TEST_CASE("flood has its columns in order, and four classes") {
  CHECK(names_and_types(Convention::Flood) ==
        std::vector<std::string>{"flood:event_id string", "flood:event_time timestamp[us]", "flood:source string",
                                 "flood:water_fraction double", "flood:permanent_water_fraction double",
                                 "flood:cloud_fraction double"});
  const Flood flood({.event_id = "EMSR1", .event_time = at(5), .water_fraction = 0.25, .cloud_fraction = 1.});
  CHECK(flood.values() == std::vector<Value>{"EMSR1", at(5), {}, 0.25, {}, 1.});
  const auto labels = flood_labels().values();
  CHECK(labels[2] == Value(4));
  const auto& water = *(*labels[0].get<Value::List>())[2].get<Struct>();
  CHECK(water[0].second == Value("water"));
  CHECK(water[1].second == Value("2"));
}

TEST_CASE("the change convention has both times, land cover the fraction of each class") {
  CHECK(names_and_types(Convention::Change) ==
        std::vector<std::string>{"change:time_before timestamp[us]", "change:time_after timestamp[us]"});
  CHECK(Change({.time_before = at(1), .time_after = at(2)}).values() == std::vector<Value>{at(1), at(2)});
  CHECK(names_and_types(Convention::LandCover) == std::vector<std::string>{"landcover:fractions list<item: double>"});
  CHECK(LandCover({.fractions = {{0.25, 0.75}}}).values() == Row(1, Value::List{0.25, 0.75}));
  CHECK(LandCover({}).values() == std::vector<Value>(1));
}

TEST_CASE("constructors refuse what the task does not allow") {
  CHECK_THROWS_WITH_AS(Methane({.ch4_fluxrate = -1.}), doctest::Contains("methane:ch4_fluxrate is -1"), SchemaError);
  CHECK_THROWS_WITH_AS(Methane({.wind_v = 1e308 * 10}), doctest::Contains("methane:wind_v is not finite"), SchemaError);
  CHECK_THROWS_WITH_AS(Methane({.plume_geometry = Binary{"junk"}}), doctest::Contains("plume:geometry is not WKB"),
                       SchemaError);
  CHECK_THROWS_WITH_AS(Flood({}), doctest::Contains("flood:event_id is empty"), SchemaError);
  CHECK_THROWS_WITH_AS(Flood({.event_id = "e", .cloud_fraction = 1.5}), doctest::Contains("expected 0 to 1"),
                       SchemaError);
  CHECK_THROWS_WITH_AS(Change({.time_before = at(2), .time_after = at(2)}), doctest::Contains("is not before"),
                       SchemaError);
  CHECK_THROWS_WITH_AS(LandCover({.fractions = {{0.5, 0.4}}}), doctest::Contains("expected 1"), SchemaError);
  CHECK_THROWS_WITH_AS(LandCover({.fractions = {{1.5, -0.5}}}), doctest::Contains("outside 0 to 1"), SchemaError);
}

TEST_CASE("a dataset made with the constructors follows its convention") {
  CHECK(faults_of(Convention::Methane, dataset_of(Convention::Methane, {Methane({.isplume = true}).values()},
                                                  kMethaneChildren)) == Faults{});
  CHECK(faults_of(Convention::Flood, dataset_of(Convention::Flood, {Flood({.event_id = "a"}).values()})) == Faults{});
  CHECK(faults_of(Convention::Change, dataset_of(Convention::Change,
                                                 {Change({.time_before = at(1), .time_after = at(2)}).values(),
                                                  Change({.time_before = at(1), .time_after = at(3)}).values()},
                                                 {{"label", "imagery", "label", "imagery"},
                                                  {"before", "after", "before", "after"}})) == Faults{});
  CHECK(faults_of(
            Convention::LandCover,
            dataset_of(Convention::LandCover, {LandCover({.fractions = {{1., 0.}}}).values(), LandCover({}).values()},
                       {{"image", "target", "image", "target", "extra"}})) == Faults{});
}

TEST_CASE("missing columns and wrong types are listed") {
  auto dataset = dataset_of(Convention::Change, {Change({.time_before = at(1), .time_after = at(2)}).values()},
                            {{"label", "imagery"}, {"before", "after"}});
  dataset.fields[0].type = "int64";
  dataset.fields.pop_back();
  dataset.columns.erase("change:time_after");
  CHECK(faults_of(Convention::Change, dataset) == Faults{"change:time_before is int64, expected timestamp[us]",
                                                         "there is no column change:time_after (timestamp[us])"});
}

TEST_CASE("all invalid values are listed with their samples") {
  CHECK(faults_of(Convention::Flood,
                  dataset_of(Convention::Flood,
                             {{"a", {}, {}, 2., {}, {}}, {{}, {}, {}, {}, -1., {}}, {"c", {}, {}, 0., 0., 0.}})) ==
        Faults{"sample 's0': flood:water_fraction is 2.000000, expected 0 to 1", "sample 's1': flood:event_id is empty",
               "sample 's1': flood:permanent_water_fraction is -1.000000, expected 0 to 1"});
  CHECK(faults_of(Convention::LandCover,
                  dataset_of(Convention::LandCover, {Row(1, Value::List{1.}), Row(1, Value::List{0.5, 0.5})},
                             {{"image", "target", "image", "target"}})) ==
        Faults{"sample 's1': landcover:fractions has 2 classes, others have 1"});
  CHECK(faults_of(Convention::Change,
                  dataset_of(Convention::Change, {{at(3), at(2)}, {{}, at(2)}},
                             {{"label", "imagery", "label", "imagery"}, {"before", "after", "before", "after"}})) ==
        Faults{"sample 's0': change:time_before (1970-01-01T00:00:00.000003Z) is not before change:time_after "
               "(1970-01-01T00:00:00.000002Z)",
               "sample 's1': change:time_before is null, expected a value"});
}

TEST_CASE("missing children are listed by level") {
  CHECK(faults_of(Convention::Methane, dataset_of(Convention::Methane, {Methane({}).values(), Methane({}).values()},
                                                  {{"emission", "background", "cloudmask", "ch4", "plume", "emission",
                                                    "background", "cloudmask", "ch4"}})) ==
        Faults{"level 1: 1 of 2 samples have a child plume"});
  CHECK(faults_of(Convention::Change,
                  dataset_of(Convention::Change, {Change({.time_before = at(1), .time_after = at(2)}).values()},
                             {{"label", "imagery"}})) ==
        Faults{"level 2: 0 of 1 samples have a child before", "level 2: 0 of 1 samples have a child after"});
}
