#include "view/http_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr std::size_t kMostHead = 16 * 1024;  // bytes of a request before its body
constexpr int kIdle = 120'000;                // milliseconds without a request after which a connection is closed
constexpr timeval kSlowest{.tv_sec = 30, .tv_usec = 0};  // without a byte that the browser takes
constexpr uint64_t kPart = 1 << 20;                      // bytes that are read at once

const char* reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 206: return "Partial Content";
    case 400: return "Bad Request";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 416: return "Range Not Satisfiable";
    default: return "Bad Gateway";
  }
}

void close_on_exec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

/// False when the browser is gone.
bool send_all(int connection, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = ::send(connection, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}
bool send_all(int connection, std::string_view text) { return send_all(connection, text.data(), text.size()); }

/// The path of a request target; nullopt for one that is no path, such as `*`, or holds NUL.
std::optional<std::string> path_of(std::string_view target) {
  std::string path = percent_decoded(target.substr(0, target.find('?')));
  if (!path.starts_with('/') || path.find('\0') != path.npos) return std::nullopt;
  return path;
}

/// The value of a header field, whose name is given in lower case; "" when there is none.
std::string_view field_of(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    const auto colon = line.find(':');
    if (colon != line.npos && lower(line.substr(0, colon)) == name) return trimmed(line.substr(colon + 1));
  }
  return {};
}

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The bytes that a request wants of `size`. Other units, several ranges and what is no range mean all bytes, as
/// RFC 9110 allows; nullopt for a range that begins beyond the end.
std::optional<ByteRange> range_of(std::string_view field, uint64_t size) {
  const ByteRange all{0, size};
  if (!field.starts_with("bytes=") || field.find(',') != field.npos) return all;
  field.remove_prefix(6);
  const auto dash = field.find('-');
  if (dash == field.npos) return all;
  const auto first = number_of(field.substr(0, dash)), last = number_of(field.substr(dash + 1));
  if (dash == 0 && last) {  // the last bytes
    if (*last == 0 || size == 0) return std::nullopt;
    return ByteRange{size - std::min(*last, size), std::min(*last, size)};
  }
  if (!first || (!last && dash + 1 < field.size()) || (last && *last < *first)) return all;
  if (*first >= size) return std::nullopt;
  return ByteRange{*first, std::min(last.value_or(size - 1), size - 1) - *first + 1};
}

/// Sends bytes of a file after `head`, of which nothing is sent when the first of them cannot be read.
bool send_file(int connection, const std::string& head, const ByteSource& file, ByteRange range) {
  const auto part = [&](uint64_t done) { return ByteRange{range.offset + done, std::min(kPart, range.size - done)}; };
  Bytes bytes = file.read(part(0));
  if (!send_all(connection, head)) return false;
  for (uint64_t done = 0; done < range.size;) {
    if (!send_all(connection, bytes.data(), bytes.size())) return false;
    done += bytes.size();
    if (done == range.size) break;
    try {
      bytes = file.read(part(done));
    } catch (const std::exception&) {
      return false;  // the browser sees that bytes are missing, and asks again
    }
  }
  return true;
}

}  // namespace

HttpServer::HttpServer(uint16_t port, std::function<HttpAnswer(const std::string&)> answer)
    : answer_(std::move(answer)), owner_(::getpid()) {
  const std::string name = "127.0.0.1:" + std::to_string(port);
  const auto checked = [&](int result, const char* what) {
    if (result >= 0) return result;
    const int error = errno;
    if (listener_ >= 0) ::close(listener_);
    throw IoError(what, {.path = name}, error);
  };
  listener_ = checked(::socket(AF_INET, SOCK_STREAM, 0), "no socket");
  close_on_exec(listener_);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  checked(::bind(listener_, raw, size), "the port cannot be used");
  checked(::listen(listener_, 64), "the port cannot be used");
  checked(::getsockname(listener_, raw, &size), "the port is unknown");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_connections(); });
}

HttpServer::~HttpServer() {
  if (owner_ != ::getpid()) {
    // shutdown() would end the listening socket of the parent, too, and there is no thread here to wait for.
    ::close(listener_);
    new std::thread(std::move(acceptor_));
    return;
  }
  {
    std::unique_lock lock(mutex_);
    is_stopped_ = true;
    for (const int connection : connections_) ::shutdown(connection, SHUT_RDWR);
  }
  ::shutdown(listener_, SHUT_RDWR);  // wakes accept()
  acceptor_.join();
  ::close(listener_);
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return connections_.empty(); });
}

void HttpServer::accept_connections() {
  for (;;) {
    const int connection = ::accept(listener_, nullptr, nullptr);
    if (connection < 0) ::poll(nullptr, 0, 20);  // no descriptor is free, until some are closed; or the server ends
    const std::lock_guard lock(mutex_);
    if (is_stopped_) {
      if (connection >= 0) ::close(connection);
      return;
    }
    if (connection < 0) continue;
    if (connections_.size() >= kMostConnections) {
      ::close(connection);
      continue;
    }
    start(connection);
  }
}

void HttpServer::start(int connection) {
  close_on_exec(connection);
  const int on = 1;
  ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &kSlowest, sizeof kSlowest);
  connections_.insert(connection);
  const auto end = [this, connection] {
    connections_.erase(connection);
    ::close(connection);
    ended_.notify_all();
  };
  try {
    std::thread([this, connection, end] {
      try {
        serve(connection);
      } catch (const std::exception&) {
        // No memory for a request: its connection ends, the others go on.
      }
      const std::lock_guard ending(mutex_);
      end();
    }).detach();
  } catch (const std::system_error&) {  // the system has no more threads
    end();
  }
}

void HttpServer::serve(int connection) {
  std::string received;
  for (;;) {
    std::size_t end = received.find("\r\n\r\n");
    while (end == received.npos) {
      pollfd waits{.fd = connection, .events = POLLIN, .revents = 0};
      const int ready = ::poll(&waits, 1, kIdle);
      if (ready < 0 && errno == EINTR) continue;
      char buffer[4096];
      const ssize_t size = ready > 0 ? ::recv(connection, buffer, sizeof buffer, 0) : 0;
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return;
      received.append(buffer, static_cast<std::size_t>(size));
      end = received.find("\r\n\r\n");
      if (end == received.npos && received.size() > kMostHead) return;
    }
    if (!answer_one(connection, std::string_view(received).substr(0, end))) return;
    received.erase(0, end + 4);
  }
}

bool HttpServer::answer_one(int connection, std::string_view head) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const auto first = line.find(' '), second = line.find(' ', first == line.npos ? first : first + 1);
  const std::string_view method = line.substr(0, first);
  const bool is_head = method == "HEAD";
  const std::string_view length = field_of(head, "content-length");
  const bool has_body = !field_of(head, "transfer-encoding").empty() || (!length.empty() && length != "0");

  HttpAnswer answer;
  const auto path = second == line.npos ? std::nullopt : path_of(line.substr(first + 1, second - first - 1));
  const bool is_understood = path && !has_body && line.ends_with("HTTP/1.1");
  const bool keeps = is_understood && lower(field_of(head, "connection")) != "close";
  if (!is_understood) {
    answer = {.status = 400, .text = "A request that this server does not understand.\n"};
  } else if (method != "GET" && !is_head) {
    answer = {.status = 405, .text = "This server only reads.\n"};
  } else {
    try {
      answer = answer_(*path);
    } catch (const std::exception& error) {
      answer = {.status = 502, .text = std::string(error.what()) + "\n"};
    }
  }

  const auto begin = [&](uint64_t size, const std::string& more) {
    return "HTTP/1.1 " + std::to_string(answer.status) + " " + reason_of(answer.status) +
           "\r\nContent-Type: " + answer.type + "\r\nContent-Length: " + std::to_string(size) + "\r\n" + more +
           // Nothing of a private dataset shall stay in the browser, or be told to others.
           "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
           "Cross-Origin-Resource-Policy: same-origin\r\n" +
           (keeps ? "" : "Connection: close\r\n") + "\r\n";
  };
  const auto send_text = [&](const std::string& more) {
    return send_all(connection, begin(answer.text.size(), more) + (is_head ? "" : answer.text)) && keeps;
  };
  if (!answer.file) return send_text(answer.status == 405 ? "Allow: GET, HEAD\r\n" : "");

  try {
    const uint64_t size = answer.file->size();
    const std::string_view wanted = answer.status == 200 ? field_of(head, "range") : "";
    const auto range = range_of(wanted, size);
    if (!range) {
      answer = {.status = 416, .text = "The file has " + std::to_string(size) + " bytes.\n"};
      return send_text("Content-Range: bytes */" + std::to_string(size) + "\r\n");
    }
    std::string more = "Accept-Ranges: bytes\r\n";
    if (range->size < size) {
      answer.status = 206;
      more += "Content-Range: bytes " + std::to_string(range->offset) + "-" +
              std::to_string(range->offset + range->size - 1) + "/" + std::to_string(size) + "\r\n";
    }
    if (is_head) return send_all(connection, begin(range->size, more)) && keeps;
    return send_file(connection, begin(range->size, more), *answer.file, *range) && keeps;
  } catch (const std::exception& error) {
    answer = {.status = 502, .text = std::string(error.what()) + "\n"};
    return send_text("");
  }
}

}  // namespace tacore
