#pragma once

#include <cstdint>
#include <limits>

#include "tacore/visibility.hpp"

/// What reading remote files takes, for work that many processes share. Uploads, and files that a RemoteOpener reads,
/// are not counted.
namespace tacore {

/// The HTTP requests that this process has sent to read files.
struct RemoteUse {
  int64_t num_requests = 0;  ///< redirects and repeated requests among them
  uint64_t num_bytes = 0;    ///< of the responses, without their headers
  int64_t num_refused = 0;   ///< requests that were not sent, since a number of RemoteLimits was reached
};

/// Limits of the requests of this process together, to all servers, beside the RemoteOptions of each dataset.
struct RemoteLimits {
  /// The most requests, and the most bytes of their responses, since the process began, as remote_use() counts them. A
  /// request that could exceed them is not sent, and throws IoError. Only a server that sends more than it was asked
  /// for can make the counts exceed them.
  int64_t max_requests = std::numeric_limits<int64_t>::max();
  uint64_t max_bytes = std::numeric_limits<uint64_t>::max();
  /// Requests wait for these two.
  double requests_per_second = std::numeric_limits<double>::infinity();   ///< 1/86400 or more; evenly spaced
  int64_t max_concurrent_requests = std::numeric_limits<int64_t>::max();  ///< at least 1
};

/// The requests of this process so far; of a forked child also those of its parent before the fork. Safe from any
/// thread.
TACORE_EXPORT RemoteUse remote_use() noexcept;

/// Sets the limits, also for files that are open. Safe from any thread. Throws QueryError for a number out of range.
///
///     RemoteLimits limits{.max_requests = remote_use().num_requests + 1000};
///     set_remote_limits(limits);
TACORE_EXPORT void set_remote_limits(const RemoteLimits& limits);

}  // namespace tacore
