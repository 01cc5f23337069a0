#include "tacore/interrupt.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "support/plain_tiff.hpp"
#include "support/server.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"
#include "tacore/dataset.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/loader.hpp"
#include "tacore/raster/pixel_statistics.hpp"
#include "tacore/write/create.hpp"

// Calls that wait for a server which does not answer, and end when their caller says so.
namespace {

using namespace tacore;

/// A flat dataset of rasters with a column of random numbers, too large to be fetched whole when it is opened.
std::string write_dataset(const TemporaryFolder& folder, int num_samples, int side) {
  std::mt19937 random(7);
  std::vector<Sample> samples;
  for (int i = 0; i < num_samples; ++i) {
    std::vector<uint16_t> pixels(static_cast<std::size_t>(side * side));
    for (auto& pixel : pixels) pixel = static_cast<uint16_t>(random());
    samples.emplace_back("s" + std::to_string(1000000 + i),
                         plain_tiff<uint16_t>(static_cast<uint32_t>(side), static_cast<uint32_t>(side), pixels),
                         std::vector<MetadataField>{{"number", Value(std::generate_canonical<double, 53>(random))}});
  }
  Taco taco{Tortilla(std::move(samples)),
            {.id = "test", .dataset_version = "1.0.0", .description = "x", .licenses = {"CC0-1.0"}}};
  taco.collection.providers = {{.name = "tests"}};
  taco.collection.tasks = {"other"};
  return create(taco, folder.path("test.tacozip"))[0];
}

/// Serves one file, and, while `is_stalled`, nothing.
class StallingServer {
 public:
  explicit StallingServer(std::string content)
      : content_(std::move(content)), server_([this](const auto& request) {
          while (is_stalled && !is_ended_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
          if (request.path != "/test.tacozip") return net::answer(404, "");
          return net::answer_range(request, content_, "ETag: \"a\"\r\n");
        }) {}
  ~StallingServer() { is_ended_ = true; }

  std::string url() const { return server_.url("/test.tacozip"); }

  std::atomic<bool> is_stalled = false;

 private:
  const std::string content_;
  std::atomic<bool> is_ended_ = false;
  const net::TestServer server_;
};

/// The call must wait, and end soon after its caller wants to stop.
void check_stops(StallingServer& server, const std::function<void()>& call) {
  server.is_stalled = true;
  std::atomic<int> num_asked = 0;
  const auto begin = std::chrono::steady_clock::now();
  {
    const InterruptScope scope([](void* user) { return ++*static_cast<std::atomic<int>*>(user) > 5; }, &num_asked);
    const std::string error = error_of(call);
    CAPTURE(error);
    CHECK(error.starts_with("QueryError: "));
    CHECK(error.ends_with("the call was stopped"));
  }
  CHECK(num_asked > 5);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));  // the time limit of a request is 30 s
  server.is_stalled = false;
}

TEST_SUITE("interruption") {
  TEST_CASE("a load, a read, a batch and statistics end while their server does not answer, and work afterwards") {
    const TemporaryFolder folder;
    StallingServer server(file_text(write_dataset(folder, 16, 512)));
    check_stops(server, [&] { load(server.url()); });
    const Dataset dataset = load(server.url());
    const DataFrame rows = dataset.data();
    check_stops(server, [&] { rows.read_bytes(3); });
    CHECK(rows.read_bytes(3).size() > 128 * 128 * 2);
    check_stops(server, [&] { compute_statistics(rows, {}); });

    Loader loader(rows, {.inputs = {{}}, .batch_size = 4, .prefetch = 1});
    Batch batch;
    check_stops(server, [&] { loader.next(batch); });
    int64_t num_samples = 0;
    while (loader.next(batch)) num_samples += static_cast<int64_t>(batch.positions.size());
    CHECK(num_samples == 16);

    const auto begin = std::chrono::steady_clock::now();
    {
      Loader abandoned(rows, {.inputs = {{}}, .batch_size = 1, .prefetch = 15});
      server.is_stalled = true;
      const InterruptScope scope([](void*) { return true; });
      error_of([&] { abandoned.next(batch); });  // its threads wait for the server now, and its destructor ends them
    }
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
  }

  TEST_CASE("a query ends while the server does not send the pages that it needs, and works afterwards") {
    const TemporaryFolder folder;
    StallingServer server(file_text(write_dataset(folder, 120000, 1)));
    const Dataset dataset = load(server.url());
    const Dataset query = dataset.sql("SELECT * FROM data WHERE number > 0.5");
    check_stops(server, [&] { query.data(); });
    CHECK(query.num_rows() > 50000);
    CHECK(query.num_rows() < 70000);
  }

  TEST_CASE("the innermost scope counts, on its own thread only") {
    const auto stop = [](void*) { return true; };
    set_interrupt_check(stop);
    const TemporaryFolder folder;
    const std::string path = write_dataset(folder, 4, 4);
    const auto count = [&] { load(path).sql("SELECT * FROM data WHERE number < 2").num_rows(); };
    const std::string endless = "SELECT * FROM data WHERE number < (SELECT count(*) FROM range(100000000000))";
    {
      const InterruptScope go_on([](void*) { return false; });
      CHECK(error_of(count).empty());
      const InterruptScope inner(stop);
      CHECK(has_text(error_of([&] { load(path).sql(endless).num_rows(); }), "the call was stopped"));
    }
    set_interrupt_check(nullptr);
    const InterruptScope here(stop);
    std::thread([&] { CHECK(error_of(count).empty()); }).join();
  }
}

}  // namespace
