#include "tacore/ops/replay.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>

#include "base/sha256.hpp"
#include "support/create_files.hpp"
#include "support/rounds.hpp"
#include "support/server.hpp"
#include "tacore/extensions/sha256.hpp"
#include "tacore/ops/consolidate.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/ops/sign.hpp"
#include "tacore/v1/convert.hpp"
#include "tacore/v1/create.hpp"

/// Exports that are made again from what they say of themselves. The oracle is the bytes of the files.
namespace tacore {
namespace {

/// The temporary folder of replays, which must be empty after each.
class TemporaryPlace {
 public:
  TemporaryPlace() { ::setenv("TMPDIR", folder_.path().c_str(), 1); }
  ~TemporaryPlace() {
    ::unsetenv("TMPDIR");
    CHECK(fs::is_empty(folder_.path()));
  }

 private:
  TemporaryFolder folder_;
};

/// Eight FOLDERs of two FILEs, with a place, a time and a number each; `tables.csv` names them in no order.
void make_source(const Workshop& shop, const std::string& name, bool has_hashes = false) {
  std::string table = "id,path,istac:time_start,lon,lat,cloud\n";
  for (const int i : {3, 1, 7, 0, 4, 2, 6, 5}) {
    for (const std::string child : {"red", "nir"}) {
      const std::string id = "s" + std::to_string(i), bytes = child + " of " + id;
      shop.add("data/" + id + child, bytes);
      table += id + "/" + child + ",data/" + id + child + ",202" + std::to_string(i) + "-06-01T00:00:00Z," +
               std::to_string(i * 10) + "," + std::to_string(i) + "," + std::to_string(i % 3);
      table += "\n";
    }
  }
  shop.add("t.csv", table);
  const Tortilla samples = Tortilla::from_table(shop.source("t.csv"));
  create({has_hashes ? extensions::with_sha256(samples) : samples, collection()}, shop.out(name));
}

/// A flat dataset with places and times.
void make_scattered(const Workshop& shop, const std::string& name, int count, const std::string& prefix = "f",
                    const std::string& id = "made") {
  std::vector<Sample> samples;
  std::mt19937 random(7);
  for (int i = 0; i < count; ++i) {
    const std::string sample = prefix + std::to_string((i * 37) % count);
    const double lon = -170 + static_cast<double>(random() % 340), lat = -80 + static_cast<double>(random() % 160);
    std::vector<MetadataField> fields{
        {"cloud", static_cast<int64_t>(random() % 5)},
        {"split", std::string(random() % 2 == 0 ? "train" : "test")},
        {"istac:time_start",
         Timestamp{int64_t{1'600'000'000'000'000} + static_cast<int64_t>(random() % 100'000'000) * 1'000'000}},
        {"place", Value(Value::List{lon, lat})}};
    samples.push_back(
        {sample, to_bytes(tacore::noise(20 + random() % 50, static_cast<uint64_t>(i))), std::move(fields)});
  }
  Collection about = collection();
  about.id = id;
  create({Tortilla(std::move(samples)), about}, shop.out(name));
}

/// All files of a folder, byte for byte.
std::map<std::string, std::string> bytes_below(const std::string& path) {
  std::map<std::string, std::string> out;
  if (!fs::is_directory(path)) return {{"", file_text(path)}};
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) out[fs::relative(entry.path(), path)] = file_text(entry.path());
  }
  return out;
}

std::string listed(const ReplayResult& done) {
  std::string out;
  for (const auto& each : done.differences) {
    out += fs::path(each.path).filename().string() + " " + (each.sample.empty() ? each.entry : each.sample) + " " +
           each.what + "\n";
  }
  return out;
}

const ExportOptions kRecorded{.provenance = true};

/// `differs`: set when there was no error, but other bytes.
std::string replay_error(const std::string& path, const ReplayOptions& options = {}, bool* differs = nullptr) {
  return error_of([&] {
    const ReplayResult done = replay_export(path, options);
    if (differs) *differs = done.num_differences > 0;
  });
}

TEST_CASE("a replay makes the bytes of an export, in both containers, at another time and from touched files") {
  const Workshop shop;
  const TemporaryPlace place;
  for (const std::string source : {"all.tacozip", "all"}) {
    make_source(shop, source);
    const Dataset some = load(shop.out(source))
                             .filter_datetime("2021-01-01/..", at(1))
                             .with_column("name", "upper(id)")
                             .sql("SELECT * FROM data WHERE id <> 's4'")
                             .sort("l1:istac:time_start", true)
                             .limit(3);
    for (const std::string name : {"some.tacozip", "some"}) {
      CAPTURE(source);
      CAPTURE(name);
      ::setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
      export_dataset(some, shop.out(name), kRecorded);
      ::setenv("SOURCE_DATE_EPOCH", "1800000000", 1);
      for (const auto& entry : fs::recursive_directory_iterator(shop.out("")))
        fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(1000));
      const ReplayResult done = replay_export(shop.out(name));
      CHECK(listed(done) == "");
      CHECK(done.num_differences == 0);
      CHECK(done.paths.empty());
      CHECK(done.num_bytes > 1000);
      const std::string again = shop.out("again-" + name);
      CHECK(replay_export(shop.out(name), {.output = again}).paths == Strings{again});
      ::unsetenv("SOURCE_DATE_EPOCH");
      CHECK((bytes_below(again) == bytes_below(shop.out(name))));
      CHECK(faults(shop.out(name)) == "");
      fs::remove_all(again);
      fs::remove_all(shop.out(name));
    }
  }
}

/// The SHA-256 that the first source of an export states.
std::string stated_hash(const std::string& path) {
  const std::string json = load(path).collection().json;
  const auto at = json.find("\"metadata_sha256\": \"") + 20;
  return json.substr(at, 64);
}

TEST_CASE("provenance states what was read: files, their hash, steps and options") {
  const Workshop shop;
  for (const std::string source : {"all.tacozip", "all"}) {
    make_scattered(shop, source, 30);
    const std::string made = shop.out("made-" + source);
    export_dataset(load(shop.out(source)).filter_bbox(-10.5, -90, 180, 90, {.column = "place"}).limit(2), made,
                   {.create = {.order = "time"}, .id = "new", .provenance = true});
    const std::string json = load(made).collection().json;
    CHECK_FALSE(has_text(json, shop.out("")));
    says(json, "\"file\": \"" + source + "\"");
    says(json, "\"dataset_version\": \"1.2.3\"");
    says(json, "\"limit\": 2");
    says(json, "-10.5,");
    says(json, "\"order\": \"time\"");
    says(json, "\"row_group_size\": 65536");
    std::string lines;
    const auto files = files_of(shop.out(source));
    for (const std::string name : {"COLLECTION.json", "METADATA/level0.parquet"})
      lines += hex(sha256(bytes_of(files.at(name)))) + "  " + name + "\n";
    CHECK(stated_hash(made) == hex(sha256(bytes_of(lines))));
  }
}

TEST_CASE("random chains of filters, queries, sorts and limits are replayed to the byte") {
  const Workshop shop = Workshop::in_memory();
  const TemporaryPlace place;
  make_scattered(shop, "flat.tacozip", 60);
  make_source(shop, "nested.tacozip");
  make_source(shop, "nested");
  make_scattered(shop, "more.tacozip", 40, "m");
  int num_made = 0;
  for (unsigned seed = 0; seed < rounds(40); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    const std::string source = Strings{"flat.tacozip", "nested.tacozip", "nested"}[below(3)];
    const bool is_flat = source == "flat.tacozip", is_joined = is_flat && below(3) == 0;
    const std::string level = is_flat ? "" : "l1:";
    const auto step = [&](const Dataset& from) -> Dataset {
      switch (below(is_flat ? 9 : 5)) {
        case 0: return from.limit(5 + below(40));
        case 1: return from.sort(level + "cloud", below(2) == 0);
        case 2: return from.sort("id", below(2) == 0);
        case 3:
          return from.filter_datetime(below(2) == 0 ? "2020-10-01T10:00:00Z/.." : "../2023-03-01", at(is_flat ? 0 : 1));
        case 4: return from.with_column("n" + std::to_string(below(3)), "length(id) + " + std::to_string(below(9)));
        case 5: return from.filter_bbox(-170.25, -80, 100 + static_cast<double>(below(70)), 79.5, {.column = "place"});
        case 6: return from.sql("SELECT * FROM data WHERE cloud <> " + std::to_string(below(5)));
        case 7:
          return is_joined
                     ? from.sql("SELECT * FROM data WHERE split = 'train' OR cloud < 3")
                     : from.sql("SELECT * FROM data WHERE split IN ('train', 'test') ORDER BY cloud, id LIMIT 30");
        default: return from.sql("SELECT *, cloud * 2 AS twice FROM data");
      }
    };
    Dataset view = load(shop.out(source));
    try {
      for (unsigned n = below(4); n > 0; --n) view = step(view);
      if (is_joined) {
        const std::vector<Dataset> both{view, load(shop.out("more.tacozip")).limit(9)};
        view = concat(both, below(2) == 0 ? ColumnMode::Intersection : ColumnMode::FillMissing);
        for (unsigned n = below(3); n > 0; --n) view = step(view);
      }
      if (view.num_rows() == 0) continue;
    } catch (const QueryError&) {  // a column that a query adds twice
      continue;
    }
    const bool is_zip = below(2) == 0, is_split = is_zip && below(3) == 0;
    const std::string name = shop.out(is_zip ? "out.tacozip" : "out");
    ExportOptions options{.create = {.split_size = is_split ? std::optional<uint64_t>(400) : std::nullopt,
                                     .order = below(4) == 0 ? "time" : ""},
                          .id = below(2) == 0 ? "new" : "",
                          .provenance = true};
    options.create.output.parquet.row_group_size = 1 + static_cast<int64_t>(below(50));
    options.create.output.parquet.id_index = below(3) == 0;
    options.create.task.jobs = 1 + static_cast<int>(below(3));
    const auto made = export_dataset(view, name, options);
    CHECK(listed(replay_export(made.front(), {.task = {.jobs = 1 + static_cast<int>(below(3))}})) == "");
    const TemporaryFolder folder;
    const std::string again = folder.path(is_zip ? "out.tacozip" : "out");
    const auto others = replay_export(made.back(), {.output = again}).paths;
    REQUIRE(others.size() == made.size());
    for (std::size_t i = 0; i < made.size(); ++i) CHECK((bytes_below(others[i]) == bytes_below(made[i])));
    const std::string index = shop.out(".tacocat");
    if (made.size() > 1) {
      CHECK((bytes_below(folder.path(".tacocat")) == bytes_below(index)));
      CHECK(listed(replay_export(shop.out(".tacocat"))) == "");
    }
    fs::remove_all(index);
    for (const auto& path : made) fs::remove_all(path);
    ++num_made;
  }
  CHECK(num_made > static_cast<int>(rounds(40)) * 2 / 3);
}

TEST_CASE("an export of several ZIPs is replayed by any of them, and compared with all") {
  const Workshop shop;
  const TemporaryPlace place;
  make_scattered(shop, "flat.tacozip", 30);
  fs::create_directory(shop.out("parts"));
  const auto made = export_dataset(load(shop.out("flat.tacozip")), shop.out("parts/x.tacozip"),
                                   {.create = {.split_size = 300, .group_by = {"split"}}, .provenance = true});
  REQUIRE(made.size() > 3);
  const ReplayOptions from{.sources = {shop.out("flat.tacozip")}};
  for (const std::string& path : {made[0], made[2], shop.out("parts"), shop.out("parts/.tacocat")})
    CHECK(listed(replay_export(path, from)) == "");
  says(replay_error(made[0], {.output = shop.out("parts/x.tacozip"), .sources = from.sources, .overwrite = true}),
       "ValidationError: " + shop.out("parts/x.tacozip") + ": would replace the export; another folder expected");
  says(replay_error(made[0], {.output = shop.out("y.tacozip"), .sources = from.sources}),
       "the ZIPs of the export are named after 'x.tacozip'");
  fs::remove(made[1]);
  CHECK(listed(replay_export(made[0], from)) ==
        fs::path(made[1]).filename().string() + "  is missing, a ZIP of the export expected\n");
}

TEST_CASE("a concatenation is replayed from all of its sources, wherever they are") {
  const Workshop shop;
  const TemporaryPlace place;
  make_scattered(shop, "a.tacozip", 12, "a");
  make_scattered(shop, "b.tacozip", 9, "b", "other");
  make_scattered(shop, "c", 7, "c", "third");
  edit(shop.out("c"), {.drop = {"split"}});
  const Dataset a = load(shop.out("a.tacozip")), b = load(shop.out("b.tacozip")), c = load(shop.out("c"));
  const std::vector<Dataset> inner{b.limit(3), a.sort("cloud")},
      outer{concat(inner), c.limit(4), a.sort("id").limit(2)};
  fs::create_directory(shop.out("elsewhere"));
  for (const ColumnMode mode : {ColumnMode::Intersection, ColumnMode::FillMissing}) {
    const std::string name = shop.out("elsewhere/all.tacozip");
    export_dataset(concat(outer, mode).sort("cloud").limit(10), name,
                   {.create = {.output = {.overwrite = true}}, .provenance = true});
    const ReplayResult done =
        replay_export(name, {.sources = {shop.out("c"), shop.out("a.tacozip"), shop.out("b.tacozip")}});
    CHECK(listed(done) == "");
    says(replay_error(name, {.sources = {shop.out("c"), shop.out("a.tacozip")}}),
         "ValidationError: " + shop.out("elsewhere/b.tacozip") +
             ": the source with id 'other', version '1.2.3' is missing");
  }
}

TEST_CASE("datasets of before 2.0, and indexes, are sources") {
  const Workshop shop;
  const TemporaryPlace place;
  make_source(shop, "new.tacozip");
  convert(shop.out("new.tacozip"), shop.out("old.taco"));
  convert(shop.out("new.tacozip"), shop.out("parts.taco"), {.split_size = 60});
  make_scattered(shop, "b.tacozip", 9, "b");
  make_scattered(shop, "c.tacozip", 9, "c");
  create_tacocat({shop.out("b.tacozip"), shop.out("c.tacozip")});
  Strings parts;
  for (const auto& entry : fs::directory_iterator(shop.out("")))
    if (has_text(entry.path().filename(), "parts.")) parts.push_back(entry.path());
  REQUIRE(parts.size() > 2);
  fs::create_directory(shop.out("made"));
  for (const std::string& source : {shop.out("old.taco"), parts[1], shop.out(".tacocat")}) {
    CAPTURE(source);
    const std::string made = shop.out("made/some.tacozip");
    export_dataset(load(source).limit(6), made, {.create = {.output = {.overwrite = true}}, .provenance = true});
    CHECK(listed(replay_export(made, {.sources = source == parts[1] ? parts : Strings{source}})) == "");
  }
}

TEST_CASE("what a replay could not make again is refused when provenance is asked for") {
  const Workshop shop;
  make_scattered(shop, "a.tacozip", 12, "a");
  make_scattered(shop, "b.tacozip", 9, "b");
  create_tacollection({shop.out("a.tacozip"), shop.out("b.tacozip")}, {.validate_schema = false});
  const Dataset all = load(shop.out("a.tacozip"));
  const auto refused = [&](const Dataset& view, const std::string& name = "no.tacozip") {
    const std::string said = text_of<ValidationError>([&] { export_dataset(view, shop.out(name), kRecorded); });
    CHECK_FALSE(fs::exists(shop.out(name)));
    return said;
  };
  for (const auto& [query, by] : std::map<std::string, std::string>{
           {"SELECT * FROM data WHERE random() < 2", "random()"},
           {"SELECT *, now() AS t FROM data", "now()"},
           {"SELECT *, current_date AS t FROM data", "current_date"},
           {"SELECT *, uuid() AS u FROM data", "uuid()"},
           {"SELECT * FROM data USING SAMPLE 3 ROWS", "a sample"},
           {"SELECT * FROM data TABLESAMPLE 90%", "a sample"},
           {"SELECT * FROM data WHERE id IN (SELECT id FROM data LIMIT 3)", "LIMIT in a subquery"},
           {"SELECT *, row_number() OVER (ORDER BY cloud) AS n FROM data ORDER BY id", "row_number() OVER"},
           {"SELECT *, (SELECT first(cloud) FROM data) AS n FROM data ORDER BY id", "first()"},
           {"SELECT DISTINCT ON (cloud) * FROM data ORDER BY id", "DISTINCT ON"}}) {
    CAPTURE(query);
    says(refused(all.sql(query)), "no provenance can be recorded: the query ");
    says(refused(all.sql(query)), " uses " + by + ", which may give other rows or values when it is run again");
    says(refused(all.sql(query).limit(3).sort("cloud")), " uses " + by);
    const std::vector<Dataset> both{load(shop.out("b.tacozip")), all.sql(query)};
    if (has_text(query, "SELECT * FROM data")) says(refused(concat(both)), " uses " + by);
  }
  for (const std::string query :
       {"SELECT * FROM data ORDER BY cloud", "SELECT * FROM data WHERE split IN ('train', 'x')",
        "SELECT * FROM data ORDER BY cloud LIMIT 3",
        "SELECT d.* FROM data d JOIN data e ON d.id = e.id ORDER BY d.id"}) {
    CAPTURE(query);
    says(refused(all.sql(query)), "leaves the order of rows open");
    says(refused(all.sql(query)), "a SELECT * FROM data that ends with ORDER BY ..., id has one order");
  }
  const std::vector<Dataset> both{all, load(shop.out("b.tacozip"))};
  says(refused(concat(both).sql("SELECT * FROM data ORDER BY id")),
       "the order of joined datasets stays with conditions, sort() and limit()");
  says(refused(to_dataset(all.data())), "the rows are those of a DataFrame, which no file holds");
  says(refused(load(shop.out("TACOLLECTION.json"))), "a TACOLLECTION.json decides with its filters");
  says(refused(all, "no.taco"), "is a file of a version before 2.0");
  // A LIMIT of rows in their order, and ORDER BY with the id, choose the same rows again.
  for (const std::string query :
       {"SELECT * FROM data LIMIT 4", "SELECT * FROM data ORDER BY cloud DESC, id LIMIT 4 OFFSET 1"}) {
    export_dataset(all.sql(query).limit(3), shop.out("yes.tacozip"),
                   {.create = {.output = {.overwrite = true}}, .provenance = true});
    CHECK(listed(replay_export(shop.out("yes.tacozip"))) == "");
  }
}

TEST_CASE("what changed in a source is told before anything is written") {
  const Workshop shop;
  const TemporaryPlace place;
  make_scattered(shop, "a.tacozip", 12, "a");
  const std::string made = shop.out("made.tacozip"), source = shop.out("a.tacozip");
  export_dataset(load(source).limit(5), made, kRecorded);
  const std::string before = file_text(source), hash = stated_hash(made);
  const auto expect = [&](const std::string& said, const ReplayOptions& options = {}) {
    ReplayOptions here = options;
    here.output = shop.out("again.tacozip");
    says(replay_error(made, here), said);
    CHECK_FALSE(fs::exists(here.output));
  };
  edit(source, {.set = {{"title", "\"Another\""}}});
  expect("ValidationError: " + source +
         ": the source with id 'made', version '1.2.3' has changed since the export: the SHA-256 of its metadata is '");
  expect("', expected '" + hash + "'");
  edit(source, {.set = {{"dataset_version", "\"1.3.0\""}}});
  expect("has changed since the export: dataset_version is '1.3.0', expected '1.2.3'");
  edit(source, {.set = {{"dataset_version", "\"1.2.3\""}, {"taco:merkle_root", '"' + std::string(64, '0') + '"'}}});
  expect("has changed since the export: taco:merkle_root is '" + std::string(64, '0') + "', expected 'none'");
  fs::remove(source);
  make_scattered(shop, "a.tacozip", 12, "a", "other");
  expect(source + ": is another dataset than the source with id 'made', version '1.2.3': its id is 'other'");
  fs::rename(source, shop.out("moved.tacozip"));
  expect("ValidationError: " + source + ": the source with id 'made', version '1.2.3' is missing");
  expect(": is another dataset than the source with id 'made'", {.sources = {shop.out("moved.tacozip")}});
  std::ofstream(shop.out("moved.tacozip"), std::ios::binary) << before;
  CHECK(listed(replay_export(made, {.sources = {shop.out("moved.tacozip")}})) == "");
  make_scattered(shop, "b.tacozip", 9, "b");
  expect("ValidationError: " + shop.out("b.tacozip") + ": is no source of the export '" + made + "': its id is 'made'",
         {.sources = {shop.out("moved.tacozip"), shop.out("b.tacozip")}});
  expect("IoError: " + shop.out("none.tacozip"), {.sources = {shop.out("none.tacozip")}});
  // A value of the metadata of one sample.
  shop.add("clouds.csv", "id,cloud\na3,77\n");
  edit(shop.out("moved.tacozip"), {.columns = {shop.source("clouds.csv")}});
  expect("has changed since the export: the SHA-256 of its metadata", {.sources = {shop.out("moved.tacozip")}});
}

TEST_CASE("data that changed under the same metadata are named by sample, with and without hashes") {
  for (const bool has_hashes : {false, true}) {
    for (const std::string made : {"made.tacozip", "made"}) {
      CAPTURE(has_hashes);
      CAPTURE(made);
      const Workshop shop;
      const TemporaryPlace place;
      make_source(shop, "all", has_hashes);
      export_dataset(load(shop.out("all")).sort("id").limit(6), shop.out(made), kRecorded);
      const std::string file = shop.out("all/DATA/s2/nir"), before = file_text(file);
      CHECK(before == "nir of s2");
      const std::string why = has_hashes ? "; not the data of taco:sha256: the source has changed\n" : "\n";
      std::ofstream(file) << "NIR of s2";
      const ReplayResult same_size = replay_export(shop.out(made));
      CHECK(same_size.num_differences == 1);
      CHECK(listed(same_size) == made + " s2/nir has other bytes than in the export" + why);
      std::ofstream(shop.out("all/DATA/s7/nir")) << "not exported";
      CHECK(listed(replay_export(shop.out(made))) == made + " s2/nir has other bytes than in the export" + why);
      std::ofstream(file) << "NIR of s2 and more";
      const ReplayResult larger = replay_export(shop.out(made), {.output = shop.out("again-" + made)});
      says(listed(larger), made + " s2/nir has 18 bytes, 9 in the export" + why);
      CHECK(load(shop.out("again-" + made)).num_rows() == 6);
      std::ofstream(file) << before;
      CHECK(listed(replay_export(shop.out(made))) == "");
      // The other way round: the export is damaged.
      if (made != "made") continue;
      std::ofstream(shop.out("made/DATA/s3/red")) << "RED of s3";
      CHECK(listed(replay_export(shop.out(made))) ==
            "made s3/red has other bytes than in the export" +
                std::string(has_hashes ? "; the data of taco:sha256, which the export has not\n" : "\n"));
    }
  }
}

TEST_CASE("the root of a signed source is compared, and that of a signed export differs") {
  const Workshop shop;
  const TemporaryPlace place;
  make_source(shop, "all.tacozip");
  create_key(shop.source("key"));
  const std::string root = sign_dataset(shop.out("all.tacozip"), {.key = shop.source("key")}).root;
  const std::string made = shop.out("made.tacozip");
  export_dataset(load(shop.out("all.tacozip")).limit(3), made, kRecorded);
  says(load(made).collection().json, "\"merkle_root\": \"" + root + "\"");
  CHECK_FALSE(has_text(load(made).collection().json, "\"taco:merkle_root\""));
  CHECK(listed(replay_export(made)) == "");
  edit(shop.out("all.tacozip"), {.unset = {"taco:merkle_root"}});
  says(replay_error(made), "has changed since the export: taco:merkle_root is 'none', expected '" + root + "'");
  make_source(shop, "again.tacozip");
  sign_dataset(shop.out("again.tacozip"), {.key = shop.source("key")});
  CHECK(listed(replay_export(made, {.sources = {shop.out("again.tacozip")}})) == "");
  sign_dataset(made, {.key = shop.source("key")});
  says(listed(replay_export(made, {.sources = {shop.out("again.tacozip")}})),
       "made.tacozip COLLECTION.json differs in taco:merkle_root\n");
}

TEST_CASE("sources that have much in common are told apart") {
  const Workshop shop;
  const TemporaryPlace place;
  make_scattered(shop, "a.tacozip", 9, "a");
  make_scattered(shop, "b.tacozip", 9, "b");
  fs::create_directory(shop.out("made"));
  const std::string made = shop.out("made/all.tacozip"), a = shop.out("a.tacozip"), b = shop.out("b.tacozip");
  const std::vector<Dataset> all{load(a), load(b), load(a).limit(2)};
  export_dataset(concat(all), made, kRecorded);
  CHECK(listed(replay_export(made, {.sources = {b, a}})) == "");
  edit(a, {.set = {{"title", "\"Another\""}}});
  says(replay_error(made, {.sources = {b, a}}), "ValidationError: " + a + ": the source with id 'made'");
  says(replay_error(made, {.sources = {b}}), shop.out("made/a.tacozip") + ": the source with id 'made'");
}

TEST_CASE("a TACOLLECTION.json among joined datasets is refused, or replayed") {
  const Workshop shop;
  const TemporaryPlace place;
  for (const std::string name : {"a", "b", "c"}) make_scattered(shop, name + ".tacozip", 5, name);
  create_tacollection({shop.out("b.tacozip"), shop.out("c.tacozip")});
  const std::vector<Dataset> first{load(shop.out("TACOLLECTION.json")), load(shop.out("a.tacozip"))};
  says(text_of<ValidationError>([&] { export_dataset(concat(first), shop.out("no.tacozip"), kRecorded); }),
       "a TACOLLECTION.json decides with its filters which datasets are read");
  const std::vector<Dataset> last{first[1], first[0].limit(7)};
  export_dataset(concat(last), shop.out("made.tacozip"), kRecorded);
  CHECK(listed(replay_export(shop.out("made.tacozip"))) == "");
}

TEST_CASE("every byte of an export counts") {
  const Workshop shop = Workshop::in_memory();
  const TemporaryPlace place;
  make_source(shop, "all.tacozip");
  const std::string made = shop.out("made.tacozip");
  export_dataset(load(shop.out("all.tacozip")).limit(2), made, kRecorded);
  const std::string bytes = file_text(made);
  int num_named = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 61) {
    CAPTURE(at);
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 4);
    std::ofstream(made, std::ios::binary) << other;
    std::string said;
    try {
      const ReplayResult done = replay_export(made);
      CHECK(done.num_differences > 0);
      REQUIRE(!done.differences.empty());
      num_named += !done.differences[0].entry.empty();
      // A changed COLLECTION.json may say that the replay has another one, whose CRC-32 comes before it.
      if (done.differences[0].offset) CHECK(*done.differences[0].offset <= at);
    } catch (const Error&) {  // the export, or its provenance, is damaged
    }
  }
  CHECK(num_named > 20);
  for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{0}}) {
    std::ofstream(made, std::ios::binary | std::ios::trunc) << bytes.substr(0, size);
    bool is_found = false;
    const std::string said = replay_error(made, {}, &is_found);
    CHECK((is_found || said != ""));
  }
}

TEST_CASE("files of an export that are missing, added or changed are named") {
  const Workshop shop;
  const TemporaryPlace place;
  make_source(shop, "all.tacozip");
  const std::string made = shop.out("made");
  export_dataset(load(shop.out("all.tacozip")).limit(2), made, kRecorded);
  std::ofstream(made + "/README.md") << "beside the dataset";
  CHECK(listed(replay_export(made)) == "");
  std::ofstream(made + "/DATA/s3/blue") << "not of the source";
  CHECK(listed(replay_export(made)) == "made s3/blue is in the export alone\n");
  fs::remove(made + "/DATA/s3/blue");
  fs::remove(made + "/DATA/s3/nir");
  CHECK(listed(replay_export(made)) == "made s3/nir is missing in the export\n");
  edit(made, {.set = {{"title", "\"New\""}}});
  says(listed(replay_export(made)), "made COLLECTION.json differs in title\n");
}

TEST_CASE("a provenance that tacore did not write is an error that names the member") {
  const Workshop shop;
  const TemporaryPlace place;
  make_scattered(shop, "a.tacozip", 12, "a");
  const std::string made = shop.out("made"), json = made + "/COLLECTION.json";
  export_dataset(load(shop.out("a.tacozip"))
                     .filter_bbox(-170, -80, 170, 80, {.column = "place"})
                     .filter_datetime("2000-01-01/..")
                     .sql("SELECT * FROM data WHERE cloud < 9")
                     .sort("cloud")
                     .limit(7),
                 made, kRecorded);
  const std::string good = file_text(json);
  const std::string at = "FormatError: " + made + ": taco:provenance.";
  struct Lie {
    std::string old, now, said;
  };
  const std::vector<Lie> lies{
      {"\"limit\": 7", "\"limit\": \"7\"", at + "selection.steps[4].limit is string, expected a whole number"},
      {"\"limit\": 7", "\"limit\": -1", at + "selection.steps[4].limit is -1, a number from 0 to 9223372036854775807"},
      {"\"limit\": 7", "\"limit\": 18446744073709551615", "limit is 18446744073709551615, a number from 0"},
      {"\"limit\": 7", "\"limit\": 1e300", "limit is number, expected a whole number"},
      {"\"limit\": 7", "\"skip\": 7", "steps[4] is no step that tacore "},
      {"\"limit\": 7", "\"limit\": 7, \"offset\": 3", "steps[4] has the member 'offset', which tacore "},
      {"\"sort\": \"cloud\"", "\"sort\": 5", "steps[3].sort is number, expected a string"},
      {"\"sort\": \"cloud\"", "\"sort\": \"none\"", "QueryError: " + shop.out("a.tacozip") + ": sort: "},
      {"\"descending\": false", "\"descending\": 0", "steps[3].descending is number, expected true or false"},
      {"SELECT * FROM data WHERE cloud < 9", "DROP TABLE data", "QueryError: SQL: DROP statement; one SELECT expected"},
      {"SELECT * FROM data WHERE cloud < 9", "SELECT * FROM read_csv('/etc/passwd')",
       "QueryError: SQL: table function"},
      {"\"filter_datetime\": \"2000-01-01T00:00:00Z/..\"", "\"filter_datetime\": \"soon\"",
       "steps[1].filter_datetime is no time range"},
      {"-170", "\"-170\"", "steps[0].filter_bbox[0] is string, expected a number"},
      {"\"column\": \"place\"", "\"place\": \"place\"", "steps[0] lacks the member 'column'"},
      {"\"level\": 0", "\"level\": 6", "steps[0] has level 6, 0 to 5 expected"},
      {"\"level\": 0", "\"level\": 99999999999", "steps[0].level is 99999999999, a number from"},
      {"\"source\": 0", "\"source\": 1", at + "selection names source 1 of 1, counted from 0"},
      {"\"source\": 0", "\"concat\": [], \"column_mode\": \"intersection\"",
       at + "selection joins 0 datasets, 2 or more expected"},
      {"\"file\": \"a.tacozip\"", "\"file\": \"../a.tacozip\"",
       at + "sources[0].file is '../a.tacozip', the name of a file or folder expected"},
      {"\"file\": \"a.tacozip\"", "\"file\": \"..\"", at + "sources[0].file is '..'"},
      {"\"output\": \"made\"", "\"output\": \"/tmp/made\"", at + "output is '/tmp/made', the name of a file"},
      {"\"output\": \"made\"", "\"output\": \"made.tacozip\"",
       "ValidationError: " + made + ": is a FOLDER, but a ZIP was exported"},
      {"\"metadata_sha256\": \"", "\"metadata_sha256\": \"0", "64 hexadecimal digits expected"},
      {"\"id\": \"made\",\n", "\n", at + "sources[0] lacks the member 'id'"},
      {"\"consolidate\": true", "\"consolidate\": null", at + "options.consolidate is null, expected true or false"},
      {"\"split_size\": 0", "\"split_size\": -5", at + "options.split_size is -5"},
      {"\"split_size\": 0", "\"split_size\": 100", "a FOLDER cannot be split into parts"},
      {"\"group_by\": []", "\"group_by\": [1]", at + "options.group_by[0] is number, expected a string"},
      {"\"group_by\": []", "\"group_by\": null", at + "options.group_by is null, expected an array"},
      {"\"order\": \"\"", "\"order\": \"size\"", "ValidationError: "},
      {"\"compression\": \"zstd\"", "\"compression\": \"7z\"", "ValidationError: "},
      {"\"row_group_size\": 65536", "\"row_group_size\": 0", "ValidationError: "},
      {"\"covering\": false", "\"covering\": false, \"speed\": 1", at + "options.parquet has the member 'speed'"},
      {"\"strict\": false", "\"strict\": \"no\"", at + "options.strict is string"},
      {"\"tool\": \"tacore\"", "\"tool\": \"other\"",
       "ValidationError: " + made + ": its provenance is version 1 of the tool 'other'"},
      {"\"version\": 1,", "\"version\": 2,",
       "its provenance is version 2 of the tool 'tacore', version 1 of 'tacore' expected"},
      {"\"taco:provenance\": {", "\"taco:provenance\": [], \"x\": {", "taco:provenance is array, expected an object"},
      {"\"taco:provenance\": {", "\"taco:provenance\": null, \"x\": {", "taco:provenance is null, expected an object"},
      {"\"taco:provenance\": {", "\"x\": {", "ValidationError: " + made + ": COLLECTION.json has no taco:provenance"},
      {"\"taco:provenance\": {", "\"taco:provenance\": {}, \"taco:provenance\": {",
       "has the member 'taco:provenance' twice"},
      {"\"taco:subset_date\": \"", "\"taco:subset_date\": \"x",
       "FormatError: " + made + ": taco:subset_date is no time"},
      {"\"taco:subset_date\": \"", "\"taco:other_date\": \"", "COLLECTION.json has no taco:subset_date"}};
  for (const auto& [old, now, said] : lies) {
    CAPTURE(old);
    CAPTURE(now);
    const auto provenance = good.find("\"taco:provenance\"");
    const auto found = good.find(old, old.starts_with("\"taco:") ? 0 : provenance);
    REQUIRE(found != good.npos);
    std::ofstream(json, std::ios::binary) << std::string(good).replace(found, old.size(), now);
    says(replay_error(made), said);
  }
  // Another selection or another date is found by the bytes.
  for (const auto& [old, now] :
       std::map<std::string, std::string>{{"\"limit\": 7", "\"limit\": 6"}, {"cloud < 9", "cloud < 1"}}) {
    std::ofstream(json, std::ios::binary) << std::string(good).replace(good.find(old), old.size(), now);
    CHECK(replay_export(made).num_differences > 0);
  }
  std::ofstream(json, std::ios::binary) << good;
  CHECK(listed(replay_export(made)) == "");
}

TEST_CASE("an export of another version is replayed with a warning, and compared") {
  const Workshop shop;
  const TemporaryPlace place;
  make_source(shop, "all");
  export_dataset(load(shop.out("all")), shop.out("made"), kRecorded);
  REQUIRE(edit_file(shop.out("made/COLLECTION.json"), "\"tool_version\": \"", "\"tool_version\": \"0.0.9-"));
  const Report report;
  const ReplayResult done = replay_export(shop.out("made"));
  CHECK(listed(done) == "");
  CHECK(done.tool_version.starts_with("0.0.9-"));
  CHECK(report.has(LogLevel::Warning, "was exported by tacore 0.0.9-"));
}

TEST_CASE("provenance is that of one export: neither an export of it nor a conversion is taken for it") {
  const Workshop shop;
  make_source(shop, "all.tacozip");
  export_dataset(load(shop.out("all.tacozip")), shop.out("first.tacozip"), kRecorded);
  export_dataset(load(shop.out("first.tacozip")), shop.out("second.tacozip"));
  CHECK_FALSE(has_text(load(shop.out("second.tacozip")).collection().json, "taco:provenance"));
  says(replay_error(shop.out("second.tacozip")), "COLLECTION.json has no taco:provenance");
  export_dataset(load(shop.out("first.tacozip")), shop.out("third.tacozip"), kRecorded);
  const TemporaryPlace place;
  CHECK(listed(replay_export(shop.out("third.tacozip"))) == "");
  convert(shop.out("first.tacozip"), shop.out("folder"));
  says(replay_error(shop.out("folder")), "is a FOLDER, but a ZIP was exported: it was converted since");
  says(replay_error(shop.out("all.tacozip")), "COLLECTION.json has no taco:subset_date");
}

TEST_CASE("a replay that is stopped or fails leaves nothing, and never replaces the export or a source") {
  const Workshop shop;
  const TemporaryPlace place;
  make_source(shop, "all.tacozip");
  const std::string made = shop.out("made.tacozip"), again = shop.out("again.tacozip");
  export_dataset(load(shop.out("all.tacozip")), made, kRecorded);
  const std::string before = file_text(made);
  // What a killed replay left is removed by the next one.
  fs::create_directory(std::string(::getenv("TMPDIR")) + "/.replay.0123456789abcdef.part");
  CHECK(listed(replay_export(made)) == "");
  CHECK(fs::is_empty(::getenv("TMPDIR")));
  for (int stop_at = 0; stop_at < 12; ++stop_at) {
    for (const std::string& output : {std::string(), again}) {
      int left = stop_at;
      const Task task{.jobs = 1,
                      .progress = [](uint64_t, uint64_t, void* user) { return (*static_cast<int*>(user))-- > 0; },
                      .user = &left};
      const std::string said = replay_error(made, {.task = task, .output = output});
      if (said.empty()) continue;
      says(said, "IoError: ");
      // Stopped while it compares, the output is complete.
      if (fs::exists(again)) CHECK(file_text(again) == before);
      fs::remove(again);
    }
  }
  struct rlimit old = {};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t size : {rlim_t{0}, rlim_t{1000}, rlim_t{4000}}) {
    const struct rlimit little = {.rlim_cur = size, .rlim_max = old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
    const std::string temporary = replay_error(made), beside = replay_error(made, {.output = again});
    ::setrlimit(RLIMIT_FSIZE, &old);
    says(temporary, "IoError: ");
    says(beside, "IoError: ");
    CHECK_FALSE(fs::exists(again));
  }
  ::signal(SIGXFSZ, handler);
  says(replay_error(made, {.output = made, .overwrite = true}), "which is an input; choose another path");
  says(replay_error(made, {.output = shop.out("all.tacozip"), .overwrite = true}), "which is an input");
  says(replay_error(made, {.output = shop.out("folder")}), "the export was a ZIP, 'made.tacozip'");
  std::ofstream(again) << "there";
  says(replay_error(made, {.output = again}), "exists already");
  says(replay_error(made, {.temp_dir = shop.out("none")}), "IoError: ");
  CHECK(file_text(made) == before);
  CHECK(shop.num_made() == 3);
}

TEST_CASE("export and sources may be remote, and file names have nothing of their URL") {
  const Workshop shop;
  const TemporaryPlace place;
  make_source(shop, "all.tacozip");
  make_source(shop, "all");
  const net::TestServer server([&](const net::TestRequest& request) {
    const std::string file = request.path.substr(1, request.path.find('?') - 1);
    if (!fs::is_regular_file(shop.out(file))) return net::answer(404, "");
    return net::answer_range(request, file_text(shop.out(file)), "ETag: \"1\"\r\n");
  });
  for (const std::string source : {"all.tacozip", "all"}) {
    for (const std::string made : {"made.tacozip", "made"}) {
      CAPTURE(source);
      CAPTURE(made);
      const Dataset remote = load(server.url("/" + source) + (source == "all" ? "" : "?token=secret"));
      export_dataset(remote.limit(3), shop.out(made), kRecorded);
      const std::string json = load(shop.out(made)).collection().json;
      says(json, "\"file\": \"" + source + "\"");
      CHECK_FALSE(has_text(json, "secret"));
      CHECK(listed(replay_export(shop.out(made))) == "");  // the local source has the same metadata
      CHECK(listed(replay_export(server.url("/" + made))) == "");
      CHECK(listed(replay_export(shop.out(made), {.sources = {server.url("/" + source)}})) == "");
      fs::remove_all(shop.out(made));
    }
  }
}

}  // namespace
}  // namespace tacore
