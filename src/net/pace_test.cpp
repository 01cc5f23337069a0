#include "net/pace.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>
#include <vector>

#include "net/http_file.hpp"
#include "net/http_requests.hpp"
#include "net/remote_address.hpp"
#include "support/bytes.hpp"
#include "support/server.hpp"
#include "tacore/error.hpp"
#include "tacore/verbose.hpp"

namespace tacore::net {
namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

HttpResponse response_with(int status, HttpHeaders headers) {
  return {.status = status, .headers = std::move(headers)};
}

double now() { return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

const std::string kSmall(100, 'x');

/// A server with a limit: `quota` requests in each `window` seconds, counted from the first one. It tells the rounded
/// seconds only, as servers do.
class LimitedServer {
 public:
  LimitedServer(int quota, double window, bool tells) : quota_(quota), window_(window), tells_(tells) {}

  TestAnswer respond(const TestRequest& request) {
    const std::lock_guard lock(mutex_);
    const double time = now();
    if (time >= end_) {
      end_ = time + window_;
      num_left_ = quota_;
    }
    const bool is_refused = num_left_ == 0;
    if (!is_refused) --num_left_;
    const std::string seconds = std::to_string(static_cast<int>(std::ceil(end_ - time)));
    std::string headers = "RateLimit: \"resolvers\";r=" + std::to_string(num_left_) + ";t=" + seconds + "\r\n";
    headers += "RateLimit-Policy: \"fixed window\";\"resolvers\";q=" + std::to_string(quota_) +
               ";w=" + std::to_string(static_cast<int>(window_)) + "\r\n";
    if (!tells_) headers = is_refused ? "Retry-After: " + seconds + "\r\n" : "";
    if (is_refused) ++num_refused_;
    return is_refused ? answer(429, "too many", headers) : answer_range(request, kSmall, headers);
  }
  int num_refused() const { return num_refused_; }

 private:
  const int quota_;
  const double window_;
  const bool tells_;
  std::mutex mutex_;
  double end_ = 0;
  int num_left_ = 0;
  std::atomic<int> num_refused_ = 0;
};

void open_each(const std::shared_ptr<HttpSession>& session, const TestServer& server, int count) {
  std::vector<RemoteAddress> addresses;
  for (int i = 0; i < count; ++i) addresses.push_back(address_of(server.url("/" + std::to_string(i)), {}, nullptr));
  for (const auto& opened : open_http_files(session, addresses, std::vector<ReadHint>(addresses.size()))) {
    REQUIRE(opened.file != nullptr);
  }
}

TEST_CASE("limits are read from RateLimit and RateLimit-Policy") {
  // As huggingface.co sends them.
  const auto hub =
      stated_limit(response_with(429, {{"ratelimit", "\"resolvers\";r=0;t=55"},
                                       {"ratelimit-policy", "\"fixed window\";\"resolvers\";q=3000;w=300"}}));
  CHECK(hub.remaining == 0.0);
  CHECK(hub.reset == 55);
  CHECK(hub.quota == 3000);
  CHECK(hub.window == 300);
  const auto two =
      stated_limit(response_with(200, {{"ratelimit", "\"day\";r=900;t=4000, \"minute\";r=7;t=20"},
                                       {"ratelimit-policy", "\"day\";q=1000;w=86400, \"minute\";q=10;w=60"}}));
  CHECK(two.remaining == 7.0);
  CHECK(two.quota == 10);
  CHECK_FALSE(stated_limit(response_with(200, {})).remaining.has_value());
  for (const char* strange : {"", ";;;,,", "r=", "\"a\";r=-1", "\"a\";r=x;t=5", "limit=10, remaining=3", "r=1e999"}) {
    CAPTURE(strange);
    CHECK_FALSE(stated_limit(response_with(200, {{"ratelimit", strange}})).remaining.has_value());
  }
}

TEST_CASE("Retry-After is a number of seconds or a date of the server's clock") {
  CHECK(retry_after(response_with(429, {{"retry-after", "7"}})) == 7);
  CHECK(retry_after(response_with(
            429, {{"retry-after", "Wed, 25 Nov 2026 10:00:30 GMT"}, {"date", "Wed, 25 Nov 2026 10:00:00 GMT"}})) == 30);
  CHECK(retry_after(response_with(
            429, {{"retry-after", "Wed, 25 Nov 2026 09:00:00 GMT"}, {"date", "Wed, 25 Nov 2026 10:00:00 GMT"}})) == 0);
  for (const char* strange : {"", "soon", "-1", "nan", "1 s"}) {
    CHECK(retry_after(response_with(429, {{"retry-after", strange}})) == 0);
  }
}

TEST_CASE("a budget is REQUESTS/TIME") {
  CHECK(parse_budget("3000/5min").requests == 3000);
  CHECK(parse_budget("3000/5min").seconds == 300);
  CHECK(parse_budget("10/2").seconds == 2);
  CHECK(parse_budget("10/0.5s").seconds == 0.5);
  CHECK(parse_budget("10/1h").seconds == 3600);
  for (const char* wrong :
       {"", "10", "10/", "/5", "0/5", "1.5/5", "-1/5", "10/0", "10/5days", "10/25h", "2000000/1", "x/y"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS((void)parse_budget(wrong), QueryError);
  }
}

TEST_CASE("no interval of the budget has more requests, of whatever thread") {
  constexpr int kRequests = 10;
  constexpr double kWindow = 0.5;  // far longer than a busy machine delays a request
  std::mutex mutex;
  std::vector<double> times;
  const TestServer server([&](const TestRequest& request) {
    const std::lock_guard lock(mutex);
    times.push_back(now());
    return answer_range(request, kSmall);
  });
  const auto session = std::make_shared<HttpSession>(8, 5, 3, RequestBudget{kRequests, kWindow});
  std::vector<std::thread> threads;
  const double begin = now();
  for (int t = 0; t < 4; ++t) threads.emplace_back([&] { open_each(session, server, 8); });
  for (auto& thread : threads) thread.join();
  REQUIRE(times.size() == 32);
  std::ranges::sort(times);
  // They arrive a little later than they were sent, and not all by the same time.
  for (std::size_t i = kRequests; i < times.size(); ++i) CHECK(times[i] - times[i - kRequests] > kWindow * 0.7);
  CHECK(now() - begin > 3 * kWindow);
}

TEST_CASE("processes that are forked share the budget") {
  const TestServer server([](const TestRequest& request) { return answer_range(request, kSmall); });
  const RequestBudget budget{5, 600};
  Pace& pace = pace_of(server.url("/a"), budget);
  CHECK_FALSE(pace.take().has_value());
  const pid_t child = ::fork();
  if (child == 0) {
    int num_taken = 0;
    while (!pace.take()) ++num_taken;
    ::_exit(num_taken);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 4);
  CHECK(pace.take().has_value());
}

TEST_CASE("a server's limit is kept without an error, and all of it is used") {
  std::atomic<int> num_warnings = 0;
  set_log_sink([](LogLevel, std::string_view, void* user) { ++*static_cast<std::atomic<int>*>(user); }, &num_warnings);
  for (const bool tells : {true, false}) {
    CAPTURE(tells);
    LimitedServer limited(20, 1, tells);
    const TestServer server([&](const TestRequest& request) { return limited.respond(request); });
    const auto session = std::make_shared<HttpSession>(8, 5, 1);
    const double begin = now();
    std::vector<std::thread> threads;
    for (int t = 0; t < 5; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10; ++i) open_each(session, server, 1);
      });
    }
    for (auto& thread : threads) thread.join();  // 50 requests, in three windows
    const double seconds = now() - begin;
    CHECK(seconds >= 2.0);
    CHECK(seconds < 3.5);
    // With a stated limit, only requests that were under way before the first response can be refused.
    if (tells) CHECK(limited.num_refused() <= 5);
  }
  set_log_sink(nullptr);
  CHECK(num_warnings <= 2);  // once for each server, if it has to be waited for more than a second
}

TEST_CASE("a pause of more than 15 minutes is an error at once") {
  const TestServer server([](const TestRequest&) { return answer(503, "", "Retry-After: 3600\r\n"); });
  const auto session = std::make_shared<HttpSession>(8, 5, 3);
  std::string why;
  try {
    open_each(session, server, 1);
  } catch (const IoError& error) {
    why = error.what();
  }
  CHECK(why.find("HTTP status 503; the server asks to wait 3600 s") != std::string::npos);
  CHECK(server.requests().size() == 1);
}

TEST_CASE("the lifetime of a redirect is that of its signature or of Cache-Control") {
  const HttpResponse plain = response_with(302, {{"date", "Wed, 25 Nov 2026 10:00:00 GMT"}});
  const auto lifetime = [&](const char* url) { return lifetime_of(url, plain); };
  CHECK(std::isinf(lifetime("https://a/b")));
  CHECK(lifetime("https://a/b?X-Amz-Date=20261125T095900Z&X-Amz-Expires=90&X-Amz-Signature=1") == 30);
  CHECK(lifetime("https://a/b?X-Goog-Expires=600&X-Goog-Date=20261125T095900Z") == 540);
  CHECK(lifetime("https://a/b?Expires=1795600860&Policy=x") == 60);
  CHECK(lifetime("https://a/b?sv=1&se=2026-11-25T10%3A02%3A00Z&sig=y") == 120);
  CHECK(lifetime_of("https://a/b", response_with(302, {{"cache-control", "private, max-age=40"}})) == 40);
  for (const char* strange :
       {"https://a/?Expires=", "https://a/?Expires=soon", "https://a/?X-Amz-Expires=5", "?se=%3A"}) {
    CHECK(std::isinf(lifetime(strange)));
  }
}

TEST_CASE("one redirect serves all who read a file, until it expires") {
  std::atomic<int> num_resolved = 0;
  std::string until = "max-age=3600";
  const TestServer server([&](const TestRequest& request) {
    if (request.path != "/a") return answer_range(request, std::string(200'000, 'x'));
    std::this_thread::sleep_for(20ms);
    const std::string to = "/" + std::to_string(++num_resolved) + "?signature";
    return answer(302, "", "Location: " + to + "\r\nCache-Control: " + until + "\r\n");
  });
  const auto session = std::make_shared<HttpSession>(16, 5, 3);
  const auto address = address_of(server.url("/a"), {}, nullptr);
  const auto open = [&] { return open_http_files(session, {&address, 1}, std::vector<ReadHint>(1))[0].file; };
  const auto file = open();
  for (int i = 0; i < 3; ++i) CHECK(open() != nullptr);
  CHECK(num_resolved == 1);
  const auto read_in_threads = [&] {
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 12; ++t) {
      threads.emplace_back([&, t] { CHECK(file->read({100'000 + t, 5}).size() == 5); });
    }
    for (auto& thread : threads) thread.join();
  };
  read_in_threads();
  CHECK(num_resolved == 1);
  // A session of its own, whose redirect has expired by the time of its reads.
  const auto other = std::make_shared<HttpSession>(16, 5, 3);
  until = "max-age=1";
  const auto brief = open_http_files(other, {&address, 1}, std::vector<ReadHint>(1))[0].file;
  CHECK(num_resolved == 2);
  std::this_thread::sleep_for(600ms);  // half of it is kept for requests under way
  until = "max-age=3600";
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 12; ++t) threads.emplace_back([&, t] { CHECK(brief->read({100'000 + t, 5}).size() == 5); });
  for (auto& thread : threads) thread.join();
  CHECK(num_resolved == 3);
}

TEST_CASE("requests that failed together by an expired redirect all find the new one") {
  std::atomic<int> number = 0;
  const TestServer server([&](const TestRequest& request) {
    if (request.path == "/a") return answer(302, "", "Location: /" + std::to_string(number.load()) + "\r\n");
    std::this_thread::sleep_for(5ms);
    if (request.path != "/" + std::to_string(number.load())) return answer(403, "expired");
    return answer_range(request, std::string(200'000, 'x'));
  });
  const auto session = std::make_shared<HttpSession>(16, 5, 1);
  const auto address = address_of(server.url("/a"), {}, nullptr);
  const auto file = open_http_files(session, {&address, 1}, std::vector<ReadHint>(1))[0].file;
  for (int round = 0; round < 5; ++round) {
    ++number;
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 12; ++t) {
      threads.emplace_back([&, t] { CHECK_NOTHROW((void)file->read({100'000 + t, 5})); });
    }
    for (auto& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace tacore::net
