#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"

namespace tacore::net {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

/// The beginning of a failure to connect, which names the server: "cannot connect to localhost:8999".
inline constexpr std::string_view kCannotConnect = "cannot connect to ";

/// A request. Redirects are not followed.
struct HttpRequest {
  std::string url;  ///< http or https
  HttpHeaders headers = {};
  uint64_t max_body = 0;  ///< the rest of a longer response is not read
  std::string method = "GET";
  std::shared_ptr<const ByteSource> body = {};  ///< is read piece by piece while it is sent; nullptr: none
};

/// Either `failure` is set, or the response is complete.
struct HttpResponse {
  int status = 0;            ///< 0: there was no response
  HttpHeaders headers = {};  ///< names in lower case
  Bytes body = {};
  bool is_too_large = false;  ///< the body is more than max_body; it is empty here
  std::string failure = {};   ///< why the transfer failed; begins with kCannotConnect when there was no connection
  /// Since the request was sent, on a connection that was open then.
  double seconds_to_first_byte = 0;
  double seconds = 0;

  /// The last header of this name (lower case); "" when there is none.
  std::string_view header(std::string_view name) const noexcept;
};

/// Sends requests concurrently, over connections that stay open. Safe from several threads, and in a child process
/// after fork(), which gets connections of its own.
class HttpClient {
 public:
  /// At most `limit` requests are in flight. A request fails when it is not connected after `timeout` seconds, and when
  /// less than a thousand bytes a second arrive or are sent for that long.
  HttpClient(int limit, double timeout);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Waits for all responses. Throws QueryError when the caller wants to stop, IoError without a client, and what
  /// reading the body of a request throws.
  std::vector<HttpResponse> send(std::span<const HttpRequest> requests) const;

 private:
  class Worker;

  int limit_;
  double timeout_;
  mutable std::shared_ptr<Worker> worker_;  ///< of this process
  mutable std::mutex mutex_;
};

}  // namespace tacore::net
