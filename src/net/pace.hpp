#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_client.hpp"

namespace tacore::net {

/// The most requests to one server in any interval of that length.
struct RequestBudget {
  int64_t requests = 0;  ///< 0: no limit
  double seconds = 0;
};
/// Of text such as "3000/5min": s, min and h are units, and without one the seconds are meant. Throws QueryError.
RequestBudget parse_budget(std::string_view text);

/// How fast requests may go to one server: as fast as it allows (the headers RateLimit, RateLimit-Policy and
/// Retry-After), and as the budget of the user allows. All threads and datasets of a process share it, and so do the
/// processes that are forked after the first request to the server. Safe from several threads.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Takes leave to send one request now; else says when to ask again. Each leave is given back by learn() or forget().
  std::optional<Clock::time_point> take();
  /// Takes note of what a response says of the limits. Returns for how many seconds the server refuses requests, which
  /// take() then waits for; 0 when it does not.
  double learn(const HttpResponse& response);
  /// For a request without a response.
  void forget();

  /// Longer pauses than this, in seconds, are not waited for: a user would take them for a program that hangs.
  static constexpr double kLongestPause = 900;

 private:
  friend Pace& pace_of(std::string_view url, const RequestBudget& budget);
  struct Shared;
  class Lock;
  Pace(std::string server, const RequestBudget& budget);

  std::string server_;
  RequestBudget budget_;
  Shared* shared_;  ///< memory that forked processes share
};

/// The pace of the server of an absolute URL. It lives as long as the process.
Pace& pace_of(std::string_view url, const RequestBudget& budget);

/// "https://host:port" of an absolute URL.
std::string_view origin_of(std::string_view url);

/// What a response says of a limit, in seconds and numbers of requests.
struct StatedLimit {
  std::optional<double> remaining = {};  ///< requests until `reset`
  double reset = 0;                      ///< seconds until the limit is renewed
  double quota = 0;                      ///< requests in `window` seconds; 0: unknown
  double window = 0;
};
/// Of the headers RateLimit, such as `"resolvers";r=0;t=55`, and RateLimit-Policy, such as
/// `"fixed window";"resolvers";q=3000;w=300`. Of several limits, the one with the fewest requests left.
StatedLimit stated_limit(const HttpResponse& response);

/// The time of day at the server, in seconds since 1970: its Date header, else the clock of this machine, which may be
/// wrong.
double server_time(const HttpResponse& response);

/// The seconds of a Retry-After header, which is a number or a date; 0 for none.
double retry_after(const HttpResponse& response);

}  // namespace tacore::net
