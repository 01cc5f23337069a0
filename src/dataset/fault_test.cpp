#include <arrow/c/abi.h>
#include <doctest/doctest.h>

#include <functional>

#include "dataset/dataset_impl.hpp"
#include "dataset/open_container.hpp"
#include "support/counting.hpp"
#include "support/load_files.hpp"

// Every request of every way of reading fails once: the error arrives as it was thrown, nothing comes back shorter, and
// afterwards everything works.
namespace {

using namespace tacore;

using Question = std::function<std::string(const Dataset&)>;
struct Case {
  const char* name;
  Question ask;
};

const std::vector<Case>& questions() {
  static const std::vector<Case> all{
      {"data", [](const Dataset& d) { return dump(d.data()); }},
      {"data_raw", [](const Dataset& d) { return dump(d.data_raw()); }},
      {"read and read_bytes, all of it", [](const Dataset& d) { return everything(d.data()); }},
      {"read_bytes of all",
       [](const Dataset& d) {
         const DataFrame rows = d.data();
         if (rows.num_rows() == 0 || !std::holds_alternative<VsiPath>(rows.read(0))) return std::string();
         std::vector<int64_t> positions;
         for (int64_t i = 0; i < rows.num_rows(); ++i) positions.push_back(i);
         std::string out;
         for (const Bytes& bytes : rows.read_bytes(positions)) out += to_text(bytes);
         return out;
       }},
      {"sql",
       [](const Dataset& d) {
         return dump(d.sql("SELECT *, \"internal:gdal_vsi\" AS p FROM data ORDER BY id").data());
       }},
      {"sql over a deep level",
       [](const Dataset& d) {
         return dump(
             d.sql("SELECT *, \"internal:gdal_vsi\" AS p FROM level" + std::to_string(d.pit_schema().max_depth()))
                 .data());
       }},
      {"filter at the deepest level",
       [](const Dataset& d) {
         return everything(d.filter_datetime("2023-01-01/2023-03-31", {.level = d.pit_schema().max_depth()}).data());
       }},
      {"box at the deepest level",
       [](const Dataset& d) {
         return dump(d.filter_bbox(-10, -50, 180, 60, {.level = d.pit_schema().max_depth()}).data());
       }},
      {"rows",
       [](const Dataset& d) { return std::to_string(d.sql("SELECT * FROM data WHERE length(id) > 4").num_rows()); }},
      {"rsut",
       [](const Dataset& d) {
         return std::to_string(d.sql("SELECT * FROM data").is_rsut()) + std::to_string(d.verify_rsut());
       }},
      {"concat",
       [](const Dataset& d) {
         const std::vector<Dataset> two{d, d};
         return everything(concat(two).data());
       }},
      {"frame operations",
       [](const Dataset& d) {
         return dump(d.data().filter("length(id) > 4").sort("id").with_column("n", "length(id)"));
       }},
  };
  return all;
}

const std::string kDatasets[] = {"flat.tacozip",
                                 "nested.tacozip",
                                 "nested",
                                 "permuted_offsets.tacozip",
                                 "uneven_children.tacozip",
                                 "header_absent.tacozip",
                                 "header_stale.tacozip",
                                 "cascade_tacocat",
                                 "cascade_tacocat/__TACOCAT__",
                                 "cascade_tacocat/TACOLLECTION.json"};

/// What went wrong, "" when the injected error arrived as it was thrown.
std::string how_it_failed(const CountingStorage& storage, const std::function<void()>& body) {
  const std::string error = error_of(body), thrown = storage.thrown();
  if (thrown.empty()) return "no request failed; " + error;
  return error == "IoError: " + thrown ? "" : thrown + " became " + (error.empty() ? "nothing" : error);
}

std::shared_ptr<CountingStorage> storage_for(bool local) { return std::make_shared<CountingStorage>(local); }

TEST_CASE("load: every request that fails is the IoError that it threw, and the next load works") {
  for (const std::string& name : kDatasets) {
    CAPTURE(name);
    const auto storage = storage_for(true);
    load(golden(name), {}, storage);
    const int total = static_cast<int>(storage->requests().size());
    for (int n = 0; n < total; ++n) {
      CAPTURE(n);
      storage->fail_at(n);
      CHECK(how_it_failed(*storage, [&] { load(golden(name), {}, storage); }) == "");
    }
    storage->fail_at(-1);
    CHECK(dump(load(golden(name), {}, storage).data()) == dump(load(golden(name)).data()));
  }
}

TEST_CASE("read_collection: every request that fails is the IoError that it threw") {
  for (const std::string& name : kDatasets) {
    CAPTURE(name);
    const CountingStorage storage;
    const auto read = [&] { read_collection(storage, detect(storage, golden(name)), golden(name)); };
    read();
    const int total = static_cast<int>(storage.requests().size());
    for (int n = 0; n < total; ++n) {
      CAPTURE(n);
      storage.fail_at(n);
      CHECK(how_it_failed(storage, read) == "");
    }
  }
}

void check_question(const std::string& name, const Case& question, bool local) {
  CAPTURE(name);
  CAPTURE(std::string(question.name));
  CAPTURE(local);
  const auto storage = storage_for(local);
  const auto open = [&] { return load(golden(name), {}, storage); };
  std::string expected;
  const Dataset first = open();
  storage->reset();
  // A dataset that has no such column is no case.
  if (!error_of([&] { expected = question.ask(first); }).empty()) return;
  const int total = static_cast<int>(storage->requests().size());
  for (int n = 0; n < total; ++n) {
    CAPTURE(n);
    const Dataset dataset = open();
    storage->fail_at(n);
    std::string given;
    const std::string failure = how_it_failed(*storage, [&] { given = question.ask(dataset); });
    // DuckDB's threads divide the work differently each time and may need one request less; then nothing fails, and the
    // answer is right.
    if (storage->thrown().empty()) {
      CHECK(given == expected);
    } else {
      CHECK(failure == "");
    }
    storage->fail_at(-1);
    std::string again;
    CHECK(error_of([&] { again = question.ask(dataset); }) == "");
    CHECK(again == expected);
  }
}

TEST_CASE(
    "data, read, read_bytes and queries: every request that fails is the IoError that it threw, and the same dataset "
    "works afterwards") {
  // Once open, all other containers are read like one of these.
  for (const std::string name :
       {"flat.tacozip", "nested.tacozip", "nested", "permuted_offsets.tacozip", "uneven_children.tacozip"}) {
    for (const Case& question : questions()) check_question(name, question, true);
  }
}

TEST_CASE(
    "an index of ZIPs: every request that fails is the IoError that it threw, and the same dataset works afterwards") {
  for (const Case& question : questions()) {
    const std::string name = question.name;
    if (name == "data" || name == "filter at the deepest level")
      check_question("cascade_tacocat/TACOLLECTION.json", question, true);
    if (name != "concat") check_question("cascade_tacocat", question, true);
  }
}

TEST_CASE(
    "an object store whose levels are verified as a whole: every request that fails is the IoError that it threw") {
  for (const std::string name : {"nested.tacozip", "permuted_offsets.tacozip"}) {
    for (const Case& question : questions()) {
      if (std::string(question.name) != "concat") check_question(name, question, false);
    }
  }
}

TEST_CASE("statistics: every request that fails is the IoError that it threw") {
  const Case cases[] = {
      {"mean", [](const Dataset& d) { return numbers_text(d.stats(Statistic::Mean)); }},
      {"mean of a frame", [](const Dataset& d) { return numbers_text(d.data().stats(Statistic::Mean)); }}};
  for (const Case& question : cases) check_question("stats_flat.tacozip", question, true);
  check_question(
      "stats.tacozip",
      {"mean of a level",
       [](const Dataset& d) { return numbers_text(d.stats(Statistic::Mean, {.level = 1, .id = "continuous"})); }},
      true);
}

TEST_CASE("an Arrow stream that fails reports the error message, and gives no shorter table") {
  const auto storage = storage_for(true);
  const Dataset dataset = load(golden("snappy_v2pages.tacozip"), {}, storage);
  const DataFrame rows = dataset.data();
  for (int n = 0; n < 4; ++n) {
    CAPTURE(n);
    const DataFrame fresh = load(golden("snappy_v2pages.tacozip"), {}, storage).data();
    storage->fail_at(n);
    ArrowArrayStream stream{};
    const std::string thrown = error_of([&] { fresh.export_stream(&stream); });
    if (!thrown.empty()) {
      CHECK(has_text(thrown, "IoError"));
      CHECK(has_text(thrown, CountingStorage::kFailure));
      storage->fail_at(-1);
      continue;
    }
    int code = 0;
    int64_t count = 0;
    for (;;) {
      ArrowArray array{};
      code = stream.get_next(&stream, &array);
      if (code != 0 || !array.release) break;
      count += array.length;
      array.release(&array);
    }
    if (!storage->thrown().empty()) {
      CHECK(code != 0);
      CHECK(has_text(stream.get_last_error(&stream), CountingStorage::kFailure));
    } else {
      CHECK(count == rows.num_rows());
    }
    stream.release(&stream);
    storage->fail_at(-1);
  }
}

}  // namespace
