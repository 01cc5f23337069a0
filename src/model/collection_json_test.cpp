#include "model/collection_json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/collection_members.hpp"
#include "model/json_text.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

const std::string kPit = R"("taco:pit_schema":{"root":{"n":5,"type":"FILE"},"hierarchy":{}})";

/// The smallest collection with `more` members.
std::string with(const std::string& more) { return R"({"id":"x",)" + kPit + (more.empty() ? "" : ",") + more + "}"; }

Collection parse(const std::string& json) { return parse_collection(json, "a/COLLECTION.json"); }

template <class E = FormatError>
std::string error_of(const std::string& json) {
  try {
    parse(json);
  } catch (const E& error) {
    CHECK(error.context().path == "a/COLLECTION.json");
    return error.what();
  }
  return "";
}

const std::filesystem::path kGolden = std::filesystem::path(TACORE_SHARED_DIR) / "golden" / "v2";

bool same(const Contact& a, const Contact& b) {
  return std::tie(a.name, a.organization, a.email, a.role, a.roles, a.url) ==
         std::tie(b.name, b.organization, b.email, b.role, b.roles, b.url);
}
bool same(const Extent& a, const Extent& b) { return a.spatial == b.spatial && a.temporal == b.temporal; }
bool same(const Source& a, const Source& b) { return a.id == b.id && a.file == b.file && same(a.extent, b.extent); }
bool same(const FieldDescription& a, const FieldDescription& b) {
  return std::tie(a.name, a.type, a.description) == std::tie(b.name, b.type, b.description);
}
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}

/// Parsing what was encoded gives the collection again, and encoding that the same text.
void check_round_trip(const Collection& c) {
  const std::string text = encode_collection(c);
  CAPTURE(text);
  const Collection again = parse(text);
  CHECK(again.id == c.id);
  CHECK(again.dataset_version == c.dataset_version);
  CHECK(again.description == c.description);
  CHECK(again.licenses == c.licenses);
  CHECK(same(again.providers, c.providers));
  CHECK(again.tasks == c.tasks);
  CHECK(again.taco_version == (c.taco_version.empty() ? "2.0.0" : c.taco_version));
  CHECK(again.title == c.title);
  CHECK(again.curators.has_value() == c.curators.has_value());
  if (c.curators) CHECK(same(*again.curators, *c.curators));
  CHECK(again.keywords == c.keywords);
  CHECK(same(again.extent, {c.extent.spatial.value_or(BBox{}), c.extent.temporal}));
  CHECK(again.pit_schema == c.pit_schema);
  CHECK(again.field_schema.size() == c.field_schema.size());
  for (const auto& [level, fields] : c.field_schema) CHECK(same(again.field_schema.at(level), fields));
  CHECK(same(again.sources, c.sources));
  CHECK(encode_collection(again) == text);
}

/// The COLLECTION.json of an archive, which is its last entry, in the layout of its writers.
std::string read_entry(const std::filesystem::path& archive) {
  const std::string bytes = file_text(archive);
  const auto start = bytes.rfind("{\n    \"id\"");
  REQUIRE(start != std::string::npos);
  return bytes.substr(start, bytes.find("PK\x01\x02", start) - start);
}

/// The collection of every file below `folder` that is or holds one.
std::vector<std::string> collections_below(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".tacozip") out.push_back(read_entry(entry.path()));
    const auto name = entry.path().filename();
    if (name == "COLLECTION.json" || name == "TACOLLECTION.json") out.push_back(file_text(entry.path()));
  }
  return out;
}

/// Every member set, with text that JSON has to escape or keep.
Collection full() {
  Collection c;
  c.id = "full";
  c.dataset_version = "1.2";
  c.description = "a \"quoted\" \\ line\nand \xc3\xb1 \xf0\x9f\x8c\x8d \x01";
  c.licenses = {"MIT", "CC-BY-4.0"};
  c.providers = {{.name = "P", .organization = "O", .email = "p@o", .role = "host"},
                 {.name = "Q", .roles = {"host", "producer"}, .url = "https://q"}};
  c.tasks = {"regression"};
  c.taco_version = "2.0.1";
  c.title = "";
  c.curators = {{.organization = "C"}};
  c.keywords = {"k", ""};
  c.extent = {BBox{170, -0.1, -170, 1e-7}, TimeRange::parse("2023-01-01T00:00:00.5Z/..")};
  c.pit_schema = {.root_n = 2, .root_type = SampleType::Folder, .hierarchy = {}};
  c.pit_schema.hierarchy[1] = {{.n = 4, .type = {SampleType::File, SampleType::Folder}, .id = {"a", "b"}}};
  c.field_schema = {{"level0", {{"id", "string", "the \"id\""}, {"x", "list<item: double>", ""}}}, {"level1", {}}};
  c.sources = {{.id = "one", .file = "one.tacozip", .extent = {BBox{1, 2, 3, 4}, {}}},
               {.id = "", .file = "sub/two.tacozip", .extent = {{}, TimeRange::parse("../2023-01-01")}}};
  return c;
}

std::string encode_error(const Collection& c) {
  try {
    encode_collection(c);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

/// The text after `key` in the encoded form of a collection that was parsed from `json`.
bool writes(const std::string& json, const std::string& text) {
  return reformat_json(encode_collection(parse(json)), -1).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("absent and null members of a collection have the defaults of the reference implementation") {
  const std::string nulls =
      R"("dataset_version":null,"description":null,"licenses":null,"providers":null,"tasks":null,)"
      R"("taco_version":null,"title":null,"curators":null,"keywords":null,"extent":null,)"
      R"("taco:field_schema":null,"taco:sources":null)";
  for (const auto& json : {with(""), with(nulls)}) {
    const Collection c = parse(json);
    CHECK(c.id == "x");
    CHECK(c.dataset_version == "unknown");
    CHECK(c.description.empty());
    CHECK(c.licenses.empty());
    CHECK(c.providers.empty());
    CHECK(c.tasks.empty());
    CHECK(c.taco_version.empty());
    CHECK_FALSE(c.title);
    CHECK_FALSE(c.curators);
    CHECK_FALSE(c.keywords);
    CHECK_FALSE(c.extent.spatial);
    CHECK_FALSE(c.extent.temporal);
    CHECK(c.pit_schema.root_n == 5);
    CHECK(c.field_schema.empty());
    CHECK(c.sources.empty());
    CHECK(c.json == json);
  }
}

TEST_CASE("every known member is read and unknown ones are kept in the text") {
  const std::string json =
      with(R"("dataset_version":"1.2","description":"d","licenses":["MIT","CC-BY-4.0"],)"
           R"("providers":[{"name":"P","roles":["host"],"url":"https://p","links":null,"role":null}],)"
           R"("tasks":["regression"],"taco_version":"9.9","title":"T",)"
           R"("curators":[{"name":"C","organization":"O","email":"c@o","role":"r"}],)"
           R"("keywords":["k"],"extent":{"spatial":[170,-10,-170,10],)"
           R"("temporal":["2023-01-01T00:00:00Z","2023-02-01"]},)"
           R"("taco:field_schema":{"level0":[["id","string","the id"],["x","double"],)"
           R"(["y","bool",null]],"level1":[]},"labels:classes":{"a":[1,{}]})");
  const Collection c = parse(json);
  CHECK(c.dataset_version == "1.2");
  CHECK(c.licenses == std::vector<std::string>{"MIT", "CC-BY-4.0"});
  REQUIRE(c.providers.size() == 1);
  CHECK(c.providers[0].name == "P");
  CHECK(c.providers[0].roles == std::vector<std::string>{"host"});
  CHECK(c.providers[0].url == "https://p");
  CHECK(c.providers[0].role.empty());
  CHECK(c.tasks == std::vector<std::string>{"regression"});
  CHECK(c.taco_version == "9.9");
  CHECK(c.title == "T");
  REQUIRE(c.curators);
  CHECK(c.curators->at(0).organization == "O");
  CHECK(c.curators->at(0).email == "c@o");
  CHECK(c.curators->at(0).role == "r");
  CHECK(c.keywords == std::vector<std::string>{"k"});
  CHECK(c.extent.spatial == BBox{170, -10, -170, 10});
  REQUIRE(c.extent.temporal);
  CHECK(c.extent.temporal->start.to_string() == "2023-01-01T00:00:00Z");
  CHECK(c.extent.temporal->end.to_string() == "2023-02-01T23:59:59.999999Z");
  const auto& fields = c.field_schema.at("level0");
  REQUIRE(fields.size() == 3);
  CHECK(fields[0].description == "the id");
  CHECK(fields[1].type == "double");
  CHECK(fields[2].description.empty());
  CHECK(c.field_schema.at("level1").empty());
  CHECK(has_text(c.json, "labels:classes"));
}

TEST_CASE("the forms of list members in published datasets are parsed as lists") {
  CHECK(parse(with(R"("licenses":"MIT")")).licenses == std::vector<std::string>{"MIT"});
  CHECK(parse(with(R"("licenses":{"licenseList":[{"name":"MIT"},{"name":"ISC"}]})")).licenses ==
        std::vector<std::string>{"MIT", "ISC"});
  CHECK(parse(with(R"("licenses":[{"name":"MIT"},"ISC"])")).licenses.size() == 2);
  CHECK(parse(with(R"("tasks":"regression")")).tasks == std::vector<std::string>{"regression"});
  CHECK(parse(with(R"("keywords":"k")")).keywords == std::vector<std::string>{"k"});
  CHECK(parse(with(R"("providers":{"name":"P","roles":"host"})")).providers[0].roles ==
        std::vector<std::string>{"host"});
  CHECK(parse(with(R"("providers":["P"])")).providers[0].name == "P");
  CHECK(parse(with(R"("data_curator":{"name":"D"})")).curators->at(0).name == "D");
  for (const std::string email : {R"("email":"a@b")", R"("email":["a@b","c@d"])", R"("emails":["a@b"])",
                                  R"("emails":[{"value":"a@b","roles":["work"]}])", R"("email":null,"emails":"a@b")"}) {
    CAPTURE(email);
    CHECK(parse(with(R"("curators":[{)" + email + "}]")).curators->at(0).email == "a@b");
  }
  CHECK(parse(with(R"("id":"y")")).id == "y");  // of two equal keys the last one counts
}

TEST_CASE("an open end of the temporal extent is null") {
  const auto from = parse(with(R"("extent":{"temporal":["2023-01-01",null]})")).extent.temporal;
  REQUIRE(from);
  CHECK(from->start.to_string() == "2023-01-01T00:00:00Z");
  CHECK(from->end > Timestamp::parse("9999-12-31"));
  CHECK_FALSE(parse(with(R"("extent":{"temporal":[null,null]})")).extent.temporal);
  CHECK_FALSE(parse(with(R"("extent":{"temporal":[]})")).extent.temporal);
}

TEST_CASE("malformed collections are format errors that name the member") {
  struct Case {
    std::string name;
    std::string json;
    const char* expected;
  };
  const Case cases[] = {
      {"empty", "", "not JSON"},
      {"cut short", R"({"id":"x")", "not JSON: syntax error"},
      {"trailing comma", R"({"id":"x",})", "(byte 10)"},
      {"two documents", with("") + "{}", "not JSON"},
      {"comment", "// c\n" + with(""), "not JSON"},
      {"NaN", with(R"("a":NaN)"), "not JSON"},
      {"number too large", with(R"("a":1e999)"), "not JSON"},
      {"not UTF-8", with("\"title\":\"\xff\""), "not JSON"},
      {"UTF-16", std::string("\xff\xfe{\0}\0", 6), "not JSON"},
      {"too deep", std::string(1'000'000, '['), "nested deeper than 64 (byte 64)"},
      {"one too deep", with("\"a\":" + std::string(64, '[') + std::string(64, ']')), "nested deeper than 64"},
      {"a list", "[]", "the document is array, expected an object"},
      {"a string", "\"x\"", "expected an object"},
      {"no id", "{" + kPit + "}", "id is missing"},
      {"null id", R"({"id":null,)" + kPit + "}", "id is missing"},
      {"id is a number", R"({"id":3,)" + kPit + "}", "id is number, expected a string"},
      {"no pit", R"({"id":"x"})", "taco:pit_schema is missing"},
      {"version", with(R"("dataset_version":1.0)"), "dataset_version is number"},
      {"description", with(R"("description":[])"), "description is array"},
      {"title", with(R"("title":{})"), "title is object, expected a string"},
      {"licence", with(R"("licenses":[3])"), "licenses[0] is number"},
      {"licence without name", with(R"("licenses":[{}])"), "licenses[0].name is null"},
      {"provider", with(R"("providers":[7])"), "providers[0] is number, expected an object"},
      {"provider name", with(R"("providers":[{"name":1}])"), "providers[0].name is number"},
      {"curator email", with(R"("curators":[{"email":[1]}])"), "email[0] is number"},
      {"tasks", with(R"("tasks":["a",2])"), "tasks[1] is number"},
      {"extent", with(R"("extent":[1,2,3,4])"), "extent is array, expected an object"},
      {"spatial text", with(R"("extent":{"spatial":"globe"})"), "extent.spatial is string"},
      {"spatial count", with(R"("extent":{"spatial":[1,2,3]})"), "has 3 numbers, expected 4"},
      {"spatial member", with(R"("extent":{"spatial":[1,2,3,"4"]})"), "spatial[3] is string"},
      {"spatial order", with(R"("extent":{"spatial":[0,10,1,9]})"), "south beyond its north"},
      {"temporal text", with(R"("extent":{"temporal":"2023"})"), "extent.temporal is string"},
      {"temporal count", with(R"("extent":{"temporal":["2023-01-01"]})"), "has 1 times"},
      {"temporal form", with(R"("extent":{"temporal":["2023","2024"]})"), "expected YYYY-MM-DD"},
      {"temporal order", with(R"("extent":{"temporal":["2023-01-02","2023-01-01"]})"), "the start is after the end"},
      {"temporal slash", with(R"("extent":{"temporal":["2023-01-01/..","2023-01-01"]})"), "is an interval"},
      {"field schema", with(R"("taco:field_schema":[])"), "expected an object"},
      {"field level", with(R"("taco:field_schema":{"level0":3})"), "taco:field_schema.level0 is"},
      {"field row", with(R"("taco:field_schema":{"level0":[["id"]]})"), "level0[0] has 1 parts"},
      {"field name", with(R"("taco:field_schema":{"level0":[[1,"a"]]})"), "level0[0][0] is number"},
      {"sources", with(R"("taco:sources":[])"), "taco:sources is array"},
      {"file", with(R"("taco:sources":{"files":[1]})"), "taco:sources.files[0] is number"},
      {"count", with(R"("taco:sources":{"count":2,"files":["a"]})"), "count is 2, but files has 1"},
      {"count is text", with(R"("taco:sources":{"count":"1","files":["a"]})"), "count is string"},
      {"ids", with(R"("taco:sources":{"files":["a","b"],"ids":["x"]})"), "has 1 entries for 2"},
      {"extents", with(R"("taco:sources":{"files":[],"extents":[{}]})"), "belongs to none"},
      {"source extent", with(R"("taco:sources":{"files":["a"],"extents":[{"spatial":[1]}]})"),
       "taco:sources.extents[0].spatial has 1 numbers"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const auto error = error_of(c.json);
    CAPTURE(error);
    CHECK(error.find("a/COLLECTION.json: ") == 0);
    CHECK(has_text(error, c.expected));
    CHECK(error.size() < 400);
  }
}

TEST_CASE("a document may be nested 64 levels deep, and no deeper") {
  CHECK(parse(with("\"a\":" + std::string(63, '[') + std::string(63, ']'))).id == "x");
}

TEST_CASE("a malformed tree is a SchemaError with its path") {
  const auto error = error_of<SchemaError>(R"({"id":"x","taco:pit_schema":{"root":{"type":"DIR"},"hierarchy":{}}})");
  CHECK(error.find("a/COLLECTION.json: taco:pit_schema: Invalid root type 'DIR'") == 0);
}

TEST_CASE("a source outside the folder of the index is refused") {
  for (const std::string file : {"..", "../a.tacozip", "a/../../b", "/etc/passwd", "a\\\\b", "", "a//b", "C:\\\\a",
                                 "a\\u0000.tacozip", "a/", "./a", "http://x/y"}) {
    CAPTURE(file);
    const auto error = error_of(with(R"("taco:sources":{"files":[")" + file + R"("]})"));
    CHECK(has_text(error, "taco:sources.files[0] is "));
    CHECK(has_text(error, "not a path below the index"));
  }
  for (const std::string file : {"a.tacozip", "sub/a.tacozip", "..a", "a b.zip"}) {
    CAPTURE(file);
    CHECK(parse(with(R"("taco:sources":{"files":[")" + file + R"("]})")).sources.at(0).file == file);
  }
}

TEST_CASE("extents of sources are matched by file name, and by position where they have none") {
  const auto sources = parse(with(R"("taco:sources":{"count":3,"ids":["i","j","k"],)"
                                  R"("files":["a","b","c"],"extents":[)"
                                  R"({"file":"b","id":"j","spatial":[1,2,3,4]},)"
                                  R"(null,{"temporal":["2023-01-01","2023-01-02"]}]})"))
                           .sources;
  REQUIRE(sources.size() == 3);
  CHECK(sources[0].id == "i");
  CHECK_FALSE(sources[0].extent.spatial);
  CHECK(sources[1].extent.spatial == BBox{1, 2, 3, 4});
  CHECK(sources[2].extent.temporal);
  const auto bare = parse(with(R"("taco:sources":{"files":["a","b"],"ids":null,"extents":null})"));
  CHECK(bare.sources.size() == 2);
  CHECK(bare.sources[1].id.empty());
  const auto named = parse(with(R"("taco:sources":{"files":["a"],"extents":[{"id":"z"}]})"));
  CHECK(named.sources[0].id == "z");
}

TEST_CASE("published collections are read, and reformatting keeps their text" * doctest::test_suite("external")) {
  if (missing(kGolden)) return;
  int seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kGolden / "folder")) {
    CAPTURE(entry.path().filename().string());
    const auto text = file_text(entry.path() / "COLLECTION.json");
    const Collection c = parse_collection(text, "COLLECTION.json");
    CHECK_FALSE(c.id.empty());
    CHECK(c.dataset_version == "1.0.0");
    CHECK(c.licenses == std::vector<std::string>{"CC-BY-4.0"});
    CHECK(c.providers.at(0).name == "Test");
    CHECK(c.extent.spatial);
    CHECK(c.pit_schema.root_n > 0);
    CHECK(c.field_schema.at("level0").at(0).name == "id");
    CHECK(c.field_schema.size() == static_cast<std::size_t>(c.pit_schema.max_depth()) + 1);
    CHECK(PitSchema::parse(c.pit_schema.to_json()) == c.pit_schema);
    CHECK(reformat_json(text, 4) == text);
    CHECK(reformat_json(reformat_json(text, -1), 4) == text);
    ++seen;
  }
  CHECK(seen == 4);
}

TEST_CASE("a published TACOCAT lists its partitions" * doctest::test_suite("external")) {
  if (missing(kGolden)) return;
  const auto text = file_text(kGolden / "tacocat" / "deep" / ".tacocat" / "COLLECTION.json");
  const Collection c = parse_collection(text, "COLLECTION.json");
  REQUIRE(c.sources.size() == 2);
  CHECK(c.sources[0].file == "deep_part0001.tacozip");
  CHECK(c.sources[1].id == "test_dataset");
  CHECK(c.sources[1].extent.spatial == BBox{-0.35, -33.85, 151.2, 48.85});
  CHECK(c.sources[1].extent.temporal->end.to_string() == "2023-01-20T00:00:00Z");
  CHECK(c.pit_schema.max_depth() == 2);
}

TEST_CASE("reformat_json refuses what is not JSON") {
  CHECK_THROWS_AS(reformat_json("{", 2), FormatError);
  CHECK_THROWS_AS(reformat_json("", -1), FormatError);
  CHECK_THROWS_AS(reformat_json("[1 2]", -1), FormatError);
  CHECK_THROWS_AS(reformat_json(std::string(70, '[') + std::string(70, ']'), -1), FormatError);
}

TEST_CASE("text after a NUL byte is not silently dropped") {
  const std::string text = std::string("{\"id\": \"x\"}") + '\0' + "}";
  for (const int indent : {-1, 2})
    CHECK_THROWS_WITH_AS(reformat_json(text, indent), "not JSON: a NUL byte (byte 11)", FormatError);
  CHECK_THROWS_WITH_AS(parse_collection(text, "c"), "c: not JSON: a NUL byte (byte 11)", FormatError);
}

TEST_CASE("json_string escapes text, and replaces invalid UTF-8") {
  CHECK(json_string("") == R"("")");
  CHECK(json_string("a\"b\\c\n\x01") == R"("a\"b\\c\n\u0001")");
  CHECK(json_string("\xc3\xa9") == "\"\xc3\xa9\"");
  CHECK(json_string("a\xff") == "\"a\xef\xbf\xbd\"");
  CHECK(json_string(std::string_view("a\0b", 3)) == R"("a\u0000b")");
}

TEST_CASE("any mutation of a collection is parsed or a FormatError or SchemaError") {
  const std::string good =
      with(R"("licenses":{"licenseList":[{"name":"MIT"}]},"providers":[{"name":"P","emails":["a"]}],)"
           R"("extent":{"spatial":[1,2,3,4],"temporal":["2023-01-01","2023-01-02T00:00:00Z"]},)"
           R"("taco:field_schema":{"level0":[["id","string",""]]},)"
           R"("taco:sources":{"count":1,"ids":["i"],"files":["f"],"extents":[{"file":"f"}]})");
  std::mt19937 random(5);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string json = good;
    for (int changes = 1 + i % 3; changes > 0; --changes) {
      const auto at = random() % json.size();
      json[at] = random() % 3 == 0 ? static_cast<char>(random()) : "{}[],:\"-09/.n"[random() % 13];
    }
    try {
      check_round_trip(parse(json));
      CHECK(reformat_json(json, -1).size() <= json.size());
    } catch (const FormatError&) {
      ++refused;
    } catch (const SchemaError&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("a collection is written member by member in the order of the model") {
  Collection c;
  c.id = "small";
  c.dataset_version = "1.0.0";
  c.description =
      "Ca\xc3\xb1"
      "on";
  c.licenses = {"CC-BY-4.0"};
  c.providers = {{.name = "P", .url = "https://p"}};
  c.tasks = {"other"};
  c.pit_schema.root_n = 3;
  c.field_schema = {{"level0", {{"id", "string", ""}}}};
  c.json = R"({"taco:subset_of":"big","id":"old","labels:classes":{"b":1.50,"a":[]},"taco:sources":null})";
  CHECK(encode_collection(c) == R"({
    "id": "small",
    "dataset_version": "1.0.0",
    "description": "Cañon",
    "licenses": [
        "CC-BY-4.0"
    ],
    "providers": [
        {
            "name": "P",
            "organization": null,
            "email": null,
            "role": null,
            "url": "https://p"
        }
    ],
    "tasks": [
        "other"
    ],
    "taco_version": "2.0.0",
    "title": null,
    "curators": null,
    "keywords": null,
    "extent": {
        "spatial": [
            -180.0,
            -90.0,
            180.0,
            90.0
        ],
        "temporal": null
    },
    "taco:subset_of": "big",
    "labels:classes": {
        "b": 1.50,
        "a": []
    },
    "taco:pit_schema": {
        "root": {
            "n": 3,
            "type": "FILE"
        },
        "hierarchy": {}
    },
    "taco:field_schema": {
        "level0": [
            [
                "id",
                "string",
                ""
            ]
        ]
    }
})");
}

TEST_CASE("an encoded collection is parsed to the same collection") {
  check_round_trip(full());
  Collection twins = full();
  twins.sources[1].file = twins.sources[0].file;
  check_round_trip(twins);
  Collection least;
  least.id = "x";
  check_round_trip(least);
  least.dataset_version = "";
  least.providers = {{}};
  least.curators = std::vector<Contact>();
  least.keywords = std::vector<std::string>();
  check_round_trip(least);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> longitude(-180, 180);
  for (int i = 0; i < 1000; ++i) {
    least.extent.spatial = BBox{longitude(random), -longitude(random) / 2 - 90, longitude(random), 90};
    const auto time = static_cast<int64_t>(random() % 4'000'000'000'000'000);
    least.extent.temporal = TimeRange{{time}, {time + static_cast<int64_t>(random() % 1'000'000'000)}};
    check_round_trip(least);
  }
}

TEST_CASE("collections of the golden datasets survive reading and writing") {
  const auto mine = collections_below(std::filesystem::path(TACORE_SOURCE_DIR) / "tests" / "golden");
  CHECK(mine.size() >= 30);
  for (const auto& text : mine) check_round_trip(parse(text));
}

TEST_CASE("published collections survive parsing and encoding, byte by byte where they have the specification's form" *
          doctest::test_suite("external")) {
  if (missing(kGolden)) return;
  for (const auto& text : collections_below(kGolden)) {
    check_round_trip(parse(text));
    // Newer writers give providers other members.
    if (text.find("\"organization\"") != std::string::npos) CHECK(encode_collection(parse(text)) == text);
  }
}

TEST_CASE("an encoded collection has version 2.0.0 unless it states another") {
  CHECK(writes(with(""), R"("taco_version":"2.0.0")"));
  CHECK(writes(with(R"("taco_version":"0.5.0")"), R"("taco_version":"0.5.0")"));
}

TEST_CASE("a missing extent is encoded as the globe without times, and an open end as null") {
  CHECK(writes(with(""), R"("extent":{"spatial":[-180.0,-90.0,180.0,90.0],"temporal":null})"));
  CHECK(writes(with(R"("extent":{"temporal":["2023-01-01",null]})"), R"("temporal":["2023-01-01T00:00:00Z",null])"));
  CHECK(writes(with(R"("extent":{"temporal":[null,"2023-01-01T00:00:00Z"]})"),
               R"("temporal":[null,"2023-01-01T00:00:00Z"])"));
  Collection always;
  always.extent.temporal = TimeRange{TimeRange::parse("../2023-01-01").start, TimeRange::parse("2023-01-01/..").end};
  always.sources = {{.id = "s", .file = "s", .extent = always.extent}};
  const auto text = reformat_json(encode_collection(always), -1);
  CHECK(has_text(text, R"("temporal":null)"));
  CHECK(has_text(text, R"("extents":[{"file":"s","id":"s"}])"));
}

TEST_CASE("NaN and infinities are encoded as null") {
  Collection c;
  c.extent.spatial = BBox{std::nan(""), -HUGE_VAL, HUGE_VAL, 0.1};
  const auto text = reformat_json(encode_collection(c), -1);
  CHECK(has_text(text, R"("spatial":[null,null,null,0.1])"));
}

TEST_CASE("members unknown to the model keep their order, numbers and escapes") {
  const std::string unknown =
      R"("z":123456789012345678901234567890,"a":{"y":0.10,"x":[[],{}]},"\u00e9":"\u00e9","":"}{,")";
  CHECK(writes(with(unknown), "}," + unknown + R"(,"taco:pit_schema")"));
  CHECK(writes(R"({"b":1,"id":"x",)" + kPit + R"(,"a":2})", R"("b":1,"a":2,"taco:pit_schema")"));
  // Keys are compared without their escapes.
  CHECK_FALSE(writes(R"({"\u0069d":"x",)" + kPit + "}", "u0069"));
}

TEST_CASE("aliases of known members are encoded as the known members") {
  CHECK(writes(with(R"("data_curator":{"name":"D","emails":["a@b"]})"),
               R"("curators":[{"name":"D","organization":null,"email":"a@b","role":null}],"keywords")"));
  CHECK_FALSE(writes(with(R"("data_curator":{"name":"D"})"), "data_curator"));
  CHECK(writes(with(R"("licenses":{"licenseList":[{"name":"MIT"}]})"), R"("licenses":["MIT"])"));
  const std::string parts = with(R"("_tacocat":{"dataset_sources":["a"]})");
  CHECK(writes(parts, R"("taco:sources":{"count":1,"ids":[""],"files":["a"],"extents":[{"file":"a","id":""}]})"));
  CHECK_FALSE(writes(parts, "_tacocat"));
  Collection partition = parse(parts);
  partition.sources.clear();
  CHECK(parse(encode_collection(partition)).sources.empty());
}

TEST_CASE("an unchanged contact keeps its members unknown to the model") {
  const std::string json =
      with(R"("providers":[{"name":"P","identifier":"i","position":null,"emails":[{"value":"a@b"},{"value":"c@d"}]},)"
           R"({"name":"Q","emails":[{"value":"e@f","roles":["work"]}]},{"name":"R","emails":[{"value":"g@h"}]}])");
  CHECK(writes(json, R"("email":"a@b","role":null,"emails":[{"value":"a@b"},{"value":"c@d"}],"identifier":"i"})"));
  CHECK(writes(json, R"("email":"e@f","role":null,"emails":[{"roles":["work"],"value":"e@f"}]})"));
  CHECK(writes(json, R"("name":"R","organization":null,"email":"g@h","role":null})"));
}

TEST_CASE("an unchanged contact keeps its links") {
  const std::string json = with(R"("providers":[{"name":"P","links":[{"href":"p"}]},{"name":"Q","links":null},"R"],)"
                                R"("data_curator":[{"name":"C","links":{"href":"c"}}])");
  CHECK(writes(json, R"("role":null,"links":[{"href":"p"}]},{"name":"Q")"));
  CHECK(writes(json, R"("role":null,"links":{"href":"c"}}],"keywords")"));
  Collection c = parse(json);
  std::swap(c.providers[0], c.providers[2]);
  CHECK(has_text(reformat_json(encode_collection(c), -1), R"("role":null,"links":[{"href":"p"}]}],"tasks")"));
  c.providers[2].role = "host";
  CHECK_FALSE(has_text(encode_collection(c), "\"p\""));
}

TEST_CASE("encoding a collection whose document is invalid JSON or whose text is not UTF-8 is refused") {
  struct Case {
    std::string json;
    const char* expected;
  };
  const Case cases[] = {{"{", "not JSON: syntax error"},
                        {" ", "not JSON"},
                        {"[]", "the document is array, expected an object"},
                        {"{} {}", "not JSON"},
                        {R"({"providers":[{"name":7,"links":[]}]})", "providers[0].name is number"},
                        {R"({"a":)" + std::string(100, '['), "nested deeper than 64"},
                        {"{\"a\":\"\xff\"}", "not JSON"}};
  for (const auto& [json, expected] : cases) {
    CAPTURE(json);
    Collection c;
    c.json = json;
    CHECK(has_text(encode_error(c), expected));
  }
  for (std::string Collection::* text : {&Collection::id, &Collection::dataset_version, &Collection::description}) {
    Collection c;
    c.*text = "a\xff";
    CHECK(encode_error(c) == "a text of the collection is not UTF-8");
  }
  Collection c = full();
  c.providers[0].name = "\xc3";
  CHECK(encode_error(c) == "a text of the collection is not UTF-8");
  c = full();
  c.field_schema["\xff"] = {};
  CHECK(encode_error(c) == "a text of the collection is not UTF-8");
}

TEST_CASE(
    "a changed member is replaced in place, a dropped one removed, and a new one inserted before the taco: members") {
  const std::string json = R"({"id":"a", "x":1e400,"id":"b","taco:pit_schema":{"n":1},"last":[1, 2]})";
  const struct {
    std::vector<MemberChange> changes;
    const char* expected;
  } cases[] = {
      {{}, R"({"id":"a","x":1e400,"id":"b","taco:pit_schema":{"n":1},"last":[1,2]})"},
      {{{"x", "[ 2.50]"}}, R"({"id":"a","x":[2.50],"id":"b","taco:pit_schema":{"n":1},"last":[1,2]})"},
      {{{"id", "\"c\""}}, R"({"id":"c","x":1e400,"taco:pit_schema":{"n":1},"last":[1,2]})"},
      {{{"id", {}}, {"none", {}}}, R"({"x":1e400,"taco:pit_schema":{"n":1},"last":[1,2]})"},
      {{{"n\"", "null"}, {"last", "3"}},
       R"({"id":"a","x":1e400,"id":"b","n\"":null,"taco:pit_schema":{"n":1},"last":3})"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.expected);
    const auto found = with_members(json, c.changes);
    CHECK(reindent_json(found, -1) == c.expected);
    CHECK(found == reindent_json(c.expected, 4));
  }
  CHECK(with_members("{}", {{"a", "1"}}) == reindent_json(R"({"a":1})", 4));
  CHECK(with_members(R"({"a":1})", {{"a", {}}}) == reindent_json("{}", 4));
  CHECK_THROWS_AS(with_members("{}", {{"a", "1 2"}}), FormatError);
}

TEST_CASE("members are compared by value, and null equals an absent member") {
  const auto found = member_differences(R"({"a":1,"b":null,"c":{"x":1,"y":[2]},"d":"t","e":3})",
                                        R"({"e":4, "c":{"y":[2.0], "x":1},"a":1.0,"f":[null]})");
  std::string text;
  for (const auto& member : found)
    text += member.key + " " + member.a.value_or("-") + " " + member.b.value_or("-") + "\n";
  CHECK(text == "d \"t\" -\ne 3 4\nf - [null]\n");
}
