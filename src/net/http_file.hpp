#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "net/remote_address.hpp"
#include "tacore/error.hpp"

namespace tacore::net {

/// What requests of all files share. Safe from several threads.
struct HttpSession {
  HttpSession(int limit, double timeout, int tries) : client(limit, timeout), max_tries(tries) {}

  /// Whether it makes sense to ask for several ranges at once: until a server answered with something else.
  bool sends_parts() const noexcept { return parts_; }
  void forget_parts() const noexcept { parts_ = false; }

  HttpClient client;
  int max_tries;

 private:
  mutable std::atomic<bool> parts_ = true;
};

/// A file of a server, as its first answer told.
class HttpSource : public ByteSource {
 public:
  /// By what a copy of it is known to be of the same version, along with its size: the ETag, else the time of the last
  /// change. "" when nothing may be kept: the server names neither, asks for no copies (Cache-Control: no-store), or
  /// sent the whole file without telling its length, so that it may have been cut.
  virtual const std::string& copy_validator() const noexcept = 0;
  /// What came with that answer, and stays in memory: reads in there cost nothing.
  virtual uint64_t first_offset() const noexcept = 0;
  virtual std::span<const std::byte> first_bytes() const noexcept = 0;
};

/// No answer came, after all tries.
class Unreachable final : public IoError {
 public:
  using IoError::IoError;
};

struct HttpOpened {
  std::shared_ptr<const HttpSource> file = {};  ///< nullptr: it is not there
  int status = 0;                               ///< of HTTP
  std::string why = {};                         ///< what the server says, when it is not there
};

/// Opens files with one request each, side by side: the first kFirstRead bytes, or the last of a `.parquet` or a ZIP,
/// or the last kFirstLevelRead of a level table, which stay in memory; a second one for the first bytes where the
/// server does not give the last. Later reads are checked against the size and the ETag of that answer.
///
/// Failures that may pass (no connection, a body that ends early or is not what was asked for, 408, 429, 5xx) are tried
/// again, after a pause that doubles or that `Retry-After` names. Redirects are followed, with credentials only on the
/// host that they are for, never from https to http. Throws IoError, which names the URL, the range and the status;
/// Unreachable when no answer came at all.
std::vector<HttpOpened> open_http_files(std::shared_ptr<const HttpSession> session,
                                        std::span<const RemoteAddress> addresses);

/// Of a small dataset, all metadata come in this.
inline constexpr uint64_t kFirstRead = 32 * 1024;
/// Of level{level}.parquet: columns of a hundred thousand rows, along with the footer. They would be asked for next,
/// and where a round trip takes 20 ms or more, 25 MB/s bring as much in one.
inline constexpr uint64_t kFirstLevelRead = 512 * 1024;
/// What a server that ignores ranges may send instead of them.
inline constexpr uint64_t kMaxWhole = 64 * 1024 * 1024;

}  // namespace tacore::net
