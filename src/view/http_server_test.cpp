#include "view/http_server.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "io/memory_source.hpp"
#include "support/support.hpp"

namespace {

using namespace tacore;

std::string answer_to(uint16_t port, const std::string& request);

/// A connection to a server, as a program has it that knows nothing of HTTP.
class Connection {
 public:
  explicit Connection(uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  ~Connection() { ::close(descriptor_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(const std::string& text) const {
    REQUIRE(::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  }
  /// All that arrives until the server closes the connection, or until `size` bytes have followed the first empty line.
  std::string receive(std::size_t size = std::string::npos) const {
    std::string out;
    for (;;) {
      const auto end = out.find("\r\n\r\n");
      if (end != out.npos && size != out.npos && out.size() >= end + 4 + size) return out;
      char buffer[8192];
      const ssize_t got = ::recv(descriptor_, buffer, sizeof buffer, 0);
      if (got <= 0) return out;
      out.append(buffer, static_cast<std::size_t>(got));
    }
  }

 private:
  int descriptor_;
};

std::string answer_to(uint16_t port, const std::string& request) {
  const Connection connection(port);
  connection.send(request);
  return connection.receive();
}
std::string get(uint16_t port, const std::string& path, const std::string& fields = "", const char* method = "GET") {
  return answer_to(
      port, std::string(method) + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + fields + "\r\n");
}
std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }
std::string status_of(const std::string& answer) { return answer.substr(9, 3); }

/// A file whose bytes cannot be read from a place on.
class Broken final : public ByteSource {
 public:
  explicit Broken(uint64_t good) : good_(good) {}
  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return 4 << 20; }
  bool is_local() const noexcept override { return true; }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (offset + out.size() > good_) throw IoError("cannot be read", {.path = name_}, 5);
    std::ranges::fill(out, std::byte{'x'});
  }

 private:
  std::string name_ = "broken";
  uint64_t good_;
};

HttpAnswer answer(const std::string& path) {
  static const std::string kText = "0123456789";
  if (path == "/file") return {.file = memory_source("file", Bytes(bytes_of(kText).begin(), bytes_of(kText).end()))};
  if (path == "/empty") return {.file = memory_source("empty", {})};
  if (path == "/broken") return {.file = std::make_shared<Broken>(0)};
  if (path == "/cut") return {.file = std::make_shared<Broken>(2 << 20)};
  if (path == "/throws") throw std::runtime_error("no luck");
  if (path == "/a b/ü") return {.text = "decoded"};
  return {.status = 404, .text = "nothing"};
}

TEST_CASE("ranges of a file are those of RFC 9110") {
  const HttpServer server(0, answer);
  const auto of = [&](const std::string& range) { return get(server.port(), "/file", "Range: " + range + "\r\n"); };
  const std::string all = get(server.port(), "/file");
  CHECK(status_of(all) == "200");
  CHECK(body_of(all) == "0123456789");
  CHECK(has_text(all, "Accept-Ranges: bytes\r\n"));
  CHECK(has_text(all, "Content-Length: 10\r\n"));
  const std::string part = of("bytes=2-4");
  CHECK(status_of(part) == "206");
  CHECK(has_text(part, "Content-Range: bytes 2-4/10\r\n"));
  CHECK(body_of(part) == "234");
  CHECK(body_of(of("bytes=7-")) == "789");
  CHECK(body_of(of("bytes=7-99")) == "789");
  CHECK(body_of(of("bytes=-3")) == "789");
  CHECK(body_of(of("bytes=-99")) == "0123456789");
  CHECK(status_of(of("bytes=0-9")) == "200");
  for (const char* none : {"bytes=10-", "bytes=99-100", "bytes=-0"}) {
    CAPTURE(none);
    CHECK(status_of(of(none)) == "416");
    CHECK(has_text(of(none), "Content-Range: bytes */10\r\n"));
  }
  // A field that does not name a single range means all bytes.
  for (const char* other :
       {"bytes=4-2", "bytes=a-b", "bytes=", "bytes=1-2,4-5", "lines=1-2", "bytes=99999999999999999999-"}) {
    CAPTURE(other);
    CHECK(body_of(of(other)) == "0123456789");
  }
  CHECK(body_of(get(server.port(), "/empty")).empty());
  CHECK(status_of(get(server.port(), "/empty", "Range: bytes=0-1\r\n")) == "416");
}

TEST_CASE("HEAD has the fields of GET and no body, and other methods are refused") {
  const HttpServer server(0, answer);
  const std::string head = get(server.port(), "/file", "range: BYTES=0\r\n", "HEAD");
  CHECK(status_of(head) == "200");
  CHECK(has_text(head, "Content-Length: 10\r\n"));
  CHECK(body_of(head).empty());
  CHECK(body_of(get(server.port(), "/nothing", "", "HEAD")).empty());
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get"}) {
    CAPTURE(method);
    CHECK(status_of(get(server.port(), "/file", "", method)) == "405");
  }
  CHECK(status_of(get(server.port(), "/file", "Content-Length: 5\r\n", "POST") + "     ") == "400");
}

TEST_CASE("paths are decoded, and strange requests are answered or ended") {
  const HttpServer server(0, answer);
  CHECK(body_of(get(server.port(), "/a%20b/%C3%BC?query=1")) == "decoded");
  CHECK(status_of(get(server.port(), "/a%00b")) == "400");
  CHECK(status_of(get(server.port(), "*")) == "400");
  CHECK(status_of(get(server.port(), "http://x/file")) == "400");
  CHECK(status_of(get(server.port(), "/nothing")) == "404");
  CHECK(status_of(answer_to(server.port(), "\r\n\r\n")) == "400");
  CHECK(status_of(answer_to(server.port(), "GET\r\n\r\n")) == "400");
  CHECK(status_of(answer_to(server.port(), "GET /file HTTP/3\r\nConnection: close\r\n\r\n")) == "400");
  const Connection endless(server.port());
  endless.send("GET /file HTTP/1.1\r\nX: " + std::string(40'000, 'x'));
  CHECK(endless.receive().empty());
  CHECK(body_of(get(server.port(), "/file")) == "0123456789");
}

TEST_CASE("a file that cannot be read is an error before its first byte, and an end after it") {
  const HttpServer server(0, answer);
  const std::string broken = get(server.port(), "/broken");
  CHECK(status_of(broken) == "502");
  CHECK(has_text(body_of(broken), "broken: cannot be read"));
  CHECK(has_text(body_of(get(server.port(), "/throws")), "no luck"));
  const std::string cut = get(server.port(), "/cut");
  CHECK(has_text(cut, "Content-Length: 4194304\r\n"));
  CHECK(body_of(cut).size() == 2 << 20);
}

TEST_CASE("a connection serves several requests, also those sent together") {
  const HttpServer server(0, answer);
  const Connection connection(server.port());
  const std::string one = "GET /file HTTP/1.1\r\nHost: x\r\n\r\n";
  for (int i = 0; i < 3; ++i) {
    connection.send(one);
    CHECK(body_of(connection.receive(10)) == "0123456789");
  }
  connection.send(one.substr(0, 9));
  connection.send(one.substr(9) + one);
  const std::string both = connection.receive(10);
  CHECK(both.find("0123456789") != both.npos);
}

TEST_CASE("a port that is taken is an error") {
  const HttpServer server(0, answer);
  CHECK(has_text(error_of([&] { HttpServer(server.port(), answer); }), "127.0.0.1:" + std::to_string(server.port())));
}

TEST_SUITE("threads") {
  TEST_CASE("many clients at once, and a server that ends while they read") {
    std::atomic<int> num_right = 0;
    {
      const HttpServer server(0, answer);
      std::vector<std::thread> clients;
      for (int i = 0; i < 8; ++i) {
        clients.emplace_back([&] {
          for (int round = 0; round < 25; ++round) {
            if (body_of(get(server.port(), "/file", "Range: bytes=3-5\r\n")) == "345") ++num_right;
          }
        });
      }
      for (auto& client : clients) client.join();
    }
    CHECK(num_right == 200);
    auto server = std::make_unique<HttpServer>(0, answer);
    const Connection idle(server->port()), busy(server->port());
    busy.send(
        "GET /cut HTTP/1.1\r\n\r\n");  // more than the buffers of the system hold: the server waits for the reader
    server.reset();
    CHECK(idle.receive().empty());
  }
}

}  // namespace
