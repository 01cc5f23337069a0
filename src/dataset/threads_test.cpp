#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <random>
#include <thread>

#include "base/crc32.hpp"
#include "support/load_files.hpp"
#include "support/server.hpp"

// Datasets and frames are values that any number of threads may use at once. The tsan preset runs these.
namespace {

using namespace tacore;

constexpr int kThreads = 8;

/// Runs `body(thread)` in all threads at once, and gives the first error as text.
std::string at_once(const std::function<void(int)>& body, int threads = kThreads) {
  std::latch start(threads);
  std::vector<std::string> errors(static_cast<std::size_t>(threads));
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      start.arrive_and_wait();
      errors[static_cast<std::size_t>(t)] = error_of([&] { body(t); });
    });
  }
  for (auto& thread : all) thread.join();
  for (const auto& error : errors) {
    if (!error.empty()) return error;
  }
  return "";
}

/// Positions from the root to each FILE.
void find_files(const DataFrame& frame, std::vector<int64_t>& above, std::vector<std::vector<int64_t>>& out) {
  for (int64_t i = 0; i < frame.num_rows(); ++i) {
    above.push_back(i);
    const Node node = frame.read(i);
    if (const auto* below = std::get_if<DataFrame>(&node)) {
      find_files(*below, above, out);
    } else {
      out.push_back(above);
    }
    above.pop_back();
  }
}

uint32_t crc_of(const DataFrame& root, const std::vector<int64_t>& positions) {
  DataFrame frame = root;
  for (std::size_t k = 0; k + 1 < positions.size(); ++k) frame = std::get<DataFrame>(frame.read(positions[k]));
  return crc32(frame.read_bytes(positions.back()));
}

/// 64 threads read the same bytes of `path` at random as one does of `reference`; else what went wrong.
std::string soak(const std::string& path, const std::string& reference, int num_reads) {
  const DataFrame alone = load(reference).data();
  std::vector<std::vector<int64_t>> files;
  std::vector<int64_t> above;
  find_files(alone, above, files);
  std::vector<uint32_t> crcs;
  for (const auto& file : files) crcs.push_back(crc_of(alone, file));
  const Dataset dataset = load(path);
  return at_once(
      [&](int t) {
        std::minstd_rand random(static_cast<unsigned>(t) + 1);
        const DataFrame frame = dataset.data();
        for (int i = 0; i < num_reads; ++i) {
          const std::size_t at = random() % files.size();
          if (crc_of(frame, files[at]) != crcs[at]) throw QueryError("other bytes of file " + std::to_string(at));
        }
      },
      64);
}

/// The questions that each thread asks of one dataset, beginning with another one.
std::vector<std::function<std::string(const Dataset&)>> questions() {
  return {
      [](const Dataset& d) { return everything(d.data()); },
      [](const Dataset& d) { return dump(d.data_raw()); },
      [](const Dataset& d) {
        return dump(d.sql("SELECT *, \"internal:gdal_vsi\" AS p FROM data ORDER BY id DESC").data());
      },
      [](const Dataset& d) { return everything(d.filter_datetime("2023-02-01/2023-02-28", {.level = 1}).data()); },
      [](const Dataset& d) { return dump(d.filter_bbox(0, 0, 15, 15, {.level = 1}).data()); },
      [](const Dataset& d) {
        return std::to_string(d.verify_rsut()) + std::to_string(d.num_rows()) + std::to_string(d.level_rows(1));
      },
      [](const Dataset& d) { return to_text(d.data().read_bytes("asia/item_1")); },
      [](const Dataset& d) { return dump(d.data().filter("id > 'b'").sort("id", true).limit(1)); },
  };
}

}  // namespace

TEST_SUITE("threads") {
  // First in the suite: the instance has not started.
  TEST_CASE("A: two threads that ask first start DuckDB once") {
    const Dataset dataset = load(golden("flat.tacozip"));
    CHECK(at_once(
              [&](int t) {
                const auto n = dataset.sql("SELECT * FROM data LIMIT " + std::to_string(t + 1)).num_rows();
                if (n != t + 1) throw QueryError("another answer");
              },
              2) == "");
  }

  TEST_CASE("eight threads on one dataset get the same answers") {
    for (const std::string name : {"nested.tacozip", "nested", "permuted_offsets.tacozip", "no_current_id.tacozip"}) {
      CAPTURE(name);
      const auto all = questions();
      std::vector<std::string> expected;
      for (const auto& question : all) expected.push_back(question(load(golden(name))));
      const Dataset dataset = load(golden(name));  // fresh: nothing is decoded, proved or computed yet
      CHECK(at_once([&](int t) {
              for (std::size_t i = 0; i < all.size(); ++i) {
                const std::size_t at = (i + static_cast<std::size_t>(t)) % all.size();
                if (all[at](dataset) != expected[at])
                  throw QueryError("another answer to question " + std::to_string(at));
              }
            }) == "");
    }
  }

  TEST_CASE("eight threads on one TACOLLECTION.json open its partitions once") {
    const std::string path = golden("cascade_tacocat/TACOLLECTION.json");
    const std::string expected = everything(load(path).data());
    const Dataset dataset = load(path);
    CHECK(at_once([&](int t) {
            if (t % 2 == 0) dataset.filter_bbox(60, 10, 150, 50, {.level = 2}).data();
            if (everything(dataset.data()) != expected) throw QueryError("another answer");
          }) == "");
  }

  TEST_CASE("eight threads on one filtered dataset and its frame get the same answers") {
    const Dataset dataset = load(golden("cascade_tacocat")).filter_datetime("2023-01-01/2023-06-30", {.level = 2});
    const DataFrame frame =
        load(golden("cascade_tacocat")).filter_datetime("2023-01-01/2023-06-30", {.level = 2}).data();
    const std::string expected = everything(frame);
    CHECK(at_once([&](int) {
            if (everything(dataset.data()) != expected || everything(frame) != expected)
              throw QueryError("another answer");
          }) == "");
  }

  TEST_CASE("eight threads on one frame find its ids, by scan and by index") {
    const DataFrame rows =
        load(golden("flat.tacozip"))
            .sql("SELECT d.* REPLACE ('id_' || i AS id) FROM data d, range(2000) r(i) WHERE d.id = 'madrid'")
            .data();
    REQUIRE(rows.num_rows() == 2000);
    CHECK(at_once([&](int t) {
            for (int i = t; i < 2000; i += 97) {
              if (vsi(rows, "id_" + std::to_string(i)).empty()) throw QueryError("another answer");
            }
          }) == "");
  }

  TEST_CASE("eight threads aggregate statistics of one dataset") {
    const Dataset dataset = load(golden("stats.tacozip"));
    const auto mean = [&] {
      return numbers_text(dataset.stats(Statistic::Mean, {.level = 1, .id = "weighted"})) +
             numbers_text(dataset.stats(Statistic::Std, {.bands = {1}, .level = 1, .id = "nan"}));
    };
    const std::string expected = mean();
    CHECK(at_once([&](int) {
            for (int i = 0; i < 4; ++i) {
              if (mean() != expected) throw QueryError("another answer");
            }
          }) == "");
  }

  TEST_CASE("64 threads on one dataset read the bytes that one thread reads") {
    for (const std::string name : {"nested.tacozip", "nested", "cascade_tacocat", "permuted_offsets.tacozip"}) {
      CAPTURE(name);
      CHECK(soak(golden(name), golden(name), 20) == "");
    }
  }

  TEST_CASE("64 threads on one remote dataset read the bytes that one thread reads of the local one") {
    const net::TestServer server([](const net::TestRequest& request) {
      const std::string path = golden(request.path.substr(1));
      return fs::is_regular_file(path) ? net::answer_range(request, file_text(path)) : net::answer(404, "");
    });
    for (const std::string name : {"nested.tacozip", "nested", "cascade_tacocat", "permuted_offsets.tacozip"}) {
      CAPTURE(name);
      CHECK(soak(server.url("/" + name), golden(name), 5) == "");
    }
  }

  TEST_CASE("an error in one thread leaves the others alone") {
    const Dataset dataset = load(golden("nested.tacozip"));
    const std::string expected = dump(dataset.sql("SELECT * FROM data").data());
    std::atomic<int> failures = 0;
    CHECK(at_once([&](int t) {
            for (int i = 0; i < 5; ++i) {
              if (t % 2 == 0) {
                failures +=
                    has_text(error_of([&] { dataset.sql("SELECT no_such_column FROM data").data(); }), "QueryError");
              } else if (dump(dataset.sql("SELECT * FROM data").data()) != expected) {
                throw QueryError("another answer");
              }
            }
          }) == "");
    CHECK(failures == kThreads / 2 * 5);
  }

  TEST_CASE("verbose may be set while others work") {
    const Report report("debug");
    const Dataset dataset = load(golden("nested.tacozip"));
    CHECK(at_once([&](int t) {
            for (int i = 0; i < 20; ++i) {
              verbose(t % 2 == 0 ? "debug" : "info");
              if (t > 3) dataset.sql("SELECT * FROM data").data();
            }
          }) == "");
    CHECK_FALSE(report.all.empty());
  }

  TEST_CASE("copies of a dataset die in any thread, in any order") {
    auto dataset = std::make_unique<Dataset>(load(golden("nested.tacozip")).sql("SELECT * FROM data"));
    std::vector<Dataset> copies(kThreads, *dataset);
    dataset.reset();
    CHECK(at_once([&](int t) {
            const DataFrame rows =
                std::exchange(copies[static_cast<std::size_t>(t)], load(golden("flat.tacozip"))).data();
            if (rows.num_rows() != 3) throw QueryError("another answer");
          }) == "");
  }
}
