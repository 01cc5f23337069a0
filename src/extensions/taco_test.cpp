#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "support/sample_data.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"
#include "tacore/extensions/constant.hpp"
#include "tacore/write/create.hpp"

namespace {

using namespace tacore;

Collection collection() {
  Collection out{.id = "x", .dataset_version = "1", .description = "d", .licenses = {"MIT"}};
  out.providers = {{.name = "p"}};
  out.tasks = {"other"};
  return out;
}

TEST_CASE("members beyond the model are added, and replaced in place the second time") {
  Taco taco{Tortilla({file("a")}), collection()};
  taco.collection.json = R"({"note": 1.00, "id": "old"})";
  taco.extend_with("paper", "first");
  taco.extend_with("years", Value::List{2020, 2021.5, {}, true});
  taco.extend_with("paper", Struct{{"doi", "10.1/2"}, {"when", Timestamp::parse("2024-01-31")}});
  CHECK(taco.collection.json == R"({"note": 1.00,"id": "old","paper":{"doi":"10.1/2","when":"2024-01-31T00:00:00Z"},)"
                                R"("years":[2020,2021.5,null,true]})");
}

TEST_CASE("members of the model and binary values are refused, and nothing changes") {
  Taco taco{Tortilla({file("a")}), collection()};
  for (const char* key : {"id", "extent", "curators", "taco:pit_schema", "taco:sources", ""}) {
    CAPTURE(std::string(key));
    CHECK(has_text(error_of([&] { taco.extend_with(key, 1); }), "key '" + std::string(key) + "' is"));
  }
  CHECK(has_text(error_of([&] { taco.extend_with("k", Binary{"x"}); }), "key 'k' has binary data"));
  CHECK(has_text(error_of([&] { taco.extend_with("\xff", 1); }), "is not UTF-8"));
  CHECK(taco.collection.json.empty());
}

TEST_CASE("a dataset extension adds its members") {
  Taco taco{Tortilla({file("a")}), collection()};
  taco.extend_with(extensions::Labels({{.name = "cloud", .category = "1"}}, "what is seen"));
  CHECK(has_text(taco.collection.json, R"("labels:num_classes":1)"));
  CHECK(has_text(taco.collection.json, R"("labels:description":"what is seen")"));
}

TEST_CASE("validate tells all issues, counts and parts, and writes nothing") {
  Taco taco{Tortilla({folder("t", {"a", "b"}), folder("u", {"a"})}), {}};
  const PlanCheck bad = check_plan(taco, "/nowhere/DATA", {.output = {.parquet = {.compression = "zip"}}});
  const auto told = [&](const char* part) {
    return std::count_if(bad.issues.begin(), bad.issues.end(),
                         [&](const auto& issue) { return has_text(issue, part); });
  };
  CHECK(told("reserved for a folder inside of a dataset") == 1);
  CHECK(told("the collection: ") >= 5);
  CHECK(told("PIT violation") == 1);
  CHECK(told("zip") == 1);
  CHECK(bad.num_samples == 5);
  CHECK(bad.num_bytes == 3);
  CHECK(bad.parts.empty());

  const Taco good{Tortilla({file("a"), file("b"), file("c")}), collection()};
  const PlanCheck split = check_plan(good, "/nowhere/x.tacozip", {.split_size = 2});
  CHECK(split.issues.empty());
  CHECK(split.parts == Strings{"/nowhere/x_part0001.tacozip", "/nowhere/x_part0002.tacozip"});
}

TEST_CASE("an output without a name is refused before anything is written") {
  const Taco taco{Tortilla({file("a")}), collection()};
  for (const std::string& output : {std::string(), std::string("a\0b", 3)}) {
    CHECK_THROWS_AS(create(taco, output), ValidationError);
    CHECK(check_plan(taco, output).issues.size() == 1);
  }
}

TEST_CASE("overwrite replaces datasets and empty folders, never a folder with other files") {
  const TemporaryFolder place;
  const std::filesystem::path folder = place.path();
  const Taco taco{Tortilla({file("a")}), collection()};
  const CreateOptions overwrite{.output = {.overwrite = true}};
  CHECK(create(taco, folder.string(), overwrite) == Strings{folder.string()});
  CHECK(create(taco, folder.string(), overwrite) == Strings{folder.string()});
  std::filesystem::remove(folder / "COLLECTION.json");
  CHECK(check_plan(taco, folder.string(), overwrite).issues.size() == 1);
  CHECK_THROWS_AS(create(taco, folder.string(), overwrite), ValidationError);
  CHECK(std::filesystem::exists(folder / "DATA" / "a"));
}

TEST_CASE("field names that differ in case only are refused, against the reserved fields as well") {
  const auto issues = [](const char* a, const char* b) {
    return check_plan({Tortilla({file("x", {{a, 1}, {b, 2}})}), collection()}, "/nowhere/x").issues;
  };
  CHECK(issues("k", "k2").empty());
  CHECK(issues("k", "K") ==
        Strings{"level 0 has fields 'k' and 'K', which differ in case only; SQL takes them for one"});
  CHECK(issues("a", "ID") ==
        Strings{"level 0 has fields 'id' and 'ID', which differ in case only; SQL takes them for one"});
}

TEST_CASE("make_compliant pads missing children and reports it") {
  const Taco regular{Tortilla({folder("t", {"a", "b"})}), collection()};
  CHECK(make_compliant(regular).changes.empty());
  const Compliant padded = make_compliant({Tortilla({folder("t", {"a", "b"}), folder("u", {"a"})}), collection()});
  CHECK(padded.changes == Strings{"1 sample of padding was added for missing children at level 1"});
  CHECK(padded.taco.tortilla.ids(1) == Strings{"a", "b", "a", "__TACOPAD__1"});
  CHECK(check_plan(padded.taco, "/nowhere/x").issues.empty());
}

TEST_CASE("make_compliant orders children whose orders contradict each other") {
  const Compliant sorted = make_compliant({Tortilla({folder("t", {"a", "b"}), folder("s", {"b", "a"})}), collection()});
  CHECK(sorted.changes == Strings{"children are sorted by their ids, in code-point order"});
  CHECK(sorted.taco.tortilla.ids(0) == Strings{"t", "s"});
  CHECK(sorted.taco.tortilla.ids(1) == Strings{"a", "b", "a", "b"});
}

TEST_CASE("make_compliant refuses trees that it cannot repair") {
  const Taco mixed{Tortilla({Sample("t", Tortilla({file("a")})), file("f")}), collection()};
  CHECK(has_text(error_of([&] { make_compliant(mixed); }), "roots of one type"));
}

}  // namespace
