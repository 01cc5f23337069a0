#include "base/threads.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "tacore/error.hpp"

namespace {

using namespace tacore;

std::vector<uint64_t> ones(std::size_t count) { return std::vector<uint64_t>(count, 1); }

TEST_SUITE("threads") {
  TEST_CASE("each task runs once, whatever the number of threads") {
    for (const int jobs : {1, 2, 7}) {
      CAPTURE(jobs);
      std::vector<int> runs(1000);
      run_parallel(runs.size(), jobs, [&](std::size_t i) { ++runs[i]; });
      CHECK(runs == std::vector<int>(runs.size(), 1));
    }
  }

  TEST_CASE("the first error is thrown when all threads have ended, and few tasks begin after it") {
    std::atomic<int> running = 0, begun = 0;
    const auto task = [&](std::size_t i) {
      ++begun;
      ++running;
      std::this_thread::yield();
      --running;
      if (i == 10) throw IoError("the tenth");
    };
    CHECK_THROWS_WITH_AS(run_parallel(1'000'000, 4, task), "the tenth", IoError);
    CHECK(running == 0);
    CHECK(begun < 1'000'000);
  }

  TEST_CASE("OrderedWork hands out results in the order of the tasks") {
    for (const int jobs : {0, 1, 2, 5}) {
      CAPTURE(jobs);
      OrderedWork<std::size_t> work(ones(1000), 7, jobs, [](std::size_t i) { return 3 * i; });
      std::size_t number = 0;
      while (const auto next = work.next()) CHECK(*next == 3 * number++);
      CHECK(number == 1000);
      CHECK_FALSE(work.next());
    }
  }

  TEST_CASE("the total weight of waiting results is bounded, but a single result may exceed the bound") {
    for (const int jobs : {1, 4}) {
      CAPTURE(jobs);
      std::atomic<uint64_t> made = 0;
      std::vector<uint64_t> weights;
      for (uint64_t i = 0; i < 200; ++i) weights.push_back(i % 50 == 0 ? 100 : 1 + i % 5);
      std::atomic<bool> too_much = false;
      uint64_t taken = 0;
      OrderedWork<std::size_t> work(weights, 20, jobs, [&](std::size_t i) {
        made += weights[i];
        return i;
      });
      while (const auto next = work.next()) {
        // Weights 1 to 5 together at most 20, or one of 100 alone.
        if (made - taken > 120) too_much = true;
        taken += weights[*next];
      }
      CHECK(taken == made);
      CHECK_FALSE(too_much);
    }
  }

  TEST_CASE("errors of tasks are rethrown in the order of the tasks, not of their failures") {
    for (const int jobs : {1, 3}) {
      CAPTURE(jobs);
      OrderedWork<int> work(ones(50), 50, jobs, [](std::size_t i) -> int {
        if (i >= 20) throw std::runtime_error(std::to_string(i));
        return 0;
      });
      for (int i = 0; i < 20; ++i) CHECK(work.next() == 0);
      CHECK_THROWS_WITH(work.next(), "20");
    }
  }

  TEST_CASE("tasks whose results are never taken end with their OrderedWork") {
    std::atomic<int> made = 0;
    {
      const OrderedWork<int> work(ones(1000), 3, 4, [&](std::size_t) { return ++made; });
    }
    CHECK(made <= 3);
  }

  TEST_CASE("tasks stop when the caller wants to, on every thread and while they wait") {
    for (const int jobs : {1, 4}) {
      CAPTURE(jobs);
      std::atomic<bool> stop = false;
      const InterruptScope scope([](void* user) { return static_cast<std::atomic<bool>*>(user)->load(); }, &stop);
      std::atomic<int> begun = 0;
      const auto task = [&](std::size_t) {
        if (++begun == 3 * jobs) stop = true;
        throw_if_interrupted();
      };
      CHECK_THROWS_WITH_AS(run_parallel(1'000'000, jobs, task), "the call was stopped", QueryError);
    }
  }

  TEST_CASE("an error on one thread stops the others while they wait") {
    std::atomic<int> waiting = 0;
    const auto task = [&](std::size_t i) {
      if (i == 0) {
        while (waiting < 3) std::this_thread::yield();
        throw IoError("the first");
      }
      for (++waiting;; std::this_thread::yield()) throw_if_interrupted();
    };
    CHECK_THROWS_WITH_AS(run_parallel(4, 4, task), "the first", IoError);
  }

  TEST_CASE("watched work runs on another thread, which is kept, and its error is thrown here") {
    std::thread::id first, second;
    run_watched([&] { first = std::this_thread::get_id(); }, [] {});
    run_watched([&] { second = std::this_thread::get_id(); }, [] {});
    CHECK(first == second);
    CHECK(first != std::this_thread::get_id());
    std::atomic<int> num_watched = 0;
    const auto here = std::this_thread::get_id();
    run_watched(
        [&] {
          while (num_watched < 3) std::this_thread::yield();
        },
        [&] { num_watched += std::this_thread::get_id() == here ? 1 : 0; });
    CHECK(num_watched == 3);
    CHECK_THROWS_WITH_AS(run_watched([] { throw IoError("broken"); }, [] {}), "broken", IoError);
  }
}

// Not in the suite threads: ThreadSanitizer cannot follow a fork past the locks of the allocator in DuckDB.
TEST_CASE("a forked child has watched threads of its own" * doctest::test_suite("fork")) {
  run_watched([] {}, [] {});
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    bool ran = false;
    run_watched([&] { ran = true; }, [] {});
    ::_exit(ran ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

}  // namespace
