#pragma once

#include <sys/types.h>

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

/// The answer to a request: a text, or a file. Of a file, a request may ask for a range of bytes.
struct HttpAnswer {
  int status = 200;
  const char* type = "text/plain; charset=utf-8";
  std::string text = {};
  std::shared_ptr<const ByteSource> file = {};  ///< in place of `text`
};

/// A web server for one user, on 127.0.0.1. It answers GET and HEAD of HTTP/1.1, with one range of bytes for each
/// request (RFC 9110), and keeps connections open. Each connection has a thread; there are at most kMostConnections.
class HttpServer {
 public:
  /// `answer` gets the decoded path of a request, such as "/a/b c", without its query. It is called from several
  /// threads, and an exception from it becomes status 502. With `port` 0 the system chooses a free port. Throws IoError
  /// when the port is taken.
  HttpServer(uint16_t port, std::function<HttpAnswer(const std::string& path)> answer);
  /// Ends all connections. In a forked child, which has none of the threads, it leaves the server of the parent alone.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const noexcept { return port_; }

  static constexpr std::size_t kMostConnections = 64;

 private:
  void accept_connections();
  /// Answers the requests of a connection in a thread of its own.
  void start(int connection);
  void serve(int connection);
  /// False when the connection shall be closed.
  bool answer_one(int connection, std::string_view head);

  std::function<HttpAnswer(const std::string&)> answer_;
  pid_t owner_;  ///< the process whose threads serve
  int listener_ = -1;
  uint16_t port_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<int> connections_;  ///< open ones
  bool is_stopped_ = false;
  std::thread acceptor_;
};

}  // namespace tacore
