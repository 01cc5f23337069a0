#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "io/byte_source.hpp"

namespace tacore {

/// What a server answers: a text, or bytes of a file, of which a request may want a range.
struct HttpAnswer {
  int status = 200;
  const char* type = "text/plain; charset=utf-8";
  std::string text = {};
  std::shared_ptr<const ByteSource> file = {};  ///< in place of `text`
};

/// A server for one user, on 127.0.0.1: GET and HEAD of HTTP/1.1, one range of bytes a request (RFC 9110), connections
/// that stay open. Each connection has a thread; there are at most kMostConnections.
class HttpServer {
 public:
  /// `answer` is given the decoded path of a request, "/a/b c", without its query, and called from several threads;
  /// what it throws becomes status 502. `port` 0: any that is free. Throws IoError when the port is taken.
  HttpServer(uint16_t port, std::function<HttpAnswer(const std::string& path)> answer);
  /// Ends all connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const noexcept { return port_; }

  static constexpr std::size_t kMostConnections = 64;

 private:
  void accept_connections();
  void serve(int connection);
  /// False when the connection shall be closed.
  bool answer_one(int connection, std::string_view head);

  std::function<HttpAnswer(const std::string&)> answer_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<int> connections_;  ///< open ones
  bool is_stopped_ = false;
  std::thread acceptor_;
};

}  // namespace tacore
