#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

/// For tests: an HTTP server on the loopback that answers as it is told.
namespace tacore::net {

struct TestRequest {
  std::string path = {};
  std::string text = {};  ///< the request line and the headers
  std::string body = {};
  int connection = 0;  ///< number of the connection it came over

  /// The value of a header, spelled as here; "" when there is none.
  std::string header(std::string_view name) const {
    const auto begin = text.find("\r\n" + std::string(name) + ": ");
    if (begin == text.npos) return {};
    const auto value = begin + 4 + name.size();
    return text.substr(value, text.find("\r\n", value) - value);
  }
};

struct TestAnswer {
  std::string bytes;     ///< as they are sent
  bool is_last = false;  ///< the connection ends then
};

/// An answer of this status, with the right length.
inline TestAnswer answer(int status, const std::string& body, const std::string& headers = {}) {
  return {"HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
          headers + "\r\n" + body};
}

/// What a server gives for a request of one range, or of none.
inline TestAnswer answer_range(const TestRequest& request, const std::string& file, const std::string& headers = {}) {
  const std::string range = request.header("Range");
  unsigned long long first = 0, last = 0;
  if (std::sscanf(range.c_str(), "bytes=-%llu", &last) == 1) {
    first = file.size() - std::min<unsigned long long>(last, file.size());
    last = file.size() - 1;
  } else if (std::sscanf(range.c_str(), "bytes=%llu-%llu", &first, &last) != 2) {
    return answer(200, file, headers);
  }
  if (first >= file.size()) return answer(416, "", "Content-Range: bytes */" + std::to_string(file.size()) + "\r\n");
  last = std::min<unsigned long long>(last, file.size() - 1);
  return answer(206, file.substr(first, last - first + 1),
                "Content-Range: bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" +
                    std::to_string(file.size()) + "\r\n" + headers);
}

class TestServer {
 public:
  using Handler = std::function<TestAnswer(const TestRequest&)>;

  /// `handler` is called from several threads.
  explicit TestServer(Handler handler) : handler_(std::move(handler)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, any, size) != 0 || ::listen(listener_, 128) != 0 ||
        ::getsockname(listener_, any, &size) != 0) {
      throw std::runtime_error("no server on the loopback");
    }
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept_all(); });
  }
  ~TestServer() {
    is_stopped_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    accepting_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int connection : connections_) ::shutdown(connection, SHUT_RDWR);
    }
    for (auto& thread : threads_) thread.join();
    for (const int connection : connections_) ::close(connection);
    ::close(listener_);
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  std::string url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port_) + path; }

  std::vector<TestRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void accept_all() {
    while (!is_stopped_) {
      const int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) continue;
      const std::lock_guard lock(mutex_);
      const int number = static_cast<int>(connections_.size());
      connections_.push_back(connection);
      threads_.emplace_back([this, connection, number] { serve(connection, number); });
    }
  }

  void serve(int connection, int number) {
    std::string text;
    char buffer[4096];
    for (;;) {
      auto end = text.find("\r\n\r\n");
      while (end == text.npos) {
        const ssize_t count = ::recv(connection, buffer, sizeof buffer, 0);
        if (count <= 0) return;
        text.append(buffer, static_cast<std::size_t>(count));
        end = text.find("\r\n\r\n");
      }
      TestRequest request{.text = text.substr(0, end + 2), .connection = number};
      text.erase(0, end + 4);
      const std::string length = request.header("Content-Length");
      const std::size_t size = length.empty() ? 0 : std::stoul(length);
      while (text.size() < size) {
        const ssize_t count = ::recv(connection, buffer, sizeof buffer, 0);
        if (count <= 0) return;
        text.append(buffer, static_cast<std::size_t>(count));
      }
      request.body = text.substr(0, size);
      text.erase(0, size);
      const auto path = request.text.find(' ') + 1;
      request.path = request.text.substr(path, request.text.find(' ', path) - path);
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      const TestAnswer out = handler_(request);
      std::size_t sent = 0;
      while (sent < out.bytes.size()) {
        const ssize_t count = ::send(connection, out.bytes.data() + sent, out.bytes.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) return;
        sent += static_cast<std::size_t>(count);
      }
      if (out.is_last) {
        ::shutdown(connection, SHUT_RDWR);
        return;
      }
    }
  }

  Handler handler_;
  int listener_;
  int port_ = 0;
  std::atomic<bool> is_stopped_ = false;
  mutable std::mutex mutex_;
  std::vector<int> connections_;
  std::vector<std::thread> threads_;
  std::vector<TestRequest> requests_;
  std::thread accepting_;
};

}  // namespace tacore::net
