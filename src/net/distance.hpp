#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>

#include "net/http_client.hpp"

namespace tacore::net {

/// The round-trip time and the bandwidth of a server, learnt from its responses. The round-trip time is the time from a
/// request to the first byte of its response. The model: `n` requests, each sent after the response to the one before,
/// for `b` bytes in all take n * round_trip + b / bandwidth seconds. Safe from several threads.
class Distance {
 public:
  /// Takes note of the times of a response. Failures tell nothing.
  void learn(const HttpResponse& response);
  /// The bytes that arrive in the time of a round trip; 0 for a server that is near, where fewer requests save nothing.
  uint64_t bytes_of_round_trip() const;

 private:
  mutable std::mutex mutex_;
  double round_trip_ = 0;  ///< seconds; 0: no response yet
  double bandwidth_ = 0;   ///< bytes a second; 0: no response yet that was long enough
};

/// The distance of the server of an absolute URL. It lives as long as the process.
Distance& distance_of(std::string_view url);

}  // namespace tacore::net
