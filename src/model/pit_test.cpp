#include <doctest/doctest.h>

#include <random>
#include <string>

#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/pit_schema.hpp"

using namespace tacore;

namespace {

const std::string kDeep = R"({"root":{"n":20,"type":"FOLDER"},"hierarchy":{)"
                          R"("1":[{"n":40,"type":["FOLDER","FOLDER"],"id":["sensor_A","sensor_B"]}],)"
                          R"("2":[{"n":60,"type":["FILE","FILE","FILE"],"id":["R","G","B"]},)"
                          R"({"n":60,"type":["FILE"],"id":["pan"]}]}})";

std::string pit_error(const std::string& json) {
  return text_of<SchemaError>([&] { PitSchema::parse(json); });
}

/// A schema of one pattern at one level.
std::string with_pattern(const std::string& pattern, const std::string& level = "1") {
  return R"({"root":{"n":1,"type":"FOLDER"},"hierarchy":{")" + level + R"(":[)" + pattern + "]}}";
}

}  // namespace

TEST_CASE("a tree is read level by level") {
  const PitSchema pit = PitSchema::parse(kDeep);
  CHECK(pit.root_n == 20);
  CHECK(pit.root_type == SampleType::Folder);
  CHECK(pit.max_depth() == 2);
  REQUIRE(pit.hierarchy.at(2).size() == 2);
  CHECK(pit.hierarchy.at(1)[0] ==
        PitPattern{.n = 40, .type = {SampleType::Folder, SampleType::Folder}, .id = {"sensor_A", "sensor_B"}});
  CHECK(pit.hierarchy.at(2)[1].id == std::vector<std::string>{"pan"});
}

TEST_CASE("a flat tree has depth 0, and n is optional") {
  const PitSchema pit = PitSchema::parse(R"({"root":{"type":"FILE"},"hierarchy":{}})");
  CHECK(pit.root_n == 0);
  CHECK(pit.root_type == SampleType::File);
  CHECK(pit.max_depth() == 0);
  CHECK(pit == PitSchema{});
  const auto child = PitSchema::parse(with_pattern(R"({"type":["FILE"],"id":["a"]})"));
  CHECK(child.hierarchy.at(1)[0].n == 0);
}

TEST_CASE("to_json writes what parse reads") {
  CHECK(PitSchema::parse(kDeep).to_json() == kDeep);
  CHECK(PitSchema{}.to_json() == R"({"root":{"n":0,"type":"FILE"},"hierarchy":{}})");
  PitSchema odd = PitSchema::parse(kDeep);
  odd.hierarchy.at(1)[0].id[0] = "a \"quoted\" \\ \n \xc3\xa9";
  CHECK(PitSchema::parse(odd.to_json()) == odd);
}

TEST_CASE("malformed trees are schema errors that name the rule") {
  struct Case {
    std::string name;
    std::string json;
    const char* expected;
  };
  const std::string file = R"({"n":1,"type":["FILE"],"id":["a"]})";
  const auto root = [](const std::string& text) { return R"({"root":)" + text + R"(,"hierarchy":{}})"; };
  const Case cases[] = {
      {"not JSON", "{", "is not JSON"},
      {"empty", "", "is not JSON"},
      {"not an object", "[]", "is not an object"},
      {"no root", R"({"hierarchy":{}})", "missing required field 'root'"},
      {"null root", root("null"), "missing required field 'root'"},
      {"no hierarchy", R"({"root":{"n":1,"type":"FILE"}})", "missing required field 'hierarchy'"},
      {"root is text", root(R"("FILE")"), "root is not an object"},
      {"no root type", root(R"({"n":1})"), "missing required field 'type'"},
      {"root type", root(R"({"n":1,"type":"DIR"})"), "Invalid root type 'DIR'"},
      {"root type case", root(R"({"n":1,"type":"file"})"), "Invalid root type"},
      {"root type number", root(R"({"n":1,"type":3})"), "Invalid root type number"},
      {"negative n", root(R"({"n":-1,"type":"FILE"})"), "n is '-1', expected a whole number"},
      {"fraction n", root(R"({"n":1.5,"type":"FILE"})"), "n is '1.5'"},
      {"n beyond int64", root(R"({"n":9223372036854775808,"type":"FILE"})"), "n is '92233"},
      {"n beyond uint64", root(R"({"n":1e30,"type":"FILE"})"), "expected a whole number"},
      {"n is text", root(R"({"n":"1","type":"FILE"})"), "expected a whole number"},
      {"hierarchy is a list", R"({"root":{"type":"FILE"},"hierarchy":[]})", "hierarchy is not an object"},
      {"level is a word", with_pattern(file, "one"), "'one' must be numeric"},
      {"level is negative", with_pattern(file, "-1"), "must be numeric"},
      {"level is empty", with_pattern(file, ""), "must be numeric"},
      {"level 0", with_pattern(file, "0"), "'0' must be 1 to 5"},
      {"level 6", with_pattern(file, "6"), "'6' must be 1 to 5"},
      {"level 01", with_pattern(file, "01"), "must be 1 to 5"},
      {"level 99999999999", with_pattern(file, "99999999999"), "must be 1 to 5"},
      {"a gap", with_pattern(file, "2"), "has level 2 but not level 1"},
      {"no patterns", with_pattern(""), "pattern array empty"},
      {"patterns are no list", R"({"root":{"type":"FOLDER"},"hierarchy":{"1":{}}})", "is not an array of patterns"},
      {"pattern is text", with_pattern(R"("a")"), "is not an object"},
      {"no type", with_pattern(R"({"n":1,"id":["a"]})"), "missing required field 'type'"},
      {"no id", with_pattern(R"({"n":1,"type":["FILE"]})"), "missing required field 'id'"},
      {"type empty", with_pattern(R"({"n":1,"type":[],"id":["a"]})"), "type array empty"},
      {"id empty", with_pattern(R"({"n":1,"type":["FILE"],"id":[]})"), "id array empty"},
      {"lengths", with_pattern(R"({"n":1,"type":["FILE"],"id":["a","b"]})"),
       "type and id arrays differ in length: 1 and 2"},
      {"child type", with_pattern(R"({"n":1,"type":["DIR"],"id":["a"]})"), "invalid type 'DIR'"},
      {"child type null", with_pattern(R"({"n":1,"type":[null],"id":["a"]})"), "invalid type null"},
      {"type is text", with_pattern(R"({"n":1,"type":"FILE","id":["a"]})"), "is not an array"},
      {"id is a number", with_pattern(R"({"n":1,"type":["FILE"],"id":[7]})"), "id is number, expected a string"},
      {"child n", with_pattern(R"({"n":-3,"type":["FILE"],"id":["a"]})"), "n is '-3'"},
      {"too deep", std::string(100'000, '['), "nested deeper than 64"},
      {"not UTF-8", root("{\"type\":\"\xff\"}"), "is not JSON"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const auto error = pit_error(c.json);
    CAPTURE(error);
    CHECK(error.find("taco:pit_schema") == 0);
    CHECK(has_text(error, c.expected));
  }
}

TEST_CASE("compatible trees may differ only in n") {
  const PitSchema a = PitSchema::parse(kDeep);
  PitSchema b = a.with_n(3);
  b.hierarchy.at(2)[0].n = 1;
  CHECK(a.is_compatible(b));
  CHECK(b.is_compatible(a));

  const auto differs = [&](auto change) {
    PitSchema other = a;
    change(other);
    return !a.is_compatible(other) && !other.is_compatible(a);
  };
  CHECK(differs([](PitSchema& p) { p.root_type = SampleType::File; }));
  CHECK(differs([](PitSchema& p) { p.hierarchy.erase(2); }));
  CHECK(differs([](PitSchema& p) { p.hierarchy[3] = p.hierarchy[2]; }));
  CHECK(differs([](PitSchema& p) { p.hierarchy.at(2).pop_back(); }));
  CHECK(differs([](PitSchema& p) { std::swap(p.hierarchy.at(2)[0], p.hierarchy.at(2)[1]); }));
  CHECK(differs([](PitSchema& p) { std::swap(p.hierarchy.at(2)[0].id[0], p.hierarchy.at(2)[0].id[1]); }));
  CHECK(differs([](PitSchema& p) { p.hierarchy.at(1)[0].type[0] = SampleType::File; }));
}

TEST_CASE("with_n changes the root of a copy") {
  const PitSchema a = PitSchema::parse(kDeep);
  const PitSchema b = a.with_n(7);
  CHECK(a.root_n == 20);
  CHECK(b.root_n == 7);
  CHECK(b.hierarchy == a.hierarchy);
}

TEST_CASE("sample types have the spelling of the specification") {
  CHECK(std::string(to_string(SampleType::File)) == "FILE");
  CHECK(std::string(to_string(SampleType::Folder)) == "FOLDER");
}

TEST_CASE("any mutation of a tree is parsed or a SchemaError") {
  std::mt19937 random(11);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string json = kDeep;
    for (int changes = 1 + i % 4; changes > 0; --changes) {
      const auto at = random() % json.size();
      if (random() % 4 == 0) {
        json.erase(at, random() % 8);
      } else {
        json[at] = random() % 3 == 0 ? static_cast<char>(random()) : "{}[],:\"-019"[random() % 11];
      }
      if (json.empty()) json = "0";
    }
    try {
      const PitSchema pit = PitSchema::parse(json);
      CHECK(PitSchema::parse(pit.to_json()) == pit);
    } catch (const SchemaError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}
