#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <thread>

#include "base/text.hpp"
#include "dataset/dataset_impl.hpp"
#include "support/placed_data.hpp"
#include "tacore/ops/consolidate.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/plumbing/serialize.hpp"

// Bounds of the datasets of a TACOLLECTION.json: whatever they say, the rows are those that are found where all
// datasets are opened, and those that a loop over the places finds.
namespace tacore {
namespace {

constexpr std::size_t kPerPart = 100, kParts = 12;

std::vector<Place> sorted_places() {
  auto all = places(static_cast<int>(kPerPart * kParts));
  std::ranges::sort(all, {}, [](const Place& place) { return place.lon; });
  return all;
}

/// Parts of a sorted list, one of them a FOLDER where `with_folder`, and their TACOLLECTION.json.
struct Collected {
  Workshop shop = Workshop::in_memory();
  std::vector<Place> all = sorted_places();
  Strings paths = {};
  std::string path = {};

  explicit Collected(const TacollectionOptions& options = {.bounds = true}) {
    for (std::size_t part = 0; part < kParts; ++part) {
      paths.push_back(shop.out("p" + std::to_string(part) + ".tacozip"));
      create(placed_taco(all, part * kPerPart, (part + 1) * kPerPart), paths.back());
    }
    path = create_tacollection(paths, options);
  }
  std::string json() const { return file_text(path); }
  std::string cache(const std::string& name = "cache") const { return shop.source(name); }
};

/// The rules that a dataset breaks without deep checks.
std::string rules_of(const std::string& path) {
  std::string out;
  for (const auto& issue : validate(path)) out += issue.rule + " ";
  return out;
}

int num_opened(const Dataset& dataset) { return impl_of(dataset)->partitions->num_opened(); }

using Ask = std::function<std::string(const Dataset&)>;

const std::vector<std::pair<const char*, Ask>>& questions() {
  static const std::vector<std::pair<const char*, Ask>> all{
      {"all", [](const Dataset& d) { return everything(d.data()); }},
      {"raw", [](const Dataset& d) { return dump(d.data_raw()); }},
      {"raw of some",
       [](const Dataset& d) {
         return dump(d.filter_bbox({10, 45, 30, 60}).data_raw());
       }},
      {"counts",
       [](const Dataset& d) {
         const Dataset some = d.filter_bbox({10, -45, 30, 60});
         return std::to_string(d.num_rows()) + " " + std::to_string(some.num_rows()) + " " +
                std::to_string(some.level_rows(0)) + " " + std::to_string(some.level_rows(1)) + " " +
                std::to_string(some.pit_schema().root_n) + " " + std::to_string(d.pit_schema().root_n) + " " +
                std::to_string(some.is_rsut()) + std::to_string(d.verify_rsut());
       }},
      {"boxes",
       [](const Dataset& d) {
         std::string out;
         for (const BBox& box : boxes()) out += everything(d.filter_bbox(box).data()) + "\n";
         return out;
       }},
      {"boxes below",
       [](const Dataset& d) {
         std::string out;
         for (const BBox& box : boxes()) out += everything(d.filter_bbox(box, {.level = 1}).data()) + "\n";
         return out;
       }},
      {"times", [](const Dataset& d) { return dump(d.filter_datetime("2012-01-01/2014-01-01").data()); }},
      {"times below", [](const Dataset& d) { return dump(d.filter_datetime("2021-11", {.level = 1}).data()); }},
      {"place and time",
       [](const Dataset& d) {
         return dump(d.filter_bbox({-180, -90, 0, 90}).filter_datetime("2012-01-01/2019-01-01").data());
       }},
      {"an id", [](const Dataset& d) { return dump(d.sql("SELECT * FROM data WHERE id = 's10345'").data()); }},
      {"no id", [](const Dataset& d) { return dump(d.sql("SELECT * FROM data WHERE id = 'missing'").data()); }},
      {"ids",
       [](const Dataset& d) { return dump(d.sql("SELECT id FROM data WHERE id IN ('s10001', 's11150')").data()); }},
      {"not an id",
       [](const Dataset& d) {
         return dump(d.sql("SELECT count(*) n FROM data WHERE id != 's10001' OR number = 7").data());
       }},
      {"ids of data and of another table",
       [](const Dataset& d) {
         return dump(d.sql("SELECT d.id FROM data d, l1 WHERE d.id = 's10001' AND l1.\"l1:id\" = 'red'").data());
       }},
      {"first", [](const Dataset& d) { return everything(d.limit(150).data()); }},
      {"first of some",
       [](const Dataset& d) {
         return everything(d.filter_bbox({-90, -90, 90, 90}).limit(7).data());
       }},
      {"some of the first",
       [](const Dataset& d) {
         return dump(d.limit(150).filter_bbox({-180, 0, 180, 90}).data());
       }},
      {"sorted", [](const Dataset& d) { return dump(d.sort("number", true).limit(3).data()); }},
      {"with a column",
       [](const Dataset& d) {
         return dump(d.with_column("twice", "2 * number").filter_bbox({10, 45, 30, 60}).data());
       }},
      {"flat",
       [](const Dataset& d) {
         return dump(d.filter_bbox({10, 45, 30, 60}).flatten());
       }},
      {"a frame in SQL",
       [](const Dataset& d) { return dump(d.data().filter("number % 211 = 0").sort("number", true)); }},
      {"nowhere", [](const Dataset& d) { return dump(d.filter_datetime("1900").data()); }},
      {"nowhere, raw", [](const Dataset& d) { return dump(d.filter_datetime("1900").sort("number").data_raw()); }},
      {"nowhere, by an aggregate",
       [](const Dataset& d) { return dump(d.filter_datetime("1900").sql("SELECT count(*) AS n FROM data").data()); }},
      {"a draw of nowhere",
       [](const Dataset& d) {
         const Dataset drawn = d.filter_datetime("1900").sql("SELECT * FROM data WHERE random() < 2");
         return dump(drawn.data()) + dump(drawn.filter_bbox({0, 0, 9, 9}).data());
       }},
      {"a draw of some",
       [](const Dataset& d) {
         const Dataset drawn = d.filter_bbox({10, -45, 30, 60}).sql("SELECT * FROM data WHERE random() < 2");
         return dump(drawn.data()) + dump(drawn.filter_bbox({12, 0, 19, 19}).data());
       }},
      {"nowhere below", [](const Dataset& d) { return dump(d.filter_datetime("1900", {.level = 1}).flatten()); }},
  };
  return all;
}

/// Each answer of a dataset, opened for it, is that of `other`.
void check_same(const std::function<Dataset()>& opened, const std::function<Dataset()>& other) {
  for (const auto& [name, ask] : questions()) {
    CAPTURE(name);
    CHECK(ask(opened()) == ask(other()));
  }
}

}  // namespace

TEST_CASE("with proved bounds, only the datasets are opened that may have rows") {
  const Workshop caches;
  const UserCache cache(caches.source("here"));
  const Collected parts;
  CHECK(faults(parts.path) == "");
  const auto loaded = [&] { return load(parts.path); };
  check_same(loaded, [&] {
    const UserCache nothing(caches.source("nothing"));
    const Report ignored;
    Dataset out = load(parts.path);
    CHECK_FALSE(impl_of(out)->partitions->has_bounds());
    return out;
  });
  // The same rows as those that a loop over the places finds, and as those of each dataset by itself.
  for (const BBox& box : boxes()) {
    CHECK(ids(loaded().filter_bbox(box).data()) == placed_in(parts.all, box));
    Strings each;
    for (const auto& path : parts.paths) {
      for (auto& id : ids(load(path).filter_bbox(box).data())) each.push_back(std::move(id));
    }
    CHECK(each == placed_in(parts.all, box));
  }
  const auto opens = [&](const std::function<void(const Dataset&)>& what) {
    const Report report;
    const Dataset dataset = loaded();
    what(dataset);
    CHECK(report.warnings() == "");
    return num_opened(dataset);
  };
  CHECK(opens([](const Dataset& d) { CHECK(d.num_rows() == kPerPart * kParts); }) == 1);
  CHECK(opens([](const Dataset& d) { CHECK(d.level_rows(1) == kPerPart * kParts); }) == 1);
  CHECK(opens([](const Dataset& d) { d.filter_bbox({-150, -90, -140, 90}).data(); }) <= 3);
  CHECK(opens([](const Dataset& d) { d.filter_bbox({40, -90, 41, 90}).data(); }) <= 3);
  CHECK(opens([](const Dataset& d) { d.filter_bbox({40, -90, 41, 90}, {.level = 1}).data(); }) <= 3);
  CHECK(opens([](const Dataset& d) { d.filter_datetime("2015").data(); }) == 2);
  CHECK(opens([](const Dataset& d) { d.sql("SELECT * FROM data WHERE id = 's10345'").data(); }) == 2);
  CHECK(opens([](const Dataset& d) { CHECK(to_text(d.data().read_bytes("s10345/red")) == "red of s10345"); }) == 2);
  CHECK(opens([](const Dataset& d) { d.data().read(kPerPart * 7 + 3); }) == 2);
  CHECK(opens([](const Dataset& d) { CHECK(d.limit(150).data().num_rows() == 150); }) == 2);
  CHECK(opens([](const Dataset& d) { d.sql("SELECT count(*) FROM data WHERE number = 5").data(); }) == kParts);
}

TEST_CASE("bounds that nothing proves here are not used, and those that are trusted are") {
  const Workshop caches;
  const UserCache cache(caches.source("here"));
  const Collected parts;
  const auto answer = [&](const LoadOptions& options = {}) {
    const Report report;
    const Dataset dataset = load(parts.path, options);
    CHECK(ids(dataset.filter_bbox(boxes()[0]).data()) == placed_in(parts.all, boxes()[0]));
    return std::to_string(num_opened(dataset)) + " " + report.warnings();
  };
  CHECK(answer().size() == 2);
  {
    const UserCache nothing(caches.source("nothing"));
    CHECK_MESSAGE(answer().starts_with("12 " + parts.path + ": its bounds are not used, because nothing proves"),
                  answer());
    CHECK(answer({.trust_bounds = true}).size() == 2);
    CHECK(validate(parts.path).empty());
    CHECK(answer().size() == 2);
  }
  {  // without a place for a cache nothing is remembered
    const UserCache none("/proc/nowhere");
    const Report report;
    create_tacollection(parts.paths, {.bounds = true, .overwrite = true});
    CHECK(report.warnings().find("cannot be remembered") != std::string::npos);
    CHECK(answer().starts_with("12 "));
  }
  // Whatever changes a dataset or the document: nothing is proved any more.
  const std::string& one = parts.paths[3];
  const std::pair<const char*, std::function<void()>> changes[] = {
      {"a time of a file, which then has the old time again",
       [&] {
         const auto then = std::filesystem::last_write_time(one);
         std::filesystem::last_write_time(one, then + std::chrono::seconds(1));
         std::filesystem::last_write_time(one, then);
       }},
      {"a copy",
       [&] {
         std::filesystem::copy(one, parts.shop.out("copy"));
         std::filesystem::rename(parts.shop.out("copy"), one);
       }},
      {"an edit",
       [&] {
         edit(one, {.set = {{"title", "\"Changed\""}}});
       }},
      {"the document", [&] {
         std::string text = parts.json();
         text.replace(text.find("\"num_rows\": 100"), 15, "\"num_rows\": 101");
         std::ofstream(parts.path, std::ios::binary) << text;
       }}};
  for (const auto& [name, change] : changes) {
    CAPTURE(name);
    create_tacollection(parts.paths, {.bounds = true, .overwrite = true});
    CHECK(answer().size() == 2);
    change();
    CHECK(answer().starts_with("12 "));
  }
}

TEST_CASE("a new sample in a dataset is found, though the bounds do not know it") {
  const Workshop caches;
  const UserCache cache(caches.source("here"));
  const Collected parts;
  const BBox west{-179.5, -90, -170, 90};
  const auto before = ids(load(parts.path).filter_bbox(west).data());
  // The same number of rows, at other places: those of the first dataset also in the last.
  std::filesystem::remove(parts.paths[11]);
  create(placed_taco(parts.all, 0, kPerPart), parts.paths[11]);
  const Report report;
  CHECK(ids(load(parts.path).filter_bbox(west).data()).size() > before.size());
  CHECK(report.warnings().find("nothing proves") != std::string::npos);
  std::string broken;
  for (const auto& issue : validate(parts.path)) broken += issue.rule + " " + issue.message + "\n";
  CHECK_MESSAGE(broken.find("CAT-10 source 'p11.tacozip': geometries of 'istac:geometry' are not within the bounds") !=
                    std::string::npos,
                broken);
  CHECK(broken.find("CAT-10 source 'p11.tacozip': ids from 's10000' to 's10099' are not within") != std::string::npos);
  CHECK(broken.find("times of 'istac:time_start' are not within") != std::string::npos);
  CHECK(ids(load(parts.path).filter_bbox(west).data()).size() > before.size());  // not proved by that
}

TEST_CASE("trusted bounds that contradict a dataset that is opened are ignored with a warning") {
  const Workshop caches;
  const UserCache cache(caches.source("here"));
  const Collected parts;
  const LoadOptions trust{.trust_bounds = true};
  const auto expect = placed_in(parts.all, boxes()[0]);
  const std::pair<std::string, std::string> changes[] = {{"\"num_rows\": 100", "\"num_rows\": 99"},
                                                         {"\"num_rows\": 100", "\"num_rows\": \"100\""},
                                                         {"\"num_rows\": 100", "\"num_rows\": -100"},
                                                         {"\"places\": {", "\"places\": { \"x\": [1, 2, 3],"},
                                                         {"\"places\": {", "\"places\": { \"x\": [5, 2, 3, 4],"},
                                                         {"\"times\": {", "\"times\": { \"x\": [5, 2],"},
                                                         {"\"times\": {", "\"times\": { \"x\": [1.5, 2],"},
                                                         {"\"s10000\"", "\"t\""},
                                                         {"\"bounds\": [", "\"bounds\": [ [{\"num_rows\": 1}],"}};
  const std::string right = parts.json();
  for (const auto& [from, to] : changes) {
    CAPTURE(to);
    std::string text = right;
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    std::ofstream(parts.path, std::ios::binary) << text;
    const Report report;
    const Dataset dataset = load(parts.path, trust);
    CHECK(ids(dataset.filter_bbox(boxes()[0]).data()) == expect);
    CHECK_MESSAGE(report.warnings().find("ounds are not used") != std::string::npos, report.warnings());
    CHECK(load(parts.path).data().num_rows() == kPerPart * kParts);
    CHECK(rules_of(parts.path).find("CAT-10") != std::string::npos);
  }
}

TEST_CASE("bounds of a dataset that cannot be read whole are not proved by validating it") {
  const Workshop caches;
  const UserCache cache(caches.source("here"));
  const Collected parts;
  const UserCache nothing(caches.source("nothing"));
  std::string bytes = file_text(parts.paths[7]);
  bytes.replace(bytes.rfind("PAR1"), 4, "XXXX");
  std::ofstream(parts.paths[7], std::ios::binary) << bytes;
  CHECK(faults(parts.path) != "");
  const Report ignored;
  CHECK_FALSE(impl_of(load(parts.path))->partitions->has_bounds());
}

TEST_CASE("a dataset that changes after the index was opened is not mixed with what was known of it") {
  const Workshop caches;
  const UserCache cache(caches.source("here"));
  const Collected parts;
  const Dataset dataset = load(parts.path);
  CHECK(dataset.num_rows() == kPerPart * kParts);
  std::filesystem::remove(parts.paths[11]);
  create(placed_taco(parts.all, 0, kPerPart), parts.paths[11]);  // as many rows, at other places
  const BBox east{150, -90, 179.5, 90};
  const Report report;
  CHECK(ids(dataset.filter_bbox(east).data()) == ids(load(parts.path).filter_bbox(east).data()));
  says(report.warnings(), "p11.tacozip: changed since the dataset was opened; the bounds are not used");
}

TEST_CASE("a row whose dataset contradicts trusted bounds is an error, not another row") {
  const Workshop caches;
  const UserCache cache(caches.source("here"));
  const Collected parts;
  std::filesystem::remove(parts.paths[5]);
  create(placed_taco(parts.all, 500, 590), parts.paths[5]);
  const DataFrame all = load(parts.path, {.trust_bounds = true}).data();
  CHECK(all.num_rows() == kPerPart * kParts);
  CHECK(error_of([&] { all.read(599); }).find("has 90 rows in level 0, but its TACOLLECTION.json states 100") !=
        std::string::npos);
  // Nor are its other rows taken for those at their places, once the contradiction is known.
  for (const int64_t row : {599, 595, 500}) {
    CAPTURE(row);
    says(error_of([&] { all.read(row); }), "has 90 rows in level 0");
    says(error_of([&] { (void)all.text(row, "id"); }), "has 90 rows in level 0");
  }
  CHECK(load(parts.path).data().num_rows() == kPerPart * kParts - 10);
}

namespace {

constexpr int kMany = 150;

/// Parts of three samples each.
Strings many_parts(const Workshop& shop) {
  Strings paths;
  for (int part = 0; part < kMany; ++part) {
    std::vector<Sample> samples;
    for (int i = 0; i < 3; ++i) {
      const std::string id = "p" + std::to_string(1000 + part) + "_" + std::to_string(i);
      samples.emplace_back(id, to_bytes(id),
                           std::vector<MetadataField>{{"number", static_cast<int64_t>(3 * part + i)}});
    }
    paths.push_back(shop.out("p" + std::to_string(1000 + part) + ".tacozip"));
    create({Tortilla(std::move(samples)), collection()}, paths.back());
  }
  return paths;
}

}  // namespace

TEST_CASE("rows of many datasets, of which few stay open") {
  const Workshop caches;
  const UserCache cache(caches.source("here"));
  const Workshop shop = Workshop::in_memory();
  const Dataset dataset = load(create_tacollection(many_parts(shop), {.bounds = true}));
  const DataFrame all = dataset.data();
  for (int64_t step = 0; step < 3 * kMany; ++step) {
    const int64_t row = step * 187 % (3 * kMany);  // every row, far apart
    CHECK(all.text(row, "number") == std::to_string(row));
    CHECK(to_text(all.read_bytes(row)) == all.text(row, "id"));
    CHECK(num_opened(dataset) <= 65);
  }
  CHECK(ids(all).size() == 3 * kMany);
  CHECK(num_opened(dataset) <= 65);
  CHECK(dataset.sql("SELECT * FROM data WHERE number >= 0").data().num_rows() == 3 * kMany);
}

TEST_SUITE("threads") {
  TEST_CASE("eight threads on one dataset of many parts read the same rows, while parts are closed") {
    const Workshop caches;
    const UserCache cache(caches.source("here"));
    const Workshop shop = Workshop::in_memory();
    const Dataset dataset = load(create_tacollection(many_parts(shop), {.bounds = true}));
    std::vector<std::string> errors(8);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < errors.size(); ++t) {
      threads.emplace_back([&, t] {
        errors[t] = error_of([&] {
          const DataFrame all = dataset.data();
          for (int64_t step = 0; step < kMany; ++step) {
            const int64_t row = (step * 187 + static_cast<int64_t>(t) * 40) % (3 * kMany);
            if (all.text(row, "number") != std::to_string(row)) throw QueryError("another row");
          }
          if (dataset.limit(4 + static_cast<int64_t>(t)).data().num_rows() != 4 + static_cast<int64_t>(t))
            throw QueryError("other rows");
        });
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(errors == std::vector<std::string>(8));
    CHECK(num_opened(dataset) < 100);
  }
}

TEST_CASE("an exported part and a serialized frame do not depend on a proof") {
  const Workshop caches;
  const UserCache cache(caches.source("here"));
  const Collected parts;
  const auto selected = [&] { return load(parts.path).filter_bbox({10, -45, 30, 60}); };
  const auto exported = [&](const std::string& name) {
    export_dataset(selected(), parts.shop.out(name), {});
    const std::string text = load(parts.shop.out(name)).collection().json;
    return text.substr(0, text.find("\"taco:subset_date\"")) +
           dump(load(parts.shop.out(name)).data().select({"id", "number"}));
  };
  const auto versions = [&](const Dataset& dataset) {
    std::string out;
    for (const auto& [path, version] : file_versions(dataset.data())) out += path + " " + version + "\n";
    return out;
  };
  const std::string here = exported("a"), known = versions(selected()), all = versions(load(parts.path));
  const Bytes rows = serialize(selected().data());
  const std::string shown = dump(selected().data());
  const UserCache nothing(caches.source("nothing"));
  const Report ignored;
  CHECK(exported("b") == here);
  CHECK(versions(selected()) == known);
  CHECK(versions(load(parts.path)) == all);
  CHECK(dump(deserialize(selected(), rows)) == shown);
}

TEST_CASE("bounds need the same columns in all datasets, and hold for FOLDERs as well") {
  const Workshop caches;
  const UserCache cache(caches.source("here"));
  const Workshop shop;
  const auto all = sorted_places();
  create(placed_taco(all, 0, 100), shop.out("a"));
  create(placed_taco(all, 1000, 1100), shop.out("b"));
  create(placed_taco(all, 1000, 1100), shop.out("c.tacozip"));
  CHECK(error_of([&] {
          create_tacollection({shop.out("a"), shop.out("c.tacozip")}, {.bounds = true});
        }).find("internal:") != std::string::npos);
  CHECK(error_of([&] {
          create_tacollection({shop.out("a"), shop.out("b")}, {.validate_schema = false, .bounds = true});
        }).find("validate_schema") != std::string::npos);
  const std::string path = create_tacollection({shop.out("a"), shop.out("b")}, {.bounds = true});
  const BBox east{160, -90, 179, 90};
  const auto found = ids(load(path).filter_bbox(east).data());
  CHECK(found == ids(load(shop.out("b")).filter_bbox(east).data()));
  const auto opened = [&] {
    const Dataset dataset = load(path);
    dataset.filter_bbox({-170, -90, -169, 90}).data();
    return num_opened(dataset);
  };
  CHECK(opened() == 1);
  edit(shop.out("b"), {.set = {{"title", "\"Changed\""}}});
  const Report report;
  CHECK(opened() == 2);
  CHECK(report.warnings().find("nothing proves") != std::string::npos);
}

}  // namespace tacore
