#include "model/collection_json.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/collection_rules.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/optical_data.hpp"
#include "tortilla/collection.hpp"

using namespace tacore;
using nlohmann::json;

namespace {

/// As the published writers make it: all 17 members, those that are not set null.
const std::string kReference =
    R"({"id":"demo","dataset_version":"1.0.0","description":"Déjà vu","licenses":["cc-by-4.0"],)"
    R"("extent":{"spatial":[[-10.0,-20.0,30.0,40.0]],"temporal":[["2020-01-01T00:00:00Z","2021-01-01T00:00:00+00:00"]]},)"
    R"("providers":[{"name":"A","organization":null,"emails":[{"value":"a@b.c","roles":["work"]}],"roles":["host"],)"
    R"("identifier":null,"position":null,"logo":null,"phones":null,"addresses":null,)"
    R"("links":[{"href":"https://a","rel":null,"type":null,"title":null}],"contactInstructions":null}],)"
    R"("task":"super-resolution","taco_version":"0.4.0","title":null,"curators":null,"keywords":null,)"
    R"("split_strategy":null,"discuss_link":null,"raw_link":null,"optical_data":null,"labels":null,"scientific":null})";

/// Every known member of the specification, and some that it does not know.
const std::string kFull =
    R"({"id":"full","dataset_version":"1.2.0","description":"d","licenses":["CC-BY-4.0","MIT"],)"
    R"("extent":{"spatial":[-10.5,-20.0,30.25,40.0],"temporal":[-1,86400001]},)"
    R"("providers":[{"name":"A","organization":"O","emails":[{"value":"a@b.c","roles":["work"]},{"value":"d@e.f"}],)"
    R"("roles":["host"],"identifier":"https://orcid.org/1","phones":[{"value":"+341"}],)"
    R"("links":[{"href":"https://a","rel":"about"}]}],"task":"general","taco_version":"0.2.0","title":"T",)"
    R"("curators":[{"name":null,"organization":"C","emails":null,"roles":null}],"keywords":["k","l"],)"
    R"("split_strategy":"manual","discuss_link":{"href":"https://d","description":"talk"},)"
    R"("raw_link":{"href":"https://r","description":null,"rel":"source"},)"
    R"("optical_data":{"sensor":"mine","bands":[{"name":"B1","index":3,"unit":"nm","center_wavelength":442.5}],"note":1},)"
    R"("labels":{"label_classes":[{"name":"a","category":0,"description":"x"},{"name":"b","category":"0"}],)"
    R"("label_description":"what"},)"
    R"("scientific":{"doi":"10.1/x","citation":"@misc{}","summary":"s",)"
    R"("publications":[{"doi":"10.1/y","citation":"c","summary":"t"}]},)"
    R"("rai:dataBiases":"some","rai:useCases":"many","my:key":{"n":12345678901234567890123,"b":1.50},"null:key":null})";

std::string member(const std::string& text, const char* key) { return json::parse(text).at(key).dump(); }

/// `text` read and written.
std::string rewritten(const std::string& text) {
  return v1::encode_collection(v1::parse_stored_collection(text, "x.taco"));
}

std::string with_extent(const std::string& extent) {
  return R"({"id":"x","dataset_version":"1","extent":)" + extent + "}";
}

}  // namespace

TEST_CASE("the 17 members of the published writers are read, nulls as absent") {
  const Collection found = v1::parse_stored_collection(kReference, "x.taco");
  CHECK(found.id == "demo");
  CHECK(found.dataset_version == "1.0.0");
  CHECK(found.taco_version == "0.4.0");
  CHECK(found.licenses == std::vector<std::string>{"cc-by-4.0"});
  CHECK(found.tasks == std::vector<std::string>{"super-resolution"});
  CHECK(found.extent.spatial == BBox{-10, -20, 30, 40});
  CHECK(found.extent.temporal == TimeRange::parse("2020-01-01T00:00:00Z/2021-01-01T00:00:00Z"));
  REQUIRE(found.providers.size() == 1);
  CHECK(found.providers[0].email == "a@b.c");
  CHECK(found.providers[0].roles == std::vector<std::string>{"host"});
  CHECK(found.providers[0].url == "https://a");
  CHECK_FALSE(found.title);
  CHECK_FALSE(found.curators);
  CHECK_FALSE(found.keywords);
  CHECK(found.json == kReference);
}

TEST_CASE("a collection of published writers is rewritten in the form of the specification") {
  CHECK(
      rewritten(kReference) ==
      R"({"id":"demo","dataset_version":"1.0.0","description":"Déjà vu","licenses":["cc-by-4.0"],)"
      R"("extent":{"spatial":[-10.0,-20.0,30.0,40.0],"temporal":[1577836800000,1609459200000]},)"
      R"("providers":[{"name":"A","organization":null,"emails":[{"roles":["work"],"value":"a@b.c"}],"roles":["host"],)"
      R"("links":[{"href":"https://a","rel":null,"title":null,"type":null}]}],)"
      R"("task":"super-resolution","taco_version":"0.2.0","title":null,"curators":null,"keywords":null,)"
      R"("split_strategy":null,"discuss_link":null,"raw_link":null,"optical_data":null,"labels":null,"scientific":null})");
}

TEST_CASE("a collection in the form of the specification is written unchanged, unknown members included") {
  const std::string written = rewritten(kFull);
  CHECK(json::parse(written) == json::parse(kFull));
  CHECK(has_text(written, R"("my:key":{"n":12345678901234567890123,"b":1.50},"null:key":null})"));
  CHECK(rewritten(written) == written);
}

TEST_CASE("an empty collection is written with all 17 members") {
  const json found = json::parse(v1::encode_collection({}));
  CHECK(found.size() == 17);
  CHECK(found.at("taco_version") == "0.2.0");
  CHECK(found.at("dataset_version").is_null());
  CHECK(found.at("extent").is_null());
}

TEST_CASE("an extent is read flat and nested, in milliseconds and RFC 3339, with open ends") {
  struct Case {
    const char* extent;
    std::optional<BBox> spatial;
    const char* temporal;  ///< "" for none
  };
  const BBox box{0, 1, 2, 3};
  const std::vector<Case> cases = {
      {R"({"spatial":[0,1,2,3],"temporal":[0,86400000]})", box, "1970-01-01T00:00:00Z/1970-01-02T00:00:00Z"},
      {R"({"spatial":[[0,1,2,3]],"temporal":[[0,86400000]]})", box, "1970-01-01T00:00:00Z/1970-01-02T00:00:00Z"},
      {R"({"spatial":[0,1,-5,2,3,9],"temporal":[0.5,1e3]})", box, "1970-01-01T00:00:00.0005Z/1970-01-01T00:00:01Z"},
      {R"({"spatial":[[0,1,-5,2,3,9]],"temporal":null})", box, ""},
      {R"({"spatial":[[0,1,1,2],[1,2,2,3]],"temporal":[[5000,6000],[0,1000]]})", box,
       "1970-01-01T00:00:00Z/1970-01-01T00:00:06Z"},
      {R"({"spatial":[170,0,-170,1],"temporal":[null,0]})", BBox{170, 0, -170, 1}, "../1970-01-01T00:00:00Z"},
      {R"({"spatial":null,"temporal":["2020-01-01","2020-01-02"]})", std::nullopt, "2020-01-01/2020-01-02"},
      {R"({"temporal":["2020-01-01T00:00:00+02:00",null]})", std::nullopt, "2019-12-31T22:00:00Z/.."},
      {R"({"temporal":[null,null],"spatial":[0,1,2,3]})", box, ""},
      {R"({"temporal":[-1,0]})", std::nullopt, "1969-12-31T23:59:59.999Z/1970-01-01T00:00:00Z"},
      // What says nothing sensible is left out.
      {R"({"spatial":[0,1,2],"temporal":[0]})", std::nullopt, ""},
      {R"({"spatial":[0,3,2,1],"temporal":[1,0]})", std::nullopt, ""},
      {R"({"spatial":["a",1,2,3],"temporal":["soon","later"]})", std::nullopt, ""},
      {R"({"spatial":[[0,1,2,3],[]],"temporal":[[0,1],[]]})", std::nullopt, ""},
      {R"({"spatial":{},"temporal":{"start":0}})", std::nullopt, ""},
      {R"({"spatial":[0,1,2,3],"temporal":[1e300,1e301]})", box, ""},
      {R"({"temporal":["2020-01-01/2020-02-01","2021-01-01"]})", std::nullopt, ""},
      {R"({})", std::nullopt, ""},
      {R"(null)", std::nullopt, ""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.extent);
    const Extent found = v1::parse_stored_collection(with_extent(c.extent), "x").extent;
    CHECK(found.spatial == c.spatial);
    const std::string temporal = c.temporal;
    CHECK(found.temporal == (temporal.empty() ? std::nullopt : std::optional(TimeRange::parse(temporal))));
  }
}

TEST_CASE("milliseconds are rounded down, and open ends are written as null") {
  Collection found;
  found.extent.temporal = TimeRange::parse("1969-12-31T23:59:59.9995Z/..");
  CHECK(member(v1::encode_collection(found), "extent") == R"({"spatial":null,"temporal":[-1,null]})");
}

TEST_CASE("a task is read as title or slug, alone or in a list") {
  for (const char* members :
       {R"("task":"Super Resolution")", R"("task":"super_resolution")", R"("task":["super-resolution"])",
        R"("tasks":["super-resolution"])", R"("task":"SUPER-RESOLUTION","tasks":["Super resolution"])"}) {
    CAPTURE(members);
    const Collection found = v1::parse_stored_collection("{" + std::string(members) + "}", "x");
    CHECK(found.tasks == std::vector<std::string>{"super-resolution"});
    CHECK(member(v1::encode_collection(found), "task") == R"("super-resolution")");
  }
  const std::string two = rewritten(R"({"tasks":["regression","denoising"]})");
  CHECK(member(two, "task") == R"("regression")");
  CHECK(member(two, "tasks") == R"(["regression","denoising"])");
  CHECK(v1::parse_stored_collection(two, "x").tasks.size() == 2);
}

TEST_CASE("aliases, single values and other forms of contacts are read, and written as specified") {
  const std::string written = rewritten(
      R"({"licenses":"MIT","keywords":"k","providers":{"name":"A","email":"a@b.c","role":"host"},)"
      R"("data_curator":["B",{"organization":"C","emails":"d@e.f","url":"https://c"}],"raw_link":"https://r"})");
  CHECK(member(written, "licenses") == R"(["MIT"])");
  CHECK(member(written, "keywords") == R"(["k"])");
  CHECK(json::parse(written).at("providers") ==
        json::parse(R"([{"name":"A","organization":null,"emails":[{"value":"a@b.c"}],"roles":["host"]}])"));
  CHECK(
      json::parse(written).at("curators") ==
      json::parse(R"([{"name":"B","organization":null,"emails":null,"roles":null},)"
                  R"({"name":null,"organization":"C","emails":[{"value":"d@e.f"}],"roles":null,"url":"https://c"}])"));
  CHECK(member(written, "raw_link") == R"({"description":null,"href":"https://r"})");
  CHECK_FALSE(json::parse(written).contains("data_curator"));
  CHECK(rewritten(written) == written);
}

TEST_CASE("a sensor is read from every member that published collections use") {
  const json expected = json::parse(R"({"sensor":"mine","bands":[{"name":"B1"}]})");
  for (const char* members :
       {R"("optical_data":{"sensor":"mine","bands":[{"name":"B1"}]})", R"("sensor":"mine","bands":[{"name":"B1"}])",
        R"("sensor":{"sensor":"mine","bands":[{"name":"B1"}]})", R"("sensor":{"name":"mine","bands":[{"name":"B1"}]})",
        R"("sensors":[{"sensor":"mine","bands":[{"name":"B1"}]}])", R"("sensors":["mine"],"bands":[{"name":"B1"}])",
        R"("optical_data":"mine","bands":[{"name":"B1"}])",
        R"("optical:sensor":"mine","optical:bands":[{"name":"B1"}],"optical:num_bands":1)"}) {
    CAPTURE(members);
    const json found = json::parse(rewritten("{" + std::string(members) + "}"));
    CHECK(found.at("optical_data") == expected);
    CHECK(found.size() == 17);
  }
  const json several = json::parse(rewritten(R"({"sensors":["a","b"]})"));
  CHECK(several.at("sensors") == json::parse(R"(["a","b"])"));
}

TEST_CASE("a known sensor gets the requested bands in order, with their index in the sensor") {
  const auto optical = [](const std::string& sensor) {
    return json::parse(rewritten(R"({"optical_data":{"sensor":")" + sensor + "\"}}")).at("optical_data");
  };
  for (const auto& sensor : extensions::optical_sensors()) {
    CAPTURE(sensor);
    CHECK(optical(sensor).at("bands").size() == extensions::optical_bands(sensor).size());
  }
  const json some = optical("Sentinel2MSI[B8A, B01]");
  CHECK(some.at("sensor") == "sentinel2msi");
  REQUIRE(some.at("bands").size() == 2);
  CHECK(some.at("bands")[0] == json::parse(R"({"name":"B8A","index":8,"common_name":"red edge 4","unit":null,
      "description":"Band 8A - Vegetation red edge 4 - 20m","center_wavelength":864.5,"full_width_half_max":19.0})"));
  CHECK(some.at("bands")[1].at("index") == 0);
  CHECK(optical("xsentinel2msi").at("bands").is_null());
  const Collection unknown = v1::parse_stored_collection(R"({"optical_data":{"sensor":"landsat8oli[B99]"}})", "x");
  CHECK_THROWS_WITH_AS(v1::encode_collection(unknown),
                       doctest::Contains("optical_data.sensor: band 'B99': landsat8oli has B01, B02, B03"),
                       ValidationError);
}

TEST_CASE("both spellings of rai: members are read, and both are kept where both exist") {
  const std::string snake = rewritten(R"({"rai:data_collection_timeframe":"2020"})");
  CHECK(member(snake, "rai:dataCollectionTimeframe") == R"("2020")");
  CHECK_FALSE(json::parse(snake).contains("rai:data_collection_timeframe"));
  const std::string both = rewritten(R"({"rai:use_cases":"a","rai:useCases":"b"})");
  CHECK(member(both, "rai:use_cases") == R"("a")");
  CHECK(member(both, "rai:useCases") == R"("b")");
}

TEST_CASE("a collection of 0.2.0 converts to 2.0 names with to_v2, and back") {
  const Collection found = v1::parse_stored_collection(kFull, "x.taco");
  const Collection v2 = v1::to_v2(found);
  CHECK(collection_faults(v2).empty());
  const json document = json::parse(v2.json);
  CHECK(v2.tasks == std::vector<std::string>{"other"});
  CHECK(document.at("optical:sensor") == "mine");
  CHECK(document.at("optical:num_bands") == 1);
  CHECK(document.at("labels:classes")[0].at("category") == 0);
  CHECK(document.at("labels:description") == "what");
  CHECK(document.at("publications")[0].at("doi") == "10.1/y");
  CHECK(document.at("scientific") == json::parse(R"({"doi":"10.1/x","citation":"@misc{}","summary":"s"})"));
  CHECK(document.at("optical_data") == json::parse(R"({"note":1})"));
  CHECK(document.at("split:strategy") == "manual");
  CHECK(document.at("rai:data_biases") == "some");
  CHECK(document.at("extent").at("temporal")[0] == "1969-12-31T23:59:59.999000Z");
  for (const char* key : {"task", "taco_version", "labels", "split_strategy", "rai:dataBiases"})
    CHECK_FALSE(document.contains(key));
  // By way of COLLECTION.json, as it is stored in a dataset of 2.0.
  Collection stored = v2;
  stored.pit_schema = PitSchema::parse(R"({"root":{"n":5,"type":"FILE"},"hierarchy":{}})");
  const Collection read = tacore::parse_collection(tacore::encode_collection(stored), "COLLECTION.json");
  CHECK(json::parse(v1::encode_collection(read)).at("providers") == json::parse(kFull).at("providers"));
  json again = json::parse(v1::encode_collection(read));
  CHECK_FALSE(again.contains("taco:field_schema"));
  CHECK(again == json::parse(kFull));
}

TEST_CASE("changed members of a collection take precedence over its document") {
  Collection found = v1::parse_stored_collection(kFull, "x.taco");
  found.title = "new";
  found.tasks = {"denoising"};
  found.providers[0].email = "x@y.z";
  found.extent.spatial = BBox{1, 2, 3, 4};
  const json written = json::parse(v1::encode_collection(found));
  CHECK(written.at("title") == "new");
  CHECK(written.at("task") == "denoising");
  CHECK(written.at("providers")[0].at("emails") == json::parse(R"([{"value":"x@y.z"}])"));
  CHECK(written.at("extent").at("spatial") == json::parse("[1,2,3,4]"));
  CHECK(written.at("raw_link") == json::parse(kFull).at("raw_link"));
}

TEST_CASE("hostile documents are refused with a typed error that names the file") {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "not JSON"},
      {"[]", "the document is array, expected an object"},
      {"null", "the document is null"},
      {"\"x\"", "the document is string"},
      {"{\"id\":\"x\"", "not JSON"},
      {"{\"x\":" + deep + "}", "nested deeper than 64"},
      {"{\"x\":" + std::string(64, '[') + std::string(64, ']') + "}", "nested deeper than 64"},
      {"{\"a\":" + std::string(100000, '['), "nested deeper than 64"},
      {std::string("{}\0", 3), "a NUL byte"},
      {"{\"id\":\"\xff\"}", "not JSON"},
      {"{\"id\":\"\xed\xa0\x80\"}", "not JSON"},
      {"\xef\xbb\xbf[]", "the document is array"},
      {"{\"x\":1e400}", "out of range"},
      {"{\"id\":5}", "id is number, expected a string"},
      {"{\"licenses\":5}", "licenses is number"},
      {"{\"providers\":[5]}", "providers[0] is number, expected an object"},
      {"{\"providers\":[{\"name\":[]}]}", "providers[0].name is array"},
      {"{\"extent\":[1,2,3,4]}", "extent is array, expected an object"},
      {"{\"task\":5}", "task has number, expected a string"},
      {"{\"tasks\":{}}", "tasks has object, expected a string"},
      {"{\"title\":{}}", "title is object"},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(text.substr(0, 40));
    try {
      v1::parse_stored_collection(text, "a/x.taco");
      FAIL("no error");
    } catch (const FormatError& error) {
      CAPTURE(error.what());
      CHECK(error.context().path == "a/x.taco");
      CHECK(has_text(error.message(), expected));
    }
  }
}

TEST_CASE("the last of duplicate members counts, and numbers of any size are kept") {
  CHECK(v1::parse_stored_collection(R"({"id":"a","id":"b"})", "x").id == "b");
  const std::string big = R"({"id":"a","n":123456789012345678901234567890.10,"m":-0.0})";
  CHECK(has_text(rewritten(big), R"("n":123456789012345678901234567890.10,"m":-0.0})"));
}

TEST_CASE("a text that is not UTF-8 is refused before it is written") {
  Collection found;
  found.title = "\xff";
  CHECK_THROWS_AS(v1::encode_collection(found), FormatError);
}
