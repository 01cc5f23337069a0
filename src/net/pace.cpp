#include "net/pace.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "base/fork.hpp"
#include "base/log.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore::net {
namespace {

std::optional<double> number_in(std::string_view text) {
  const auto out = parse_number(text);
  return out && std::isfinite(*out) && *out >= 0 ? out : std::nullopt;
}

/// "Wed, 25 Nov 2026 16:20:00 GMT" as seconds since 1970.
std::optional<double> http_date(std::string_view text) {
  std::tm date = {};
  const std::string copy(text);
  const char* end = ::strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  return end == nullptr || *end != '\0' ? std::nullopt : std::optional(static_cast<double>(::timegm(&date)));
}

/// An item of a structured header (RFC 9651): names in quotes, and numbers of one letter.
struct LimitItem {
  std::vector<std::string> names = {};
  std::map<std::string, double, std::less<>> numbers = {};
};

std::vector<LimitItem> items_of(std::string_view header) {
  std::vector<LimitItem> out;
  for (const std::string& text : split(header, ',')) {
    LimitItem item;
    for (const std::string& part : split(text, ';')) {
      const std::string_view each = trimmed(part);
      const auto equals = each.find('=');
      if (each.size() > 1 && each.starts_with('"') && each.ends_with('"')) {
        item.names.emplace_back(each.substr(1, each.size() - 2));
      } else if (const auto value = equals == each.npos ? std::nullopt : number_in(each.substr(equals + 1))) {
        item.numbers.emplace(each.substr(0, equals), *value);
      }
    }
    out.push_back(std::move(item));
  }
  return out;
}

double number_of(const LimitItem& item, std::string_view name) {
  const auto found = item.numbers.find(name);
  return found == item.numbers.end() ? 0 : found->second;
}

bool share_a_name(const LimitItem& a, const LimitItem& b) {
  return std::ranges::any_of(a.names,
                             [&](const auto& name) { return std::ranges::find(b.names, name) != b.names.end(); });
}

double seconds_of(Pace::Clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

Pace::Clock::time_point time_of(double seconds) {
  return Pace::Clock::time_point(std::chrono::ceil<Pace::Clock::duration>(std::chrono::duration<double>(seconds)));
}

/// Shorter pauses are not worth a warning.
constexpr double kShortPause = 1;

}  // namespace

RequestBudget parse_budget(std::string_view text) {
  constexpr double kMostRequests = 1e6, kMostSeconds = 86400;
  const auto slash = text.find('/');
  const std::string_view count = text.substr(0, slash);
  std::string_view time = slash == text.npos ? "" : text.substr(slash + 1);
  double unit = 1;
  for (const auto& [name, seconds] : {std::pair("min", 60.0), {"h", 3600.0}, {"s", 1.0}}) {
    if (!time.ends_with(name)) continue;
    unit = seconds;
    time.remove_suffix(std::string_view(name).size());
    break;
  }
  const auto requests = number_in(count), length = number_in(time);
  const bool is_right = requests && *requests >= 1 && *requests <= kMostRequests &&
                        std::floor(*requests) == *requests && length && *length > 0 && *length * unit <= kMostSeconds;
  if (!is_right) {
    throw QueryError("max_requests_per is " + in_quotes(text) +
                     "; expected REQUESTS/TIME such as '3000/5min', with 1 to 1,000,000 requests and at most 24 hours");
  }
  return {static_cast<int64_t>(*requests), *length * unit};
}

std::string_view origin_of(std::string_view url) {
  const auto begin = url.find("://");
  return begin == url.npos ? url : url.substr(0, url.find_first_of("/?#", begin + 3));
}

StatedLimit stated_limit(const HttpResponse& response) {
  StatedLimit out;
  const LimitItem* scarcest = nullptr;
  const auto limits = items_of(response.header("ratelimit"));
  for (const LimitItem& limit : limits) {
    if (!limit.numbers.contains("r")) continue;
    if (scarcest == nullptr || number_of(limit, "r") < number_of(*scarcest, "r")) scarcest = &limit;
  }
  if (scarcest == nullptr) return out;
  out.remaining = number_of(*scarcest, "r");
  out.reset = number_of(*scarcest, "t");
  for (const LimitItem& policy : items_of(response.header("ratelimit-policy"))) {
    if (!share_a_name(policy, *scarcest)) continue;
    out.quota = number_of(policy, "q");
    out.window = number_of(policy, "w");
  }
  return out;
}

double server_time(const HttpResponse& response) {
  return http_date(response.header("date")).value_or(static_cast<double>(std::time(nullptr)));
}

double retry_after(const HttpResponse& response) {
  const std::string_view text = response.header("retry-after");
  if (const auto seconds = number_in(text)) return *seconds;
  const auto date = http_date(text);
  return date ? std::max(0.0, *date - server_time(response)) : 0;
}

/// The state of the limits of one server. Times are those of Clock, in seconds, which all processes share.
struct Pace::Shared {
  pthread_mutex_t mutex = {};
  int64_t num_in_flight = 0;
  double blocked_until = 0;  ///< no request is sent before

  // The limit of the server.
  bool is_limited = false;  ///< the following are known
  double num_left = 0;      ///< requests that may be sent until `window_end`
  double window_end = 0;
  double quota = 0, window = 0;

  bool was_told = false;  ///< that the server has to be waited for

  // The budget of the user: the times of the last requests, as many as it allows.
  int64_t num_sent = 0;
  double* sent = nullptr;
};

/// Holds the mutex. A process that was killed while it held it leaves numbers that are at most one request wrong.
class Pace::Lock {
 public:
  explicit Lock(Shared& shared) : mutex_(&shared.mutex) {
    if (::pthread_mutex_lock(mutex_) == EOWNERDEAD) ::pthread_mutex_consistent(mutex_);
  }
  ~Lock() { unlock(); }
  void unlock() {
    if (mutex_ != nullptr) ::pthread_mutex_unlock(std::exchange(mutex_, nullptr));
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t* mutex_;
};

Pace::Pace(std::string server, const RequestBudget& budget) : server_(std::move(server)), budget_(budget) {
  const std::size_t size = sizeof(Shared) + static_cast<std::size_t>(budget_.requests) * sizeof(double);
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw IoError("out of memory for the request budget", {}, errno);
  shared_ = new (memory) Shared;
  shared_->sent = reinterpret_cast<double*>(shared_ + 1);
  pthread_mutexattr_t attributes;
  ::pthread_mutexattr_init(&attributes);
  ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  ::pthread_mutex_init(&shared_->mutex, &attributes);
  ::pthread_mutexattr_destroy(&attributes);
}

std::optional<Pace::Clock::time_point> Pace::take() {
  const double now = seconds_of(Clock::now());
  Lock lock(*shared_);
  Shared& state = *shared_;
  if (state.is_limited && now >= state.window_end) {  // the limit is renewed
    state.is_limited = state.quota > 0 && state.window > 0;
    state.num_left = std::max(1.0, state.quota - static_cast<double>(state.num_in_flight));
    state.window_end = now + state.window;
  }
  double allowed = state.blocked_until;
  if (state.is_limited && state.num_left < 1) allowed = std::max(allowed, state.window_end);
  if (now < allowed) {
    const bool tell = allowed - now > kShortPause && !std::exchange(state.was_told, true);
    lock.unlock();
    if (tell) {
      log::warning(server_ + " accepts no more requests for " + std::to_string(std::llround(allowed - now)) +
                   " s; waiting, now and whenever it asks for it");
    }
    return time_of(allowed);
  }
  if (budget_.requests > 0) {
    double& oldest = state.sent[state.num_sent % budget_.requests];
    if (state.num_sent >= budget_.requests && now < oldest + budget_.seconds) return time_of(oldest + budget_.seconds);
    oldest = now;
    ++state.num_sent;
  }
  if (state.is_limited) --state.num_left;
  ++state.num_in_flight;
  return std::nullopt;
}

double Pace::learn(const HttpResponse& response) {
  const double now = seconds_of(Clock::now());
  const StatedLimit limit = stated_limit(response);
  const bool is_refused = response.status == 429 || response.status == 503;
  double pause = is_refused ? retry_after(response) : 0;
  if (is_refused && limit.remaining && *limit.remaining < 1) pause = std::max(pause, limit.reset);
  const Lock lock(*shared_);
  Shared& state = *shared_;
  state.num_in_flight = std::max<int64_t>(0, state.num_in_flight - 1);
  if (pause > 0 && pause <= kLongestPause) state.blocked_until = std::max(state.blocked_until, now + pause);
  if (!limit.remaining || limit.reset > kLongestPause) return pause;
  const double end = now + limit.reset;
  // Servers round the seconds: the earliest end that was stated in this window is nearest to the true one.
  state.window_end = state.is_limited && now < state.window_end && !is_refused ? std::min(state.window_end, end) : end;
  state.is_limited = true;
  state.num_left = *limit.remaining - static_cast<double>(state.num_in_flight);
  state.quota = limit.quota;
  state.window = limit.window;
  return pause;
}

void Pace::forget() {
  const Lock lock(*shared_);
  shared_->num_in_flight = std::max<int64_t>(0, shared_->num_in_flight - 1);
}

Pace& pace_of(std::string_view url, const RequestBudget& budget) {
  static auto& mutex = *new ForkSafeMutex;
  static auto& paces = *new std::map<std::string, std::unique_ptr<Pace>>;
  const std::string server(origin_of(url));
  const std::string key = server + " " + std::to_string(budget.requests) + "/" + std::to_string(budget.seconds);
  const std::lock_guard lock(mutex);
  auto& pace = paces[key];
  if (!pace) pace.reset(new Pace(server, budget));
  return *pace;
}

}  // namespace tacore::net
