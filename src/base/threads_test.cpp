#include "base/threads.hpp"

#include <doctest/doctest.h>

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
}

}  // namespace
