#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/byte_source.hpp"
#include "io/range_map.hpp"
#include "net/pace.hpp"
#include "net/remote_address.hpp"
#include "tacore/error.hpp"

namespace tacore::net {

/// The URL to which a server redirects a file.
struct Redirect {
  std::mutex mutex = {};
  std::string url = {};  ///< "": unknown
  Pace::Clock::time_point expires = {};
  bool is_resolving = false;  ///< a request is on its way that will find out
};

/// What the requests for all files share. Safe from several threads.
struct HttpSession {
  HttpSession(int limit, double timeout, int tries, RequestBudget requests = {})
      : client(limit, timeout), max_tries(tries), budget(requests) {}

  /// Whether the server of `url` answers one request for several ranges (multipart/byteranges): until it has sent
  /// something else.
  bool sends_parts(const std::string& url) const;
  void forget_parts(const std::string& url) const;

  /// The redirect of the file of this name; nullptr when it was not redirected yet and is not to be added.
  std::shared_ptr<Redirect> redirect_of(const std::string& name, bool add) const;

  HttpClient client;
  int max_tries;
  RequestBudget budget;

 private:
  /// Redirects are only known for the last files: a FOLDER may have millions.
  static constexpr std::size_t kMostRedirects = 10'000;

  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::shared_ptr<Redirect>> redirects_;
  mutable std::set<std::string, std::less<>> without_parts_;  ///< servers, as origin_of() names them
};

/// A file of a server, as the first response describes it.
class HttpSource : public ByteSource {
 public:
  /// What identifies, together with the size, the version of which a copy is: the ETag, else Last-Modified. "" when no
  /// copy may be kept: the server sends neither, forbids copies (Cache-Control: no-store), or has sent the whole file
  /// without its length, so that it may be cut.
  virtual const std::string& copy_validator() const noexcept = 0;
  /// The bytes of the first response. They stay in memory, so that reading them takes no request.
  virtual const RangeMap& first() const noexcept = 0;

  std::string version() const override {
    return copy_validator().empty() ? "" : name() + " " + std::to_string(size()) + " " + copy_validator();
  }
};

/// No response arrived, after all tries.
class Unreachable final : public IoError {
 public:
  using IoError::IoError;
};

struct HttpOpened {
  std::shared_ptr<const HttpSource> file = {};  ///< nullptr: it is absent
  int status = 0;                               ///< of HTTP
  std::string why = {};                         ///< the message of the server, when it is absent
};

/// Opens files concurrently, with one request each: for the bytes that its hint names, which stay in memory. Where the
/// server knows no suffix ranges, a second request is for the first bytes. Later reads are checked against the size and
/// the ETag of the first response. `hints`: one for each address; `may_wait` is ignored.
///
/// Failures that may be temporary (no connection, a body that ends early or is not what was requested, 408, 429, 5xx)
/// are tried again, after a pause that doubles or that `Retry-After` names. Redirects are followed, with credentials
/// only on the host that they are for, never from https to http. Throws IoError, which names the URL, the range and the
/// status; Unreachable, which may name the server instead, when no response arrived at all.
std::vector<HttpOpened> open_http_files(std::shared_ptr<const HttpSession> session,
                                        std::span<const RemoteAddress> addresses, std::span<const ReadHint> hints);

/// The largest file that a server without range requests may send as a whole.
inline constexpr uint64_t kMaxWhole = 64 * 1024 * 1024;

}  // namespace tacore::net
