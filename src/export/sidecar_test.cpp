#include "tacore/ops/sidecar.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <thread>

#include "base/text.hpp"
#include "container/sidecar_file.hpp"
#include "dataset/dataset_impl.hpp"
#include "support/placed_data.hpp"
#include "support/table_files.hpp"
#include "table/sidecar_table.hpp"
#include "table/stored_table.hpp"
#include "tacore/ops/consolidate.hpp"
#include "tacore/ops/edit.hpp"

// Side-cars: whatever they say, the rows are those that are found without them, and those that a loop over the places
// finds.
namespace tacore {
namespace {

/// Enough rows for some pages.
constexpr std::size_t kNumPlaced = 50'000;

const std::vector<Place>& all_places() {
  static const std::vector<Place> all = [] {
    std::vector<Place> out = places(static_cast<int>(kNumPlaced));
    // The few pages of so many rows would all be wide, if each had a place across the antimeridian.
    for (Place& place : out) {
      if (std::abs(place.lon) + place.half >= 180) place.lat = -std::abs(place.lat);
    }
    return out;
  }();
  return all;
}

/// FOLDERs with a FILE each, in no order, in a ZIP; made once.
struct Unsorted {
  Workshop shop = Workshop::in_memory();
  std::string zip = shop.out("unsorted.tacozip");

  Unsorted() { create(placed_taco(all_places(), 0, kNumPlaced), zip); }
  static const Unsorted& get() {
    static const Unsorted one;
    return one;
  }
};

/// Its level 0 as FILEs alone: the `__meta__` of so many FOLDERs take seconds to write.
Taco placed_files(std::size_t begin, std::size_t end) {
  const auto& all = all_places();
  std::vector<Sample> samples;
  for (std::size_t i = begin; i < end; ++i) {
    std::vector<MetadataField> place{{"istac:geometry", Binary{wkb_of(all[i])}}};
    if (i % 97 == 0) place[0].value = Value();
    samples.emplace_back(placed_name(i), to_bytes(placed_name(i)), place);
  }
  return {Tortilla(std::move(samples)), collection()};
}

using Answer = std::function<std::string(const Dataset&)>;

/// Answers of a few rows each, with the columns of all levels.
const std::vector<std::pair<const char*, Answer>>& answers() {
  static const BBox small{10, 45, 12, 47}, across{179.6, -20, -179.6, 20};
  static const std::vector<std::pair<const char*, Answer>> all{
      {"a box", [](const Dataset& d) { return everything(d.filter_bbox(small).data()); }},
      {"a box, raw", [](const Dataset& d) { return dump(d.filter_bbox(small).data_raw()); }},
      {"across the antimeridian", [](const Dataset& d) { return dump(d.filter_bbox(across).data()); }},
      {"a pole",
       [](const Dataset& d) {
         return dump(d.filter_bbox({0, 89.9, 1, 90}).data());
       }},
      {"footprints", [](const Dataset& d) { return dump(d.filter_bbox(small, {.column = "footprint"}).data()); }},
      {"a box below", [](const Dataset& d) { return everything(d.filter_bbox(small, {.level = 1}).data()); }},
      {"two boxes",
       [](const Dataset& d) {
         return dump(d.filter_bbox(small).filter_bbox({11, 40, 15, 46}).data());
       }},
      {"boxes of two levels",
       [](const Dataset& d) {
         return dump(d.filter_bbox(across).filter_bbox({170, 0, 180, 9}, {.level = 1}).data());
       }},
      {"place and time",
       [](const Dataset& d) {
         return dump(d.filter_bbox({0, 0, 9, 9}).filter_datetime("2012-01-01/2014-01-01").data());
       }},
      {"count", [](const Dataset& d) { return std::to_string(d.filter_bbox(small).num_rows()); }},
      {"flat", [](const Dataset& d) { return dump(d.filter_bbox(small).flatten()); }},
      {"sorted", [](const Dataset& d) { return dump(d.filter_bbox(small).sort("number", true).data()); }},
      {"first",
       [](const Dataset& d) {
         return dump(d.filter_bbox({0, 0, 20, 20}).limit(7).data());
       }},
      {"of the first", [](const Dataset& d) { return dump(d.limit(30'000).filter_bbox(small).data()); }},
      {"an id", [](const Dataset& d) { return dump(d.sql("SELECT * FROM data WHERE id = 's33210'").data()); }},
      {"ids",
       [](const Dataset& d) { return dump(d.sql("SELECT * FROM data WHERE id IN ('s45999', 's10000')").data()); }},
      {"no id", [](const Dataset& d) { return dump(d.sql("SELECT * FROM data WHERE id = 'none'").data()); }},
      {"an id in a place",
       [](const Dataset& d) {
         return dump(d.filter_bbox(across).sql("SELECT * FROM data WHERE id < 's2' AND number < 25000").data());
       }},
      {"a join with all levels",
       [](const Dataset& d) {
         return dump(
             d.filter_bbox(small)
                 .sql("SELECT d.id, l1.\"l1:id\" AS below FROM data d JOIN l1 ON l1.\"l0:id\" = d.id ORDER BY 1")
                 .data());
       }},
      {"positions",
       [](const Dataset& d) {
         return dump(d.filter_bbox(small).sql("SELECT *, row_number() OVER () AS n FROM data").data());
       }},
      {"a column that is added",
       [](const Dataset& d) { return dump(d.filter_bbox(small).with_column("twice", "2 * number").data()); }},
      {"bytes",
       [](const Dataset& d) {
         const DataFrame found = d.filter_bbox(small).data();
         std::string out;
         for (const auto& id : ids(found)) out += to_text(found.read_bytes(id + "/red")) + "\n";
         return out;
       }},
  };
  return all;
}

/// The answers of a dataset with side-cars, and whether one was used for each.
struct Asked {
  Strings texts = {};
  int num_used = 0;
  std::string warnings = {};
};

Asked ask(const std::function<Dataset()>& open, std::size_t every) {
  Asked out;
  for (std::size_t i = 0; i < answers().size(); i += every) {
    const auto& [name, answer] = answers()[i];
    const Report report;
    out.texts.push_back(std::string(name) + "\n" + answer(open()));
    out.num_used += report.has(LogLevel::Info, " of the side-car ");
    out.warnings += report.warnings();
  }
  return out;
}

/// Checks that all answers, or each of so many, are those without a side-car; returns how many used one, and the
/// warnings.
std::string compare(const std::function<Dataset()>& open, std::size_t every = 1) {
  const Workshop caches;
  const Asked here = ask(open, every);
  const UserCache nothing(caches.source("nothing"));
  const Asked there = ask(open, every);
  for (std::size_t i = 0; i < here.texts.size(); ++i) CHECK(here.texts[i] == there.texts[i]);
  return std::to_string(here.num_used) + " " + here.warnings;
}

std::string box_rows(const Dataset& dataset) {
  const DataFrame found = dataset.filter_bbox({10, 45, 12, 47}).data();
  return join(ids(found), " ") + " " + join(values(found, "number"), " ");
}

/// A copy of the dataset of Unsorted, to be changed.
std::string copied(const Workshop& to, const std::string& name = "copy.tacozip") {
  fs::copy_file(Unsorted::get().zip, to.out(name));
  return to.out(name);
}

/// The side-car of level 0 beside a dataset.
std::string beside(const std::string& dataset) { return dataset + ".sidecar/level0.parquet"; }

/// The warnings of a box, whose rows must be right.
std::string warnings_of(const std::string& dataset, const LoadOptions& options = {}) {
  const Report report;
  const std::string found = box_rows(load(dataset, options));
  const std::string warnings = report.warnings(), used = report.has(LogLevel::Info, " of the side-car ") ? "used " : "";
  CHECK(found == box_rows(load(Unsorted::get().zip)));
  return used + warnings;
}

}  // namespace

TEST_CASE("with a side-car a filter reads few rows, and finds those that a loop finds") {
  const Unsorted& data = Unsorted::get();
  const Workshop caches;
  const UserCache cache(caches.source("here"));
  const auto made = create_sidecar(data.zip);
  CHECK(made.size() == 2);
  CHECK(made[0].starts_with(caches.source("here")));
  const auto open = [&] { return load(data.zip); };
  CHECK(compare(open) == "15 ");
  for (const BBox& box : boxes()) {
    CAPTURE(box.minx);
    CAPTURE(box.miny);
    CHECK(ids(open().filter_bbox(box).data()) == placed_in(all_places(), box));
  }
  // The same bytes, whatever the number of threads.
  const std::string before = file_text(made[0]);
  create_sidecar(data.zip, {.task = {.jobs = 7}});
  CHECK(file_text(made[0]) == before);
}

TEST_CASE("a dataset in any container, and joined with another, has side-cars") {
  const Unsorted& data = Unsorted::get();
  const Workshop shop = Workshop::in_memory(), caches;
  const UserCache cache(caches.source("here"));
  const Strings halves{shop.out("a.tacozip"), shop.out("b.tacozip")};
  create(placed_files(0, kNumPlaced / 2 + 9), halves[0]);
  create(placed_files(kNumPlaced / 2 + 9, kNumPlaced), halves[1]);
  const std::string index = create_tacocat(halves), file = create_tacocat(halves, {.single_file = true});
  const std::string folder = shop.out("folder");
  create(placed_files(0, kNumPlaced), folder, {});
  const auto check_places = [&](const std::function<Dataset()>& open) {
    const Report report;
    for (const BBox& box : {boxes()[0], boxes()[2], boxes()[7], boxes()[9]})
      CHECK(ids(open().filter_bbox(box).data()) == placed_in(all_places(), box));
    CHECK(ids(open().sql("SELECT * FROM data WHERE id = 's33210'").data()) == Strings{"s33210"});
    CHECK(report.has(LogLevel::Info, " of the side-car "));
    CHECK(report.warnings() == "");
  };
  for (const std::string& path : {index, file, folder}) {
    CAPTURE(path);
    CHECK(create_sidecar(path).size() == 1);
    check_places([&] { return load(path); });
  }
  for (const std::string& path : halves) create_sidecar(path);
  check_places([&] { return load(std::span(halves)); });
  const Strings twice{data.zip, copied(shop)};
  for (const std::string& path : twice) create_sidecar(path);
  CHECK(compare([&] { return load(std::span(twice)); }, 4).ends_with(" "));
  const std::string collected = create_tacollection(halves);
  check_places([&] { return load(collected); });
  CHECK_THROWS_WITH_AS(create_sidecar(collected), doctest::Contains("each dataset has its own side-cars"),
                       ValidationError);
}

TEST_CASE("a side-car of the cache is not used for another file, or when it was changed") {
  const Workshop shop = Workshop::in_memory(), caches;
  const UserCache cache(caches.source("here"));
  const std::string path = copied(shop);
  const std::string file = create_sidecar(path).at(0), bytes = file_text(file);
  CHECK(warnings_of(path) == "used ");
  const auto restore = [&] {
    create_sidecar(path);
    CHECK(warnings_of(path) == "used ");
  };
  const std::pair<const char*, std::function<void()>> changes[] = {
      {"the dataset is touched",
       [&] { fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1)); }},
      {"the dataset is a copy",
       [&] {
         fs::copy_file(path, shop.out("other"));
         fs::rename(shop.out("other"), path);
       }},
      {"the dataset has another table", [&] { edit(path, {.drop = {"number"}}); }},
      {"a byte of the side-car",
       [&] {
         std::string other = bytes;
         other[other.size() / 2] ^= 1;
         std::ofstream(file, std::ios::binary) << other;
       }},
      {"the side-car ends early", [&] { std::ofstream(file, std::ios::binary) << bytes.substr(0, bytes.size() / 2); }},
      {"the side-car is empty", [&] { std::ofstream(file, std::ios::binary).flush(); }},
      {"the side-car is another file", [&] { std::ofstream(file, std::ios::binary) << "PAR1 is no Parquet PAR1"; }},
      {"the side-car is that of level 1",
       [&] {
         fs::copy_file(file.substr(0, file.rfind('/')) + "/level1.parquet", file, fs::copy_options::overwrite_existing);
       }},
      {"the side-car is a folder",
       [&] {
         fs::remove(file);
         fs::create_directory(file);
       }},
  };
  for (const auto& [name, change] : changes) {
    CAPTURE(name);
    change();
    if (std::string_view(name) == "the dataset has another table") {
      const Report report;
      CHECK(ids(load(path).filter_bbox(boxes()[0]).data()) == placed_in(all_places(), boxes()[0]));
      CHECK(report.warnings().find("not used: ") != std::string::npos);
      fs::remove(path);
      copied(shop);
      restore();
      continue;
    }
    if (std::string_view(name) == "the side-car is a folder") {
      CHECK_THROWS_AS(box_rows(load(path)), IoError);
      fs::remove(file);
      restore();
      continue;
    }
    const std::string warnings = warnings_of(path);
    CHECK_MESSAGE(warnings.starts_with(file + ": not used: "), warnings);
    CHECK(std::ranges::count(warnings, '\n') == 1);
    restore();
  }
  fs::remove(file);
  CHECK(warnings_of(path) == "");
}

TEST_CASE("a side-car beside a dataset is used when it was proved here, or is trusted") {
  const Workshop shop = Workshop::in_memory(), caches;
  const UserCache cache(caches.source("here"));
  const std::string path = copied(shop);
  {
    const UserCache publisher(caches.source("publisher"));
    CHECK(create_sidecar(path, {.beside = true}).at(0) == beside(path));
    CHECK(warnings_of(path) == "used ");
  }
  const std::string right = file_text(beside(path));
  CHECK(warnings_of(path).starts_with(beside(path) + ": not used: nothing proves here"));
  CHECK(warnings_of(path, {.trust_sidecar = true}) == "used ");
  CHECK(check_sidecar(path) == Strings{beside(path), path + ".sidecar/level1.parquet"});
  CHECK(warnings_of(path) == "used ");
  CHECK(compare([&] { return load(path, {.trust_sidecar = true}); }) == "15 ");

  // Copies that lie, with all proofs that a writer can make.
  const auto level = std::get<std::shared_ptr<const Container>>(impl_of(load(path))->base.base)->stored_level(0);
  const auto forge = [&](const std::function<int64_t(int64_t)>& number) {
    const auto honest = read_stored_table(memory_source("beside", to_bytes(right)), {}).table;
    std::vector<std::optional<int64_t>> numbers;
    for (int64_t i = 0; i < honest->num_rows(); ++i) numbers.push_back(number(i));
    const int column = honest->schema()->GetFieldIndex(kRowOfLevel);
    const auto lie = check(
        honest->SetColumn(column, honest->field(column), std::make_shared<arrow::ChunkedArray>(integers(numbers))));
    const auto bytes =
        encode_parquet(*lie, {.covering = true, .id_index = true}, {{kSidecarKey, fingerprint_of(*level)}});
    std::ofstream(beside(path), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  };
  {
    const auto honest = read_stored_table(memory_source("beside", to_bytes(right)), {}).table;
    const auto lacking = check(honest->RemoveColumn(honest->schema()->GetFieldIndex("number")));
    const auto bytes =
        encode_parquet(*lacking, {.covering = true, .id_index = true}, {{kSidecarKey, fingerprint_of(*level)}});
    std::ofstream(beside(path), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    CHECK(warnings_of(path, {.trust_sidecar = true}) == beside(path) + ": not used: it lacks the column 'number'\n");
  }
  const auto is_refused = [&](const char* why) {
    CHECK(warnings_of(path).starts_with(beside(path) + ": not used: "));
    CHECK_THROWS_WITH_AS(check_sidecar(path), doctest::Contains(why), ValidationError);
    CHECK(warnings_of(path).starts_with(beside(path) + ": not used: "));
    std::ofstream(beside(path), std::ios::binary) << right;
    check_sidecar(path);
  };
  const LoadOptions trust{.trust_sidecar = true};
  forge([](int64_t i) { return i; });
  is_refused("differs in row group 0");
  forge([](int64_t i) { return i / 2; });
  is_refused("which does not exist or is there twice");
  forge([](int64_t i) { return i + 1'000'000; });
  CHECK_THROWS_WITH_AS(box_rows(load(path, trust)), doctest::Contains("that of none of the 50000 rows"), FormatError);
  is_refused("which does not exist");
  // The side-car of another state of the dataset is not even trusted.
  edit(path, {.drop = {"number"}});
  const Report report;
  CHECK(ids(load(path, trust).filter_bbox(boxes()[0]).data()) == placed_in(all_places(), boxes()[0]));
  CHECK(report.warnings().find("of an earlier state") != std::string::npos);
  CHECK_THROWS_WITH_AS(check_sidecar(path), doctest::Contains("of an earlier state"), FormatError);
}

TEST_CASE("what goes wrong while a side-car is made leaves nothing, and the old one") {
  const Workshop shop = Workshop::in_memory(), caches;
  const UserCache cache(caches.source("here"));
  const std::string path = copied(shop);
  const auto num_files = [](const std::string& folder) {
    return std::distance(fs::recursive_directory_iterator(folder), fs::recursive_directory_iterator());
  };
  const auto stop_after = [](uint64_t most) {
    return Task{.progress = [](uint64_t done, uint64_t, void* user) { return done < *static_cast<uint64_t*>(user); },
                .user = new uint64_t(most)};
  };
  for (const uint64_t most : {uint64_t{1}, uint64_t{60'000}, uint64_t{100'000}}) {
    const Task task = stop_after(most);
    CHECK_THROWS_WITH_AS(create_sidecar(path, {.task = task}), doctest::Contains("stopped"), IoError);
    delete static_cast<uint64_t*>(task.user);
    CHECK(num_files(caches.source("here")) == 2);  // tacore/sidecars
  }
  CHECK(warnings_of(path) == "");
  const std::string file = create_sidecar(path).at(0);
  const Task task = stop_after(99'999);
  CHECK_THROWS_AS(create_sidecar(path, {.task = task}), IoError);
  delete static_cast<uint64_t*>(task.user);
  CHECK(warnings_of(path) == "used ");
  CHECK(num_files(caches.source("here")) == 8);  // tacore, two levels in a folder in sidecars, two facts in proved
  {
    const UserCache none("/proc/nowhere");
    CHECK_THROWS_AS(create_sidecar(path), IoError);
    const Report report;
    create_sidecar(path, {.beside = true});
    CHECK(report.warnings().find("cannot be remembered") != std::string::npos);
    CHECK_THROWS_WITH_AS(check_sidecar(path), doctest::Contains("the user's cache"), IoError);
  }
  fs::remove_all(path + ".sidecar");
  fs::create_directory(path + ".sidecar");
  std::ofstream(path + ".sidecar/notes.txt") << "mine";
  CHECK_THROWS_WITH_AS(create_sidecar(path, {.beside = true}), doctest::Contains("a folder of other files"),
                       ValidationError);
  CHECK(file_text(path + ".sidecar/notes.txt") == "mine");
  CHECK_THROWS_WITH_AS(check_sidecar(path), doctest::Contains("no side-car beside"), ValidationError);
}

TEST_SUITE("threads") {
  TEST_CASE("eight threads open a side-car once, and find the same rows") {
    const Workshop shop = Workshop::in_memory(), caches;
    const UserCache cache(caches.source("here"));
    constexpr std::size_t kFew = 10'000;  // sanitizers of threads take their time
    create(placed_files(0, kFew), shop.out("a.tacozip"));
    create_sidecar(shop.out("a.tacozip"));
    const Dataset dataset = load(shop.out("a.tacozip"));
    std::vector<Strings> found(8);
    std::vector<std::thread> threads;
    for (auto& rows : found) threads.emplace_back([&] { rows = ids(dataset.filter_bbox(boxes()[0]).data()); });
    for (auto& thread : threads) thread.join();
    const std::vector<Place> few(all_places().begin(), all_places().begin() + kFew);
    for (const auto& rows : found) CHECK(rows == placed_in(few, boxes()[0]));
    CHECK(!found[0].empty());
  }
}

}  // namespace tacore
