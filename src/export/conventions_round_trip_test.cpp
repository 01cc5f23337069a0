#include <doctest/doctest.h>

#include <algorithm>

#include "support/support.hpp"
#include "support/temporary_folder.hpp"
#include "tacore/dataset.hpp"
#include "tacore/extensions/conventions.hpp"
#include "tacore/write/create.hpp"

// What the conventions for common tasks state of a sample, written and read back.
namespace {

using namespace tacore;
using namespace tacore::extensions;

Sample folder(const std::string& id, const Strings& names) {
  std::vector<Sample> children;
  for (const auto& name : names) children.emplace_back(name, Bytes(3));
  return {id, Tortilla(std::move(children))};
}

Dataset written(Sample sample, const ConventionColumns& columns, Convention convention,
                const Labels* labels = nullptr) {
  static const TemporaryFolder place;
  const std::string path = place.path("convention.tacozip");
  sample.extend_with(columns);
  Taco taco{Tortilla({std::move(sample)}),
            {.id = "x", .dataset_version = "1", .description = "d", .licenses = {"MIT"}}};
  taco.collection.providers = {{.name = "p"}};
  taco.collection.tasks = {"other"};
  if (labels) taco.extend_with(*labels);
  CHECK(check_convention(convention, taco).empty());
  create(taco, path, {.output = {.overwrite = true}});
  return load(path);
}

/// `name type value` of each column of a family, in order.
Strings columns(const Dataset& dataset, const std::string& family) {
  const DataFrame rows = dataset.data();
  Strings out;
  for (const auto& column : rows.columns()) {
    if (!column.name.starts_with(family)) continue;
    out.push_back(column.name.substr(column.name.find(':') + 1) + " " + column.type + " " +
                  rows.text(0, column.name).value_or("null"));
  }
  return out;
}

TEST_CASE("land cover: image, target, classes and their fractions survive a round trip") {
  const Labels labels({{.name = "water", .category = "0"}, {.name = "land", .category = "1"}});
  const Dataset dataset =
      written(folder("a", {"image", "target"}), LandCover({.fractions = std::vector<double>{0.25, 0.75}}),
              Convention::LandCover, &labels);
  CHECK(columns(dataset, "landcover:") == Strings{"fractions list<item: double> [0.25, 0.75]"});
  CHECK(has_text(dataset.collection().json, R"("labels:classes")"));
  CHECK(std::get<DataFrame>(dataset.data().read("a")).num_rows() == 2);
}

TEST_CASE("change detection: both images, the label and both times survive a round trip") {
  const Sample pair("a", Tortilla({folder("imagery", {"before", "after"}), Sample("label", Bytes(3))}));
  const Dataset dataset = written(
      pair, Change({Timestamp::parse("2023-02-01"), Timestamp::parse("2023-02-11T10:00:00Z")}), Convention::Change);
  CHECK(columns(dataset, "change:") ==
        Strings{"time_before timestamp[us] 2023-02-01T00:00:00Z", "time_after timestamp[us] 2023-02-11T10:00:00Z"});
  CHECK(dataset.data().read_bytes("a/imagery/after").size() == 3);
}

TEST_CASE("methane: all columns survive a round trip, unknown values as null") {
  const Dataset dataset = written(folder("a", {"emission", "background", "cloudmask", "ch4", "plume"}),
                                  Methane({.isplume = true,
                                           .ch4_fluxrate = 1200.5,
                                           .ch4_fluxrate_std = 80.0,
                                           .wind_u = 3.5,
                                           .wind_v = -1.0,
                                           .wind_source = "ERA5",
                                           .sector = "oil and gas",
                                           .offshore = false}),
                                  Convention::Methane);
  CHECK(columns(dataset, "methane:") ==
        Strings{"isplume bool true", "ch4_fluxrate double 1200.5", "ch4_fluxrate_std double 80", "wind_u double 3.5",
                "wind_v double -1", "wind_source string ERA5", "sector string oil and gas", "offshore bool false"});
  CHECK(columns(dataset, "plume:") == Strings{"geometry binary null"});
}

TEST_CASE("flood: event, fractions and classes survive a round trip") {
  const Labels labels = flood_labels();
  const Dataset dataset = written(Sample("a", Bytes(3)),
                                  Flood({.event_id = "EMSR600",
                                         .event_time = Timestamp::parse("2022-08-30"),
                                         .source = "Sentinel-1",
                                         .water_fraction = 0.4,
                                         .permanent_water_fraction = 0.1,
                                         .cloud_fraction = 0.0}),
                                  Convention::Flood, &labels);
  CHECK(columns(dataset, "flood:") ==
        Strings{"event_id string EMSR600", "event_time timestamp[us] 2022-08-30T00:00:00Z", "source string Sentinel-1",
                "water_fraction double 0.4", "permanent_water_fraction double 0.1", "cloud_fraction double 0"});
  for (const char* name : {"invalid", "land", "water", "cloud"}) {
    CHECK(has_text(dataset.collection().json, "\"name\": \"" + std::string(name) + "\""));
  }
}

TEST_CASE("a dataset without classes does not follow a convention that needs them") {
  const Taco taco{Tortilla({Sample("a", Bytes(3))})};
  const auto faults = check_convention(Convention::Flood, taco);
  CHECK(std::count(faults.begin(), faults.end(),
                   "the collection has no labels:classes; the extension Labels adds them") == 1);
}

}  // namespace
