#include "net/http_client.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "io/memory_source.hpp"
#include "support/server.hpp"
#include "support/support.hpp"

namespace tacore::net {
namespace {

/// A body that cannot be read from its second megabyte on.
class BrokenSource final : public ByteSource {
 public:
  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return 4 << 20; }
  bool is_local() const noexcept override { return true; }
  void read(uint64_t offset, std::span<std::byte>) const override {
    if (offset >= 1 << 20) throw IoError("the file became shorter", {.path = name_});
  }

 private:
  std::string name_ = "broken.bin";
};

TEST_CASE("a request has its method, and a body of any size that is sent whole") {
  const TestServer server([](const TestRequest& request) { return answer(200, std::to_string(request.body.size())); });
  const HttpClient client(4, 10);
  const std::string large = noise(3'000'000, 1);
  std::vector<HttpRequest> requests;
  for (const std::string& body : {large, std::string("small"), std::string()}) {
    requests.push_back(
        {.url = server.url("/a"), .max_body = 100, .method = "PUT", .body = memory_source("body", to_bytes(body))});
  }
  requests.push_back({.url = server.url("/b"), .max_body = 100, .method = "DELETE"});
  requests.push_back({.url = server.url("/c"), .max_body = 100});
  const auto responses = client.send(requests);
  CHECK(to_text(responses[0].body) == "3000000");
  CHECK(to_text(responses[1].body) == "5");
  CHECK(to_text(responses[2].body) == "0");
  for (const TestRequest& request : server.requests()) {
    const std::string method = request.text.substr(0, request.text.find(' '));
    CHECK(method == (request.path == "/a" ? "PUT" : request.path == "/b" ? "DELETE" : "GET"));
    CHECK(request.header("Expect") == "");
    if (request.body.size() == large.size()) CHECK(request.body == large);
    if (method == "PUT") CHECK(request.header("Content-Length") == std::to_string(request.body.size()));
  }
}

TEST_CASE("a body that cannot be read is an error of its file, not of the network") {
  const TestServer server([](const TestRequest&) { return answer(200, ""); });
  const HttpClient client(4, 10);
  const std::vector<HttpRequest> requests{
      {.url = server.url("/a"), .max_body = 100, .method = "PUT", .body = std::make_shared<BrokenSource>()}};
  CHECK_THROWS_WITH_AS((void)client.send(requests), "broken.bin: the file became shorter", IoError);
}

TEST_CASE("a body is sent again when the server has closed a connection that was kept open") {
  std::atomic<int> count = 0;
  const TestServer server([&](const TestRequest& request) {
    TestAnswer out = answer(200, std::to_string(request.body.size()));
    out.is_last = ++count == 1;  // without saying so
    return out;
  });
  const HttpClient client(1, 10);
  const auto put = [&] {
    const std::vector<HttpRequest> requests{{.url = server.url("/a"),
                                             .max_body = 100,
                                             .method = "PUT",
                                             .body = memory_source("body", to_bytes(noise(500'000, 2)))}};
    return client.send(requests);
  };
  CHECK(to_text(put()[0].body) == "500000");
  const auto again = put();
  if (again[0].failure.empty()) CHECK(to_text(again[0].body) == "500000");
  CHECK(server.requests().back().body.size() == 500'000);
}

}  // namespace
}  // namespace tacore::net
