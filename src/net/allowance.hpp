#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/fork.hpp"
#include "tacore/plumbing/remote_use.hpp"

namespace tacore::net {

/// Counts requests, and holds them to limits. It lives as long as the process. Safe from several threads. A forked
/// child goes on with the numbers of its parent, but not with the parent's requests in flight.
class Allowance {
 public:
  using Clock = std::chrono::steady_clock;

  /// Throws QueryError for a number out of range.
  void set(const RemoteLimits& limits);
  RemoteUse use() noexcept;

  /// Takes leave to send one request now, for a response of at most so many bytes; else says when to ask again. Each
  /// leave is followed by received() or cancel(). Throws IoError, which names the file, when the limits leave nothing
  /// for it.
  std::optional<Clock::time_point> take(uint64_t most_bytes, const std::string& file = {});
  /// The request that was allowed for `most_bytes` had a response of `bytes`; 0 for none.
  void received(uint64_t most_bytes, uint64_t bytes);
  /// The request was not sent.
  void cancel(uint64_t most_bytes);

 private:
  void forget_parent();

  ForkSafeMutex mutex_;
  RemoteLimits limits_;
  RemoteUse use_;
  int64_t num_in_flight_ = 0;
  uint64_t num_expected_ = 0;    ///< bytes of the responses in flight, at most
  Clock::time_point next_ = {};  ///< when the next request may be sent
  pid_t process_ = 0;
};

/// That of this process.
Allowance& allowance();

}  // namespace tacore::net
