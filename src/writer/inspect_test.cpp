#include "tacore/ops/inspect.hpp"

#include <arrow/c/abi.h>
#include <doctest/doctest.h>

#include "support/sample_data.hpp"

namespace {

using namespace tacore;

TEST_CASE("metadata are converted to a table and back") {
  const std::vector<MetadataColumn> columns{{"k", {1, {}}, "int16"}, {"t", {"a", "b"}}};
  ArrowArrayStream stream = {};
  export_metadata(columns, &stream);
  const auto again = read_metadata(&stream);
  CHECK(again[0].type == "int16");
  CHECK(again[0].values == columns[0].values);
  CHECK(again[1].type == "string");
  CHECK_THROWS_AS(export_metadata({{"k", {1}}, {"l", {1, 2}}}, &stream), SchemaError);
}

TEST_CASE("a FOLDER has children and metadata of its own") {
  const Tortilla pair({file("a", {{"x", 1}}), file("b", {{"x", 2}})});
  const Tortilla tree({Sample("f", pair, {{"k", 1, "", "Of f"}}), Sample("g", pair, {{"k", 2}})});
  CHECK(children(tree, 1).ids() == std::vector<std::string>{"a", "b"});
  CHECK(children(tree, 1).column("x") == std::vector<Value>{1, 2});
  CHECK(metadata(tree, 1).at(0).value == Value(2));
  CHECK(metadata(tree, 0).at(0).description == "Of f");
  CHECK_THROWS_AS(children(pair, 0), SchemaError);
  CHECK_THROWS_AS(children(tree, 2), SchemaError);
  CHECK_THROWS_AS(metadata(tree, -1), SchemaError);
}

TEST_CASE("all faults of the collection and of the tree are reported together") {
  Taco taco{.tortilla = Tortilla({Sample("f", Tortilla({file("a", {})})), file("b", {})})};
  taco.collection.id = "Upper";
  const auto faults = validation_errors(taco);
  CHECK(faults.size() > 2);
  CHECK(faults.front().starts_with("the collection: "));
  CHECK(compute_extent(taco.tortilla).spatial == BBox{-180, -90, 180, 90});
}

TEST_CASE("errors of a collection are those of its members; tasks and licences are listed") {
  Collection collection{.id = "chips",
                        .dataset_version = "1.0.0",
                        .description = "D",
                        .licenses = {"MIT"},
                        .providers = {{.name = "P"}},
                        .tasks = {"other"}};
  CHECK(validation_errors(collection).empty());
  collection.id = "Chips";
  collection.tasks = {"seg"};
  const auto faults = validation_errors(collection);
  REQUIRE(faults.size() == 2);
  CHECK(faults[0].starts_with("id is 'Chips', expected lowercase letters"));
  CHECK(faults[1].starts_with("tasks[0] is 'seg', expected one of regression, classification"));
  CHECK(known_tasks().size() == 21);
  const auto licences = known_licences();
  CHECK(std::ranges::count(licences, "CC-BY-4.0") == 1);
  CHECK(licences.size() > 600);
}

}  // namespace
