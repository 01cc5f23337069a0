#include "model/collection_rules.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>

#include "base/epoch.hpp"
#include "support/support.hpp"

using namespace tacore;

namespace {

Collection good() {
  return {.id = "x",
          .dataset_version = "1.0.0",
          .description = "d",
          .licenses = {"MIT"},
          .providers = {{.name = "P"}},
          .tasks = {"other"}};
}

using Change = std::function<void(Collection&)>;

/// The faults of a good collection after `change`, one on each line.
std::string faults_after(const Change& change) {
  Collection collection = good();
  change(collection);
  std::string out;
  for (const auto& fault : collection_faults(collection)) out += fault + "\n";
  return out;
}

Change id(const std::string& text) {
  return [text](Collection& c) { c.id = text; };
}
Change title(const std::string& text) {
  return [text](Collection& c) { c.title = text; };
}
Change provider(const Contact& contact) {
  return [contact](Collection& c) { c.providers = {contact}; };
}
Change curator(const Contact& contact) {
  return [contact](Collection& c) { c.curators = {{.name = "C"}, contact}; };
}
Change spatial(const BBox& box) {
  return [box](Collection& c) { c.extent.spatial = box; };
}
Change temporal(Timestamp start, Timestamp end) {
  return [=](Collection& c) { c.extent.temporal = {start, end}; };
}

std::string times(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const Timestamp kMonday = Timestamp::parse("2023-01-02");
const Timestamp kTuesday = Timestamp::parse("2023-01-03");
const Timestamp kYear10000{Timestamp::parse("9999-12-31T23:59:59.999999Z").microseconds + 1};
const Timestamp kYear0{Timestamp::parse("0001-01-01").microseconds - 1};

struct Bad {
  std::string name;
  Change change;
  std::string expected;
};

/// Each change breaks one rule, and the sentence says so.
void check_bad(const std::vector<Bad>& cases) {
  for (const auto& [name, change, expected] : cases) {
    CAPTURE(name);
    CHECK(faults_after(change) == expected + "\n");
  }
}

/// Each change breaks none.
void check_good(const std::vector<Change>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    CHECK(faults_after(changes[i]) == "");
  }
}

}  // namespace

TEST_CASE("an id is lowercase letters, digits, _ and -") {
  check_good({id("x"), id("0"), id("123"), id("a_b-c"), id("9-"), id("sen2_2023")});
  for (const std::string bad : {"", "A", "aB", "_a", "-a", "a b", "a.b", "a/b", "\xc3\xb1", "a\n"}) {
    CAPTURE(bad);
    const auto found = faults_after(id(bad));
    CHECK(found.starts_with("id is '"));
    CHECK(found.ends_with(", expected lowercase letters, digits, _ and -, with a letter or digit first\n"));
  }
  CHECK(faults_after(id("Test Set")).starts_with("id is 'Test Set', "));
}

TEST_CASE("a title has at most 250 characters, however many bytes they take") {
  check_good({title(""), title(times(250, "a")), title(times(250, "\xc3\xa9")), title(times(250, "\xf0\x9f\x8c\x8d"))});
  check_bad({{"letters", title(times(251, "a")), "title has 251 characters, expected at most 250"},
             {"two bytes each", title(times(251, "\xc3\xa9")), "title has 251 characters, expected at most 250"},
             {"long", title(times(100'000, "a")), "title has 100000 characters, expected at most 250"}});
}

TEST_CASE("the 21 tasks are accepted and no others, and an empty list is refused") {
  const std::vector<std::string> tasks = {"regression",
                                          "classification",
                                          "scene-classification",
                                          "detection",
                                          "object-detection",
                                          "segmentation",
                                          "semantic-segmentation",
                                          "instance-segmentation",
                                          "similarity-search",
                                          "panoptic-segmentation",
                                          "generative",
                                          "image-captioning",
                                          "super-resolution",
                                          "denoising",
                                          "inpainting",
                                          "colorization",
                                          "style-transfer",
                                          "deblurring",
                                          "dehazing",
                                          "foundation-model",
                                          "other"};
  CHECK(tasks.size() == 21);
  check_good({[&](Collection& c) { c.tasks = tasks; }});
  for (const std::string bad : {"", "Regression", "other ", "cloud-detection"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_task(bad));
    const auto found = faults_after([&](Collection& c) { c.tasks = {"other", bad}; });
    CHECK(found.starts_with("tasks[1] is '" + bad + "', expected one of regression, classification, "));
    for (const auto& task : tasks) CHECK(has_text(found, task));
  }
  const auto none = faults_after([](Collection& c) { c.tasks = {}; });
  CHECK(none.starts_with("tasks is empty, expected one of regression, "));
  CHECK(none.ends_with("foundation-model, other\n"));
}

TEST_CASE("required members may not be empty") {
  check_bad({
      {"version", [](Collection& c) { c.dataset_version = ""; }, "dataset_version is '', expected one such as 1.0.0"},
      {"description", [](Collection& c) { c.description = ""; }, "description is empty, expected what the dataset is"},
      {"licenses", [](Collection& c) { c.licenses = {}; },
       "licenses is empty, expected an SPDX identifier such as CC-BY-4.0"},
      {"providers", [](Collection& c) { c.providers = {}; },
       "providers is empty, expected who made or hosts the dataset"},
  });
  check_good({[](Collection&) {}, [](Collection& c) { c.curators = std::vector<Contact>(); },
              [](Collection& c) { c.keywords = std::vector<std::string>(); },
              [](Collection& c) { c.licenses = {"not of the list"}; }});
}

TEST_CASE("a contact has a name, an e-mail with @ and an http URL") {
  check_good({
      provider({.name = "P"}),
      provider({.organization = "O"}),
      provider({.name = "P", .organization = "O", .email = "a@b", .role = "r", .roles = {"host"}}),
      provider({.name = "P", .url = "http://p"}),
      provider({.name = "P", .url = "HTTPS://p"}),
      curator({.organization = "O", .email = "@"}),
  });
  check_bad({
      {"no name", provider({.role = "host"}), "providers[0] has neither name nor organization, expected one of them"},
      {"no name", curator({.email = "a@b"}), "curators[1] has neither name nor organization, expected one of them"},
      {"e-mail", provider({.name = "P", .email = "nobody"}),
       "providers[0].email is 'nobody', expected an address with @"},
      {"e-mail", curator({.name = "C", .email = "a at b"}),
       "curators[1].email is 'a at b', expected an address with @"},
      {"ftp", provider({.name = "P", .url = "ftp://p"}),
       "providers[0].url is 'ftp://p', expected http:// or https:// first"},
      {"no scheme", provider({.name = "P", .url = "example.com/http://"}),
       "providers[0].url is 'example.com/http://', expected http:// or https:// first"},
      {"no slashes", curator({.name = "C", .url = "http:"}),
       "curators[1].url is 'http:', expected http:// or https:// first"},
  });
}

TEST_CASE("a box has finite degrees and a south below its north; it may cross the antimeridian") {
  check_good({spatial({-180, -90, 180, 90}), spatial({0, 0, 0, 0}), spatial({170, -10, -170, 10}),
              spatial({180, 90, -180, 90})});
  check_bad({
      {"west", spatial({-180.5, 0, 0, 0}), "extent.spatial: west is -180.5, expected -180 to 180"},
      {"east", spatial({0, 0, 360, 0}), "extent.spatial: east is 360, expected -180 to 180"},
      {"south", spatial({0, -90.000001, 0, 0}), "extent.spatial: south is -90.000001, expected -90 to 90"},
      {"north", spatial({0, 0, 0, 91}), "extent.spatial: north is 91, expected -90 to 90"},
      {"NaN", spatial({kNan, 0, 0, 0}), "extent.spatial: west is nan, expected -180 to 180"},
      {"NaN", spatial({0, kNan, 0, 0}), "extent.spatial: south is nan, expected -90 to 90"},
      {"infinite", spatial({0, 0, kInfinity, 0}), "extent.spatial: east is inf, expected -180 to 180"},
      {"order", spatial({0, 10, 1, 9.5}), "extent.spatial: south is 10, expected at most north, which is 9.5"},
  });
  CHECK(faults_after(spatial({-200, 100, 200, -100})) ==
        "extent.spatial: west is -200, expected -180 to 180\n"
        "extent.spatial: south is 100, expected -90 to 90\n"
        "extent.spatial: east is 200, expected -180 to 180\n"
        "extent.spatial: north is -100, expected -90 to 90\n"
        "extent.spatial: south is 100, expected at most north, which is -100\n");
}

TEST_CASE("a time range starts before it ends, in years that RFC 3339 can write") {
  check_good({temporal(kMonday, kTuesday), temporal(kMonday, kMonday), temporal(kOpenStart, kMonday),
              temporal(kMonday, kOpenEnd), temporal(kOpenStart, kOpenEnd),
              temporal({kYear0.microseconds + 1}, {kYear10000.microseconds - 1})});
  check_bad({
      {"order", temporal(kTuesday, kMonday),
       "extent.temporal: start is 2023-01-03T00:00:00Z, expected at most the end, which is 2023-01-02T00:00:00Z"},
      {"far", temporal(kMonday, kYear10000),
       "extent.temporal: end is 10000-01-01T00:00:00Z, expected a year from 0001 to 9999"},
      {"early", temporal(kYear0, kMonday),
       "extent.temporal: start is 0000-12-31T23:59:59.999999Z, expected a year from 0001 to 9999"},
  });
}

TEST_CASE("all faults of a collection are found together") {
  const auto faults = collection_faults({.dataset_version = "", .title = times(251, "a")});
  std::vector<std::string> members;
  for (const auto& fault : faults) members.push_back(fault.substr(0, fault.find(' ')));
  CHECK(members ==
        std::vector<std::string>{"id", "dataset_version", "description", "title", "licenses", "providers", "tasks"});
}

TEST_CASE("foreign text in faults is escaped and shortened") {
  const auto found = faults_after(id("\x1b[31m" + times(1000, "a")));
  CHECK(has_text(found, "\\x1b[31maaa"));
  CHECK(found.size() < 300);
}
