#include "net/allowance.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "net/http_file.hpp"
#include "net/remote_address.hpp"
#include "support/server.hpp"
#include "tacore/error.hpp"

namespace tacore::net {
namespace {

using namespace std::chrono_literals;

TEST_CASE("an allowance has no limits at first, and counts") {
  Allowance& allowance = *new Allowance;  // mutexes that forks know are never destroyed
  for (int i = 0; i < 1000; ++i) REQUIRE_FALSE(allowance.take(uint64_t{1} << 40));
  for (int i = 0; i < 999; ++i) allowance.received(uint64_t{1} << 40, 10);
  allowance.cancel(uint64_t{1} << 40);
  CHECK(allowance.use().num_requests == 999);
  CHECK(allowance.use().num_bytes == 9990);
  CHECK(allowance.use().num_refused == 0);
}

TEST_CASE("no more requests are allowed than the limit, whatever is in flight") {
  Allowance& allowance = *new Allowance;  // mutexes that forks know are never destroyed
  allowance.set({.max_requests = 3});
  CHECK_FALSE(allowance.take(1));
  CHECK_FALSE(allowance.take(1));
  CHECK_FALSE(allowance.take(1));
  CHECK(allowance.take(1));  // one of the others may be cancelled
  allowance.received(1, 1);
  allowance.cancel(1);
  CHECK_FALSE(allowance.take(1));
  allowance.received(1, 1);
  allowance.received(1, 0);  // there was no response: it was sent
  CHECK_THROWS_WITH_AS(
      (void)allowance.take(7),
      doctest::Contains(
          "the limit of 3 requests is reached: this process has sent 3 requests and received 2 bytes, and "
          "the next request is for 7"),
      IoError);
  CHECK(allowance.use().num_refused == 1);
  allowance.set({.max_requests = 4});
  CHECK_FALSE(allowance.take(7));
}

TEST_CASE("no request is allowed that could exceed the bytes") {
  Allowance& allowance = *new Allowance;  // mutexes that forks know are never destroyed
  allowance.set({.max_bytes = 100});
  CHECK_FALSE(allowance.take(60));
  CHECK(allowance.take(50));  // the first response may be shorter
  allowance.received(60, 40);
  CHECK_FALSE(allowance.take(50));
  allowance.received(50, 50);
  CHECK_THROWS_AS((void)allowance.take(11), IoError);
  CHECK_FALSE(allowance.take(10));
  allowance.received(10, 10);
  CHECK_THROWS_AS((void)allowance.take(1), IoError);
  CHECK(allowance.use().num_bytes == 100);
  CHECK(allowance.use().num_refused == 2);
}

TEST_CASE("requests are evenly spaced") {
  Allowance& allowance = *new Allowance;  // mutexes that forks know are never destroyed
  allowance.set({.requests_per_second = 100});
  const auto begin = Allowance::Clock::now();
  for (int i = 0; i < 20;) {
    if (const auto next = allowance.take(1)) {
      std::this_thread::sleep_until(*next);
    } else {
      ++i;
    }
  }
  CHECK(Allowance::Clock::now() - begin >= 190ms);
}

TEST_CASE("numbers out of range are refused") {
  Allowance& allowance = *new Allowance;  // mutexes that forks know are never destroyed
  CHECK_THROWS_AS(allowance.set({.requests_per_second = 0}), QueryError);
  CHECK_THROWS_AS(allowance.set({.requests_per_second = std::numeric_limits<double>::quiet_NaN()}), QueryError);
  CHECK_THROWS_AS(allowance.set({.max_concurrent_requests = 0}), QueryError);
}

TEST_CASE("a forked child does not wait for the requests of its parent") {
  Allowance& allowance = *new Allowance;
  allowance.set({.max_concurrent_requests = 1});
  REQUIRE_FALSE(allowance.take(1));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(allowance.take(1) ? 1 : 0);
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

/// Sets the limits of this process for a time.
struct Limited {
  explicit Limited(const RemoteLimits& limits) { set_remote_limits(limits); }
  ~Limited() { set_remote_limits({}); }
};

const std::string kThousand(1000, 'x');

void open_heads(const TestServer& server, int count) {
  const auto session = std::make_shared<HttpSession>(64, 5, 1);
  std::vector<RemoteAddress> addresses;
  for (int i = 0; i < count; ++i) addresses.push_back(address_of(server.url("/" + std::to_string(i)), {}, nullptr));
  (void)open_http_files(session, addresses, std::vector<ReadHint>(addresses.size(), ReadHint{.prefix = 100}));
}

TEST_CASE("threads and sessions of a process share its limit of concurrent requests") {
  std::atomic<int> now = 0, most = 0;
  const TestServer server([&](const TestRequest& request) {
    const int here = ++now;
    for (int seen = most; seen < here && !most.compare_exchange_weak(seen, here);) {}
    std::this_thread::sleep_for(5ms);
    --now;
    return answer_range(request, kThousand);
  });
  const Limited limits({.max_concurrent_requests = 3});
  const int64_t before = remote_use().num_requests;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back([&] { open_heads(server, 10); });
  for (auto& thread : threads) thread.join();
  CHECK(most <= 3);
  CHECK(server.requests().size() == 40);
  CHECK(remote_use().num_requests == before + 40);
}

TEST_CASE("a server gets no request beyond the limit, and the error names the file") {
  const TestServer server([](const TestRequest& request) { return answer_range(request, kThousand); });
  const RemoteUse before = remote_use();
  {
    const Limited limits({.max_requests = before.num_requests + 5});
    CHECK_THROWS_WITH_AS(open_heads(server, 9), doctest::Contains("/5: the limit of "), IoError);
    CHECK(server.requests().size() == 5);
  }
  {
    const Limited limits({.max_bytes = before.num_bytes + 720});
    CHECK_THROWS_AS(open_heads(server, 9), IoError);
    CHECK(server.requests().size() == 7);
    CHECK(remote_use().num_bytes == before.num_bytes + 700);
  }
  CHECK(remote_use().num_refused == before.num_refused + 2);
  open_heads(server, 9);
}

}  // namespace
}  // namespace tacore::net
