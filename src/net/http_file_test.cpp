#include "net/http_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>

#include "net/remote_address.hpp"
#include "support/server.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

namespace tacore::net {
namespace {

/// Bytes that depend on their offset.
std::string file_of(std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(i * 7 + i / 256);
  return out;
}

std::string text(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

std::shared_ptr<const HttpSession> session(int max_tries = 3) {
  return std::make_shared<HttpSession>(8, 5.0, max_tries);
}

std::shared_ptr<const ByteSource> open(const std::string& url, const RemoteOptions& options = {},
                                       const ReadHint& hint = {}) {
  const RemoteAddress address = address_of(url, options, nullptr);
  return open_http_files(session(), {&address, 1}, {&hint, 1})[0].file;
}

constexpr ReadHint kSuffix{.suffix = 32 * 1024};

std::string why(const std::function<void()>& body) {
  try {
    body();
  } catch (const IoError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// The file is longer than the bytes that opening reads.
constexpr std::size_t kSize = 200'000;
const std::string kFile = file_of(kSize);

TEST_CASE("one request opens a file, and its bytes are not requested again") {
  const TestServer server([](const TestRequest& request) { return answer_range(request, kFile, "ETag: \"a\"\r\n"); });
  const auto file = open(server.url("/a"));
  CHECK(file->size() == kSize);
  CHECK_FALSE(file->is_local());
  CHECK(text(file->read({100, 1000})) == kFile.substr(100, 1000));
  CHECK(server.requests().size() == 1);
  CHECK(server.requests()[0].header("Range") == "bytes=0-32767");
  CHECK(server.requests()[0].header("Accept-Encoding") == "identity");
  CHECK(text(file->read({100'000, 10})) == kFile.substr(100'000, 10));
  REQUIRE(server.requests().size() == 2);
  CHECK(server.requests()[1].header("Range") == "bytes=100000-100009");
  CHECK(server.requests()[1].connection == server.requests()[0].connection);
  CHECK_THROWS_AS(file->read({kSize - 1, 2}), IoError);
  CHECK(server.requests().size() == 2);
}

TEST_CASE("small files, empty files and files of servers without Range support are fetched whole") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{32768}, std::size_t{32769}}) {
    CAPTURE(size);
    const std::string content = file_of(size);
    const TestServer ranges([&](const TestRequest& request) { return answer_range(request, content); });
    const TestServer whole([&](const TestRequest&) { return answer(200, content); });
    for (const TestServer* server : {&ranges, &whole}) {
      const auto file = open(server->url("/a"));
      CHECK(file->size() == size);
      CHECK(text(file->read_all()) == content);
    }
    CHECK(whole.requests().size() == 1);
  }
}

TEST_CASE("a file is opened by its last bytes, or by its first ones on servers without suffix ranges") {
  const TestServer server([](const TestRequest& request) {
    if (request.header("Range") == "bytes=-32768") {
      const TestRequest last{.text = "\r\nRange: bytes=" + std::to_string(kSize - 32768) + "-" +
                                     std::to_string(kSize - 1) + "\r\n"};
      return answer_range(last, kFile);
    }
    return answer_range(request, kFile);
  });
  const auto end = open(server.url("/a"), {}, kSuffix);
  CHECK(end->has({kSize - 32768, 32768}));
  CHECK_FALSE(end->has({kSize - 32769, 1}));
  CHECK(text(end->read({kSize - 100, 100})) == kFile.substr(kSize - 100));
  CHECK(server.requests().size() == 1);
  // The name of a file does not matter.
  CHECK(open(server.url("/METADATA/level0.parquet"))->has({0, 32768}));
  CHECK(open(server.url("/a.zip"))->has({0, 32768}));

  const std::string huge = "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nabc";
  for (const TestAnswer& refusal : {answer(400, "no such range"), answer(501, ""), answer(416, ""),
                                    TestAnswer{huge, true}, answer(416, "", "Content-Range: bytes */200000\r\n")}) {
    const TestServer old([&](const TestRequest& request) {
      return request.header("Range") == "bytes=-32768" ? refusal : answer_range(request, kFile);
    });
    const auto file = open(old.url("/a"), {}, kSuffix);
    CHECK(file->size() == kSize);
    CHECK(file->has({0, 32768}));
    CHECK(text(file->read({kSize - 100, 100})) == kFile.substr(kSize - 100));
    CHECK(old.requests().size() == 3);
  }
  const TestServer broken([](const TestRequest&) { return answer(400, "not today"); });
  CHECK(has_text(why([&] { open(broken.url("/a"), {}, kSuffix); }), "(bytes=0-32767): HTTP status 400: not today"));
}

TEST_CASE("as many first or last bytes are requested as the hint says") {
  const std::string large = file_of(513 * 1024);
  const TestServer server([&](const TestRequest& request) {
    CHECK(request.header("Range") == "bytes=-524288");
    return answer_range({.text = "\r\nRange: bytes=1024-" + std::to_string(large.size() - 1) + "\r\n"}, large);
  });
  const ReadHint hint{.prefix = 1000, .suffix = 512 * 1024};
  const auto file = open(server.url("/a"), {}, hint);
  CHECK(file->has({1024, 512 * 1024}));
  CHECK_FALSE(file->has({1023, 1}));
  CHECK(text(file->read({1024, 100})) == large.substr(1024, 100));
  CHECK(server.requests().size() == 1);

  const TestServer old([&](const TestRequest& request) {
    return request.header("Range") == "bytes=-524288" ? answer(400, "no such range") : answer_range(request, large);
  });
  const auto other = open(old.url("/a"), {}, hint);
  CHECK(other->has({0, 1000}));
  CHECK_FALSE(other->has({0, 1001}));
  CHECK(text(other->read({large.size() - 100, 100})) == large.substr(large.size() - 100));
  CHECK(old.requests().size() == 3);
}

TEST_CASE("a response that ignores Range is bounded in size") {
  const TestServer server(
      [](const TestRequest&) { return TestAnswer{"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nabc"}; });
  CHECK(has_text(why([&] { open(server.url("/a")); }),
                 "the server ignores range requests, and the whole file has more than 64 MiB; download the file"));
}

TEST_CASE("a missing file (404) is reported as missing, and other refusals are errors") {
  int status = 404;
  const TestServer server([&](const TestRequest&) { return answer(status, "no"); });
  CHECK(open(server.url("/a")) == nullptr);
  status = 410;
  CHECK(open(server.url("/a")) == nullptr);
  status = 403;
  CHECK(has_text(why([&] { open(server.url("/a?secret=1")); }), "/a (bytes=0-32767): HTTP status 403: no"));
  CHECK_FALSE(has_text(why([&] { open(server.url("/a?secret=1")); }), "GET " + server.url("/a?secret")));
  CHECK(server.requests().size() == 4);  // none was tried again
}

TEST_CASE("a server that does not respond is named with its port") {
  std::string url;
  {
    const TestServer server([](const TestRequest&) { return answer(200, ""); });
    url = server.url("/a");
  }
  const std::string host = url.substr(7, url.find("/a") - 7);
  CHECK(why([&] { open(url); }) == url + ": cannot connect to " + host + " (3 tries)");
}

TEST_CASE("the HTML page of an error is not part of the message, plain text is") {
  std::string page = "<!DOCTYPE html><p>Sorry", headers;
  const TestServer server([&](const TestRequest&) { return answer(418, page, headers); });
  const auto message = [&] { return why([&] { open(server.url("/a")); }); };
  CHECK(message().ends_with("(bytes=0-32767): HTTP status 418"));
  page = " <HTML>";
  CHECK(message().ends_with("(bytes=0-32767): HTTP status 418"));
  page = "Sorry";
  CHECK(message().ends_with("(bytes=0-32767): HTTP status 418: Sorry"));
  headers = "Content-Type: text/html; charset=utf-8\r\n";
  CHECK(message().ends_with("(bytes=0-32767): HTTP status 418"));
}

TEST_CASE("a transient error is retried, a bounded number of times") {
  std::atomic<int> num_failures = 2;
  std::atomic<int> kind = 0;
  const TestServer server([&](const TestRequest& request) {
    if (num_failures-- <= 0) return answer_range(request, kFile);
    TestAnswer good = answer_range(request, kFile);
    switch (kind) {
      case 0: return answer(500, "sorry");
      case 1: return answer(429, "", "Retry-After: 0\r\n");
      case 2: return TestAnswer{good.bytes.substr(0, good.bytes.size() - 10), true};  // ends early
      case 3: return TestAnswer{"", true};                                            // no answer
      case 4: return TestAnswer{"HTTP/1.1 206 X\r\nContent-Range: bytes 1-5/9\r\nContent-Length: 5\r\n\r\n12345"};
      case 5: return TestAnswer{"HTTP/1.1 206 X\r\nContent-Length: 5\r\n\r\n12345"};
      default: return answer(503, "");
    }
  });
  for (kind = 0; kind < 7; ++kind) {
    CAPTURE(kind.load());
    num_failures = 2;
    CHECK(text(open(server.url("/a"))->read({10, 5})) == kFile.substr(10, 5));
    num_failures = 1000;
    const std::size_t before = server.requests().size();
    CHECK(has_text(why([&] { open(server.url("/a")); }), " (3 tries)"));
    CHECK(server.requests().size() == before + 3);
  }
}

TEST_CASE("a response of another version of the file is an error") {
  std::string tag = "\"a\"";
  std::string content = kFile;
  const TestServer server(
      [&](const TestRequest& request) { return answer_range(request, content, "ETag: " + tag + "\r\n"); });
  const auto file = open(server.url("/a"));
  CHECK(text(file->read({100'000, 5})) == kFile.substr(100'000, 5));
  tag = "W/\"a\"";
  CHECK(text(file->read({100'000, 5})) == kFile.substr(100'000, 5));
  tag = "\"b\"";
  CHECK(has_text(why([&] { (void)file->read({100'000, 5}); }), "changed while it was read (ETag '\"b\"'"));
  tag = "\"a\"";
  content += "more";
  CHECK(has_text(why([&] { (void)file->read({100'000, 5}); }), "changed while it was read: 200004 bytes"));
  content.resize(1000);
  CHECK(has_text(why([&] { (void)file->read({100'000, 5}); }), "HTTP status 416"));
  CHECK(server.requests().size() == 6);
}

TEST_CASE("a response with a content encoding is refused") {
  const TestServer server(
      [&](const TestRequest& request) { return answer_range(request, kFile, "Content-Encoding: gzip\r\n"); });
  CHECK(has_text(why([&] { open(server.url("/a")); }), "Content-Encoding is 'gzip', expected the stored bytes"));
}

/// A response with several ranges (RFC 9110, 14.6); `lie` changes it.
TestAnswer answer_parts(const TestRequest& request, const std::function<std::string(std::string)>& lie = {}) {
  const std::string range = request.header("Range");
  if (range.find(',') == range.npos) return answer_range(request, kFile, "ETag: \"a\"\r\n");
  std::string body;
  for (std::size_t at = range.find('='); at != range.npos; at = range.find(',', at + 1)) {
    std::size_t first = 0, last = 0;
    std::sscanf(range.c_str() + at + 1, "%zu-%zu", &first, &last);
    body += "\r\n--B\r\nContent-Range: bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" +
            std::to_string(kSize) + "\r\n\r\n" + kFile.substr(first, last - first + 1);
  }
  body += "\r\n--B--\r\n";
  if (lie) body = lie(body);
  return answer(206, body, "Content-Type: multipart/byteranges; boundary=B\r\nETag: \"a\"\r\n");
}

const std::vector<ByteRange> kFarApart{{150'000, 10}, {40'000, 20}, {199'990, 10}, {0, 4}};

void check_far_apart(const ByteSource& file) {
  const auto bytes = file.read_ranges(kFarApart);
  for (std::size_t i = 0; i < kFarApart.size(); ++i) {
    CHECK(text(bytes[i]) == kFile.substr(kFarApart[i].offset, kFarApart[i].size));
  }
}

TEST_CASE("ranges with gaps of 64 KiB in all are merged; others are fetched as one multipart response, without gaps") {
  const TestServer server([](const TestRequest& request) { return answer_parts(request); });
  const auto file = open(server.url("/a"));
  const auto near = file->read_ranges(std::vector<ByteRange>{{50'000, 10}, {50'020, 10}, {50'000, 10}});
  CHECK(text(near[1]) == kFile.substr(50'020, 10));
  CHECK(near[0] == near[2]);
  REQUIRE(server.requests().size() == 2);
  CHECK(server.requests()[1].header("Range") == "bytes=50000-50029");
  check_far_apart(*file);
  REQUIRE(server.requests().size() == 3);
  CHECK(server.requests()[2].header("Range") == "bytes=40000-40019,150000-150009,199990-199999");
  // Three gaps below 64 KiB are as many bytes as one above.
  file->read_ranges(std::vector<ByteRange>{{40'000, 10}, {80'000, 10}, {120'000, 10}, {160'000, 10}});
  REQUIRE(server.requests().size() == 4);
  CHECK(server.requests()[3].header("Range") == "bytes=40000-40009,80000-80009,120000-120009,160000-160009");
}

TEST_CASE("each range is a request of its own where a server does not send the requested parts") {
  const std::function<std::string(std::string)> lies[] = {
      [](const std::string& body) { return body.substr(0, body.size() - 20); },
      [](std::string body) { return body.replace(body.find("/200000"), 7, "/200001"); },
      [](const std::string& body) { return body.substr(0, body.find("--B", 10)) + "--B--\r\n"; },
      [](std::string body) { return body.replace(body.find("40000-40019"), 11, "40001-40020"); }};
  for (const auto& lie : lies) {
    const TestServer server([&](const TestRequest& request) { return answer_parts(request, lie); });
    const auto file = open(server.url("/a"));
    check_far_apart(*file);
    CHECK(server.requests().size() == 4);  // open, parts, two ranges
    check_far_apart(*file);
    CHECK(server.requests().size() == 6);  // parts are not requested again
  }
  // Nor of a server that sends the whole file.
  const TestServer whole([&](const TestRequest& request) {
    return request.header("Range").find(',') == std::string::npos ? answer_range(request, kFile) : answer(200, kFile);
  });
  check_far_apart(*open(whole.url("/a")));
}

TEST_CASE("redirects are followed without sending credentials to other hosts") {
  const TestServer end([](const TestRequest& request) { return answer_range(request, kFile); });
  const TestServer begin([&](const TestRequest& request) {
    if (request.path == "/a") return answer(302, "", "Location: /b\r\n");
    return answer(307, "", "Location: " + end.url("/c?signature=1") + "\r\n");
  });
  const auto file = open(begin.url("/a"), {.headers = {{"X-Key", "secret"}}});
  CHECK(text(file->read({100'000, 5})) == kFile.substr(100'000, 5));
  REQUIRE(begin.requests().size() == 2);
  CHECK(begin.requests()[1].path == "/b");
  CHECK(begin.requests()[1].header("X-Key") == "secret");
  REQUIRE(end.requests().size() == 2);  // the second read used the redirected URL
  CHECK(end.requests()[0].header("X-Key").empty());
  CHECK(end.requests()[0].header("Range") == "bytes=0-32767");

  const TestServer loop([](const TestRequest&) { return answer(302, "", "Location: /a\r\n"); });
  CHECK(has_text(why([&] { open(loop.url("/a")); }), "more than 8 redirects"));
  CHECK(loop.requests().size() == 9);
  const TestServer elsewhere([](const TestRequest&) { return answer(302, "", "Location: file:///etc/passwd\r\n"); });
  CHECK(has_text(why([&] { open(elsewhere.url("/a")); }), "not an http or https URL"));
}

TEST_CASE("an expired redirect target is resolved again") {
  std::atomic<int> number = 0;
  const TestServer server([&](const TestRequest& request) {
    if (request.path == "/a") return answer(302, "", "Location: /" + std::to_string(number.load()) + "\r\n");
    if (request.path != "/" + std::to_string(number.load())) return answer(403, "expired");
    return answer_range(request, kFile);
  });
  const auto file = open(server.url("/a"));
  number = 1;
  CHECK(text(file->read({100'000, 5})) == kFile.substr(100'000, 5));
}

TEST_CASE("files of one dataset are opened concurrently") {
  std::atomic<int> num_here = 0;
  const TestServer server([&](const TestRequest& request) {
    ++num_here;
    while (num_here < 5) std::this_thread::yield();  // all requests arrive before one is answered
    return request.path == "/3" ? answer(404, "") : answer_range(request, kFile);
  });
  std::vector<RemoteAddress> addresses;
  for (int i = 0; i < 5; ++i) addresses.push_back(address_of(server.url("/" + std::to_string(i)), {}, nullptr));
  const auto files = open_http_files(session(), addresses, std::vector<ReadHint>(addresses.size()));
  for (int i = 0; i < 5; ++i) CHECK((files[static_cast<std::size_t>(i)].file != nullptr) == (i != 3));
}

TEST_CASE("concurrent requests never exceed max_concurrent_requests") {
  std::atomic<int> num_here = 0, most = 0;
  const TestServer server([&](const TestRequest& request) {
    most = std::max(most.load(), ++num_here);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --num_here;
    return answer_range(request, kFile);
  });
  std::vector<RemoteAddress> addresses(60, address_of(server.url("/a"), {}, nullptr));
  open_http_files(session(), addresses, std::vector<ReadHint>(addresses.size()));
  CHECK(most <= 8);
}

TEST_SUITE("threads") {
  TEST_CASE("many threads read one file over the same connections") {
    const TestServer server([](const TestRequest& request) { return answer_parts(request); });
    const auto file = open(server.url("/a"));
    std::atomic<int> num_wrong = 0;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 16; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < 20; ++i) {
          const uint64_t offset = 33'000 + (t * 20 + i) * 500;
          if (text(file->read({offset, 100})) != kFile.substr(offset, 100)) ++num_wrong;
          if (text(file->read_ranges(kFarApart)[1]) != kFile.substr(40'000, 20)) ++num_wrong;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(num_wrong == 0);
    int most = 0;
    for (const auto& request : server.requests()) most = std::max(most, request.connection);
    CHECK(most < 8);
  }
}

}  // namespace
}  // namespace tacore::net
