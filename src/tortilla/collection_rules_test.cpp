#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/support.hpp"
#include "tortilla/collection.hpp"

using namespace tacore;

namespace {

/// A COLLECTION without faults, but for the member `key`; "": it is absent.
std::string with(const std::string& changed, const std::string& key) {
  const std::vector<std::pair<std::string, std::string>> members = {
      {"id", R"("demo")"},
      {"dataset_version", R"("1.0.0")"},
      {"description", R"("d")"},
      {"licenses", R"(["CC-BY-4.0"])"},
      {"extent", R"({"spatial":[-10,-20,30,40],"temporal":[0,86400000]})"},
      {"providers", R"([{"name":"A"}])"},
      {"curators", R"([{"organization":"B"}])"},
      {"task", R"("regression")"},
      {"taco_version", R"("0.2.0")"}};
  std::string out = "{";
  bool is_new = !key.empty();
  for (const auto& [name, value] : members) {
    is_new = is_new && name != key;
    const std::string& shown = name == key ? changed : value;
    if (!shown.empty()) out += '"' + name + "\":" + shown + ',';
  }
  if (is_new) out += '"' + key + "\":" + changed + ',';
  out.back() = '}';
  return out;
}

struct Case {
  std::string key;
  std::string value;     ///< "": absent
  std::string expected;  ///< a part of the one finding
};

}  // namespace

TEST_CASE("a collection in the form of the specification has no faults and no advice") {
  const auto found = v1::examine_collection(with("", ""));
  CAPTURE(join(found.faults, "\n"));
  CAPTURE(join(found.advice, "\n"));
  CHECK(found.faults.empty());
  CHECK(found.advice.empty());
}

TEST_CASE("each broken rule is reported in one sentence that starts with the member") {
  const std::string band = R"({"name":"B1","index":0})";
  const std::vector<Case> cases = {
      {"id", "", "id is ''"},
      {"id", R"("Demo")", "id is 'Demo', expected lowercase"},
      {"id", R"("a b")", "id is 'a b'"},
      {"id", "7", "id is number"},
      {"taco_version", "", "taco_version is missing"},
      {"dataset_version", "", "dataset_version is 'unknown'"},
      {"description", "", "description is empty"},
      {"licenses", "[]", "licenses is empty"},
      {"providers", "null", "providers is empty"},
      {"providers", R"([{"name":"A"},{"emails":[]}])", "providers[1] has neither name nor organization"},
      {"curators", R"([{"roles":["x"]}])", "curators[0] has neither name nor organization"},
      {"providers", R"([{"name":"A","emails":["nobody"]}])", "providers[0].email is 'nobody'"},
      {"title", '"' + std::string(251, 'x') + '"', "title has 251 characters"},
      {"task", R"("foundation-model")", "task is 'foundation-model', expected one of regression,"},
      {"split_strategy", R"("by hand")", "split_strategy is 'by hand', expected one of random,"},
      {"split_strategy", "1", "split_strategy is '1'"},
      {"extent", "", "extent is missing"},
      {"extent", "[]", "extent is array, expected an object"},
      {"extent", R"({"temporal":[0,1]})", "extent.spatial is missing"},
      {"extent", R"({"spatial":[0,0,1,1]})", "extent.temporal is missing"},
      {"extent", R"({"spatial":[0,0,1],"temporal":[0,1]})", "extent.spatial is '[0,0,1]', expected [west"},
      {"extent", R"({"spatial":[0,0,"1",1],"temporal":[0,1]})", "expected [west, south, east, north]"},
      {"extent", R"({"spatial":[-181,0,1,1],"temporal":[0,1]})",
       "extent.spatial: west is '-181', expected -180 to 180"},
      {"extent", R"({"spatial":[0,-91,1,1],"temporal":[0,1]})", "extent.spatial: south is '-91', expected -90 to 90"},
      {"extent", R"({"spatial":[0,0,181,1],"temporal":[0,1]})", "extent.spatial: east is '181'"},
      {"extent", R"({"spatial":[0,0,1,91],"temporal":[0,1]})", "extent.spatial: north is '91'"},
      {"extent", R"({"spatial":[0,2,1,1],"temporal":[0,1]})", "extent.spatial: south is '2', expected at most north"},
      {"extent", R"({"spatial":[0,0,1,1],"temporal":[1,0]})", "extent.temporal: "},
      {"extent", R"({"spatial":[0,0,1,1],"temporal":[0]})", "extent.temporal is '[0]', expected [start, end]"},
      {"extent", R"({"spatial":[0,0,1,1],"temporal":[true,5]})", "extent.temporal: 'true' is not a time"},
      {"extent", R"({"spatial":[0,0,1,1],"temporal":[0,1e300]})", "is not a time, expected milliseconds"},
      {"raw_link", R"({"description":"x"})", "raw_link.href is missing"},
      {"raw_link", R"({"href":"example.org"})", "raw_link.href is 'example.org', which has no scheme"},
      {"discuss_link", R"({"href":"https://a b"})", "discuss_link.href is 'https://a b', which has ' '"},
      {"discuss_link", "3", "discuss_link is '3', expected an object"},
      {"raw_link", R"({"href":"https://a","description":1})", "raw_link.description is '1', expected a string"},
      {"optical_data", "[]", "optical_data is '[]', expected an object"},
      {"optical_data", R"({"bands":[)" + band + "]}", "optical_data.sensor is missing"},
      {"optical_data", R"({"sensor":"x","bands":3})", "optical_data.bands is '3', expected a list"},
      {"optical_data", R"({"sensor":"x","bands":[{"index":1}]})", "optical_data.bands[0].name is missing"},
      {"optical_data", R"({"sensor":"x","bands":[)" + band + "," + band + "]}",
       "bands[1].name is 'B1', which occurs twice"},
      {"optical_data", R"({"sensor":"x","bands":[7]})", "optical_data.bands[0] is '7', expected an object"},
      {"optical_data", R"({"sensor":"x","bands":[{"name":"a","index":0.5}]})", "bands[0].index is '0.5'"},
      {"optical_data", R"({"sensor":"x","bands":[{"name":"a","unit":5}]})", "bands[0].unit is '5', expected a string"},
      {"optical_data", R"({"sensor":"x","bands":[{"name":"a","center_wavelength":"5"}]})", "expected a number"},
      {"optical_data", R"({"sensor":"landsat8oli[B01, B99]"})",
       "optical_data.sensor: band 'B99': landsat8oli has B01, B02"},
      {"labels", R"({"label_description":"x"})", "labels.label_classes is missing"},
      {"labels", R"({"label_classes":[{"category":0}]})", "labels.label_classes[0].name is missing"},
      {"labels", R"({"label_classes":[{"name":"a"}]})", "labels.label_classes[0].category is missing"},
      {"labels", R"({"label_classes":[{"name":"a","category":0.5}]})",
       "category is '0.5', expected a string or a whole"},
      {"labels", R"({"label_classes":[{"name":"a","category":0},{"name":"a","category":1}]})",
       "labels.label_classes[1].name is 'a', which occurs twice"},
      {"labels", R"({"label_classes":[],"label_description":[]})", "labels.label_description is '[]'"},
      {"scientific", R"({"doi":5})", "scientific.doi is '5', expected a string"},
      {"scientific", R"({"publications":{}})", "scientific.publications is '{}', expected a list"},
      {"scientific", R"({"publications":[{"citation":"c","summary":"s"}]})", "publications[0].doi is missing"},
      {"scientific", R"({"publications":[{"doi":"d","summary":"s"}]})", "publications[0].citation is missing"},
      {"scientific", R"({"publications":[{"doi":"d","citation":"c"}]})", "publications[0].summary is missing"},
      {"rai:dataBiases", "[1]", "rai:dataBiases is '[1]', expected a string"},
      {"rai:data_biases", "[1]", "rai:dataBiases is '[1]', expected a string"},
      {"x", R"({"y":1,"y":2})", "'y' occurs twice in one object"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.key);
    CAPTURE(c.value);
    const auto faults = v1::collection_faults(with(c.value, c.key));
    CAPTURE(join(faults, "\n"));
    REQUIRE(faults.size() == 1);
    CHECK(has_text(faults[0], c.expected));
  }
}

TEST_CASE("forms that readers accept but the specification does not are reported as advice") {
  const std::vector<Case> cases = {
      {"licenses", R"(["My own"])", "licenses has 'My own', which is not an SPDX identifier"},
      {"curators", "", "curators is empty"},
      {"extent", R"({"spatial":[[0,0,1,1]],"temporal":[0,1]})", "extent.spatial is a list of lists"},
      {"extent", R"({"spatial":[0,0,5,1,1,6],"temporal":[0,1]})", "extent.spatial has heights"},
      {"extent", R"({"spatial":[170,0,-170,1],"temporal":[0,1]})", "west is greater than east"},
      {"extent", R"({"spatial":[0,0,1,1],"temporal":[[0,1]]})", "extent.temporal is a list of lists"},
      {"extent", R"({"spatial":[0,0,1,1],"temporal":[0,"2020-01-01T00:00:00Z"]})", "has '2020-01-01T00:00:00Z'"},
      {"extent", R"({"spatial":[0,0,1,1],"temporal":[null,1]})", "extent.temporal has an open end"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.expected);
    const auto found = v1::examine_collection(with(c.value, c.key));
    CAPTURE(join(found.faults, "\n"));
    CAPTURE(join(found.advice, "\n"));
    CHECK(found.faults.empty());
    REQUIRE(found.advice.size() == 1);
    CHECK(has_text(found.advice[0], c.expected));
  }
}

TEST_CASE("all faults of a document are reported together, and a document that is not an object is a fault") {
  CHECK(v1::collection_faults(R"({})").size() == 7);
  for (const char* text : {"", "[]", "{", "null", "{\"a\":\"\xff\"}", "{\"a\":1e999}"}) {
    CAPTURE(text);
    CHECK(v1::collection_faults(text).size() == 1);
  }
}

TEST_CASE("a known or unknown sensor without bands, and any spelling of a known sensor, is valid") {
  for (const char* sensor : {"mysensor", "mysensor[B1]", "sentinel2msi", "Sentinel2MSI[B8A, B01]", "xsentinel2msi"}) {
    CAPTURE(sensor);
    CHECK(v1::collection_faults(with(R"({"sensor":")" + std::string(sensor) + "\"}", "optical_data")).empty());
  }
}

TEST_CASE("a URI has a scheme, a non-empty rest, and legal characters only") {
  for (const char* good : {"https://example.org", "http://a/b?c=d#e", "doi:10.1/x", "mailto:a@b", "urn:isbn:1", "a:b",
                           "https://a/%20%C3%A9", "http://[::1]:80/x", "s3://bucket/key", "git+ssh://a"}) {
    CAPTURE(good);
    CHECK(v1::why_bad_uri(good).empty());
  }
  const std::pair<const char*, const char*> bad[] = {
      {"", "has no scheme"},
      {"example.org/x", "has no scheme"},
      {"//example.org", "has no scheme"},
      {"1a:b", "has no scheme"},
      {":x", "has no scheme"},
      {"a/b:c", "has no scheme"},
      {"https:", "has nothing after its scheme"},
      {"https://a b", "has ' '"},
      {"https://a/\"", "expected it as %XX"},
      {"https://a/<x>", "has '<'"},
      {"https://a/\\", "expected it as %XX"},
      {"https://a/\xc3\xa9", "expected it as %XX"},
      {"https://a/\n", "expected it as %XX"},
      {"https://a/%", "% without two"},
      {"https://a/%2", "% without two"},
      {"https://a/%zz", "% without two"},
      {"https://a/#b#c", "# twice"},
      {"https://a/[b]", "outside of its host"},
      {"a:[b]", "outside of its host"},
  };
  for (const auto& [text, why] : bad) {
    CAPTURE(text);
    CHECK(has_text(v1::why_bad_uri(text), why));
  }
}
