#include <doctest/doctest.h>

#include "support/sample_data.hpp"
#include "support/support.hpp"
#include "tacore/write/create.hpp"

namespace {

using namespace tacore;

/// Two samples with children, and a table of fields.
struct Described {
  explicit Described(const std::string& fields) {
    const Tortilla below({file("x", {{"label", 1}, {"height", 2.5}})});
    taco.tortilla = Tortilla({Sample("a", below, {{"label", 1}}), Sample("b", below, {{"label", 0}})});
    path = folder.write("fields.csv", fields);
  }

  /// "name: description" of the fields of a level.
  Strings descriptions(int level) const {
    Strings out;
    for (const auto& field : taco.tortilla.fields(level)) out.push_back(field.name + ": " + field.description);
    return out;
  }
  std::string refusal() {
    return text_of<SchemaError>([&] { taco.describe_fields(path); });
  }

  TemporaryFolder folder;
  std::string path;
  Taco taco{Tortilla({file("a")})};
};

TEST_CASE("a table describes columns at each level, with units and classes") {
  Described all(
      "name,description,unit,classes\nlabel,Land cover,,\"0=water; 1 = forest;\"\nheight,Height,m,\npath,File,,\n");
  all.taco.describe_fields(all.path);
  CHECK(all.descriptions(0) == Strings{"label: Land cover; 0 = water, 1 = forest"});
  CHECK(all.descriptions(1) == Strings{"label: Land cover; 0 = water, 1 = forest", "height: Height (m)"});
  CHECK(
      all.taco.collection.json ==
      R"({"labels:classes":[{"name":"water","category":"0","description":null},)"
      R"({"name":"forest","category":"1","description":null}],"labels:description":"Land cover","labels:num_classes":2})");
}

TEST_CASE("a table of fields may have other separators, only some columns, and numbers as units") {
  Described all("column;unit;classes\nheight;1;\nlabel;;\"1=forest\"\n");
  all.taco.collection.json = R"({"labels:classes": []})";
  all.taco.describe_fields(all.path);
  CHECK(all.descriptions(1) == Strings{"label: 1 = forest", "height: Unit: 1"});
  CHECK(all.taco.collection.json == R"({"labels:classes": []})");  // those that the collection has stay
}

TEST_CASE("classes of two columns are in their descriptions only") {
  Described all("name,classes\nheight,0=low;9=high\nlabel,1=forest\n");
  all.taco.describe_fields(all.path);
  CHECK(all.descriptions(1) == Strings{"label: 1 = forest", "height: 0 = low, 9 = high"});
  CHECK(all.taco.collection.json.empty());
}

TEST_CASE("faults of a table of fields are told by their lines, and nothing changes") {
  const struct {
    const char *text, *words;
  } cases[] = {
      {"name,descripton\nlabel,x\n",
       ": column 'descripton' is none of name, description, unit and classes; did you mean 'description'?"},
      {"description\nx\n", ": no column 'name': description"},
      {"name,description\nlabel,x\nlable,y\n",
       ": line 3 ('lable') is no column of the samples: label, height, id, type; did you mean 'label'?"},
      {"name,description\nlabel,x\nlabel,y\n", ": line 3 ('label') describes the column of line 2"},
      {"name,classes\nlabel,water\n",
       ": line 2 ('label') has a class 'water'; VALUE=NAME expected, separated by semicolons, such as "
       "0=water;1=forest"},
      {"name,classes\nlabel,0=a;0=b\n", ": line 2 ('label') has two classes of value '0'"},
      {"name,classes\nlabel,=a\nx,\n", ": 2 faults:\n  line 2 ('label') has a class '=a'; VALUE=NAME"},
  };
  for (const auto& each : cases) {
    CAPTURE(std::string(each.text));
    Described all(each.text);
    const std::string said = all.refusal();
    CAPTURE(said);
    CHECK(said.starts_with(all.path + each.words));
    CHECK(all.descriptions(0) == Strings{"label: "});
  }
}

}  // namespace
