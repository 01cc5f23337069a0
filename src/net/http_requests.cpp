#include "net/http_requests.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <deque>
#include <limits>
#include <optional>
#include <random>
#include <thread>

#include "base/interrupt.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "net/allowance.hpp"
#include "net/distance.hpp"
#include "tacore/error.hpp"

namespace tacore::net {
namespace {

constexpr int kMaxRedirects = 8;
constexpr double kFirstPause = 0.1;  // seconds
constexpr double kLongestPause = 60;
/// While a request finds out where a server redirects a file, the others for that file look this often.
constexpr auto kLook = std::chrono::milliseconds(5);
/// A redirect is resolved again this many seconds before it expires: requests take time.
constexpr double kEarly = 10;

/// The absolute URL of `to`, which may be relative to `from`.
std::string resolved(std::string_view from, std::string_view to) {
  if (to.find("://") != to.npos) return std::string(to);
  if (to.starts_with("//")) return std::string(from.substr(0, from.find("://") + 1)).append(to);
  if (to.starts_with('/')) return std::string(origin_of(from)).append(to);
  const std::string_view path = from.substr(0, from.find_first_of("?#"));
  return std::string(path.substr(0, std::max(path.rfind('/') + 1, origin_of(from).size()))).append(to);
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// When to resolve a redirect again whose URL has this lifetime.
Pace::Clock::time_point end_of(double lifetime) {
  constexpr double kLongest = 86400.0 * 365;  // no limit
  const std::chrono::duration<double> left(std::min(lifetime - std::min(kEarly, lifetime / 2), kLongest));
  return Pace::Clock::now() + std::chrono::duration_cast<Pace::Clock::duration>(left);
}

/// The value of a parameter of the query of a URL; "" when it has none of this name.
std::string_view query_value(std::string_view url, std::string_view name) {
  for (auto at = url.find('?'); at != url.npos; at = url.find('&', at + 1)) {
    const std::string_view rest = url.substr(at + 1);
    if (rest.starts_with(name) && rest.substr(name.size()).starts_with('=')) {
      const std::string_view value = rest.substr(name.size() + 1);
      return value.substr(0, value.find('&'));
    }
  }
  return {};
}

std::optional<double> number_of(std::string_view text) {
  uint32_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() ? std::optional<double>(out) : std::nullopt;
}

/// Seconds since 1970 of a date as signatures have it, 20261125T101500Z or 2026-11-25T10:15:00Z with %3A for a colon.
std::optional<double> date_of(std::string_view text) {
  std::tm date = {};
  for (const char* form : {"%Y%m%dT%H%M%SZ", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H%%3A%M%%3A%SZ"}) {
    const std::string copy(text);
    const char* end = ::strptime(copy.c_str(), form, &date);
    if (end != nullptr && *end == '\0') return static_cast<double>(::timegm(&date));
  }
  return std::nullopt;
}

/// Whether the body is a page for browsers, which says no more than the status.
bool is_html(const HttpResponse& response, std::string_view text) {
  const std::string begin = lower(text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())));
  return lower(response.header("content-type")).starts_with("text/html") || begin.starts_with("<!doctype html") ||
         begin.starts_with("<html");
}

/// The error message in the body, when it is plain text or XML.
std::string text_of(const HttpResponse& response) {
  const std::string_view text(reinterpret_cast<const char*>(response.body.data()),
                              std::min<std::size_t>(response.body.size(), 200));
  return text.empty() || !is_utf8(text) || is_html(response, text) ? "" : ": " + without_controls(text);
}

std::string status_of(const HttpResponse& response) { return "HTTP status " + std::to_string(response.status); }

/// The errno value that corresponds to an HTTP status; 0 where there is none.
int error_number(int status) { return status == 401 || status == 403 ? EACCES : 0; }

template <class Failure = IoError>
[[noreturn]] void fail(const RangeRequest& request, const std::string& why, int number, int num_tries) {
  // The query of the URL may be a signature. A failure to connect names the server by itself.
  const std::string url = request.location->url();
  const std::string what = why.starts_with(kCannotConnect)
                               ? ""
                               : "GET " + without_controls(url.substr(0, url.find('?'))) + " (" + request.range + "): ";
  throw Failure(what + why + (num_tries > 1 ? " (" + std::to_string(num_tries) + " tries)" : ""),
                {.path = request.location->address().name}, number);
}

/// The most bytes of a response to this request, from a server that sends what it was asked for.
uint64_t most_bytes(const RangeRequest& request) {
  return request.most_bytes > 0 ? request.most_bytes : request.max_body;
}

/// A request that is sent until it has a valid response.
class Attempt {
 public:
  Attempt(const RangeRequest& wanted, const HttpSession& session) : wanted_(wanted), session_(session) {}
  ~Attempt() { end(); }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  bool is_done() const noexcept { return is_done_; }
  HttpResponse take() { return std::move(response_); }

  /// Whether to send the request now; otherwise `next` is at most the time to ask again.
  bool may_begin(Pace::Clock::time_point now, Pace::Clock::time_point& next) {
    if (now < ready_) {
      next = std::min(next, ready_);
      return false;
    }
    if (!resolves_ && !wanted_.location->may_request(resolves_)) {
      next = std::min(next, now + kLook);
      return false;
    }
    if (const auto later = take_allowance()) {
      next = std::min(next, *later);
      return false;
    }
    Pace& pace = pace_of(wanted_.location->url(), session_.budget);
    if (const auto later = pace.take()) {
      next = std::min(next, *later);
      cancel();
      return false;
    }
    pace_ = &pace;
    return true;
  }

  HttpRequest request() {
    constexpr uint64_t kError = 4096;  // bytes of an error message
    HttpRequest out = wanted_.location->request(wanted_.range, std::max(wanted_.max_body, kError));
    sent_ = out.url;
    return out;
  }

  /// Keeps a valid response, or decides when to send the request again.
  void receive(HttpResponse response) {
    allowance().received(most_bytes(wanted_), response.body.size());
    is_allowed_ = false;
    const double pause = std::exchange(pace_, nullptr)->learn(response);
    distance_of(sent_).learn(response);
    const int status = response.status;
    if (!response.failure.empty()) return again(response.failure, status != 0);
    if (const auto why = why_not_waited(response, pause); !why.empty()) fail(wanted_, why, 0, 1);
    if (pause > 0 && tries_.after_pause()) {
      num_moves_ = 0;
      return;
    }
    if (may_pass(status)) return again(status_text(response));
    Location& location = *wanted_.location;
    if (++num_moves_ <= kMaxRedirects && location.follow(response, wanted_.range)) return;
    if (is_redirect(status))
      fail(wanted_, status_of(response) + ": more than " + std::to_string(kMaxRedirects) + " redirects", 0, 1);
    const bool is_missing =
        status == 404 || status == 410 || (status == 403 && location.address().hides_what_is_missing());
    const bool is_valid =
        status == 200 || status == 206 || status == 416 || (wanted_.may_be_refused && (status == 400 || status == 501));
    // The URL of an earlier redirect may have expired: the next request goes to the original URL.
    if (!is_valid && num_moves_ == 1 && location.forget_redirect(sent_)) return;
    if (is_valid) {
      const ResponseCheck check = wanted_.check(response);
      if (check.result == ResponseCheck::Result::TryAgain) return again(check.why);
      if (check.result == ResponseCheck::Result::Wrong) fail(wanted_, check.why, 0, 1);
    } else if (!is_missing) {
      fail(wanted_, status_text(response), error_number(status), 1);
    }
    response_ = std::move(response);
    is_done_ = true;
    end();
  }

 private:
  /// For requests that will not be sent, or have their response: others may go on.
  void end() {
    cancel();
    if (pace_ != nullptr) std::exchange(pace_, nullptr)->forget();
    if (std::exchange(resolves_, false)) wanted_.location->end_resolving();
  }

  std::optional<Allowance::Clock::time_point> take_allowance() {
    const auto later = allowance().take(most_bytes(wanted_), wanted_.location->address().name);
    is_allowed_ = !later;
    return later;
  }

  void cancel() {
    if (std::exchange(is_allowed_, false)) allowance().cancel(most_bytes(wanted_));
  }

  void again(const std::string& why, bool was_reached = true) {
    num_moves_ = 0;
    const auto next = tries_.after_failure();
    if (!next && !was_reached) fail<Unreachable>(wanted_, why, 0, tries_.count());
    if (!next) fail(wanted_, why, 0, tries_.count());
    ready_ = *next;
    log::info(wanted_.location->address().name + ": " + wanted_.range + ": " + why + "; trying again");
  }

  const RangeRequest& wanted_;
  const HttpSession& session_;
  Tries tries_{session_.max_tries};
  int num_moves_ = 0;
  Pace::Clock::time_point ready_ = {};  ///< when the request may be sent
  bool is_allowed_ = false;             ///< from before a request is sent until its response
  Pace* pace_ = nullptr;                ///< while a request is in flight
  std::string sent_ = {};               ///< the URL of the last request
  bool resolves_ = false;               ///< others wait for what this request finds out
  bool is_done_ = false;
  HttpResponse response_ = {};
};

}  // namespace

std::shared_ptr<Redirect> Location::redirect() const {
  const std::lock_guard lock(mutex_);
  if (!redirect_) redirect_ = session_.redirect_of(address_.name, false);
  return redirect_;
}

std::string Location::url() const {
  if (const auto known = redirect()) {
    const std::lock_guard lock(known->mutex);
    if (!known->url.empty()) return known->url;
  }
  return address_.location();
}

HttpRequest Location::request(const std::string& range, uint64_t max_body) const {
  HttpRequest out = address_.request(range, max_body);
  std::string to = url();
  if (origin_of(to) != origin_of(out.url)) out.headers = {{"Range", range}};
  out.url = std::move(to);
  return out;
}

bool Location::may_request(bool& resolves) {
  const auto known = redirect();
  if (!known) return true;
  const std::lock_guard lock(known->mutex);
  if (known->is_resolving) return false;
  if (Pace::Clock::now() >= known->expires) known->url.clear();
  resolves = known->is_resolving = known->url.empty();
  return true;
}

void Location::end_resolving() {
  const auto known = redirect();
  const std::lock_guard lock(known->mutex);
  known->is_resolving = false;
}

bool Location::follow(const HttpResponse& response, const std::string& range) {
  if (const auto region = response.header("x-amz-bucket-region"); address_.is_s3() && address_.endpoint.empty() &&
                                                                  response.status >= 300 && !region.empty() &&
                                                                  address_.region->set(region)) {
    return true;
  }
  const auto to = response.header("location");
  if (!is_redirect(response.status) || to.empty()) return false;
  const std::string from = url();
  std::string target = resolved(from, to);
  const auto refuse = [&](const char* why) {
    throw IoError("GET " + from.substr(0, from.find('?')) + " (" + range + "): HTTP status " +
                      std::to_string(response.status) + " to " +
                      in_quotes(std::string_view(target).substr(0, target.find('?'))) + ", " + why,
                  {.path = address_.name});
  };
  if (!target.starts_with("http://") && !target.starts_with("https://")) refuse("which is not an http or https URL");
  if (from.starts_with("https:") && !target.starts_with("https:")) refuse("which is not encrypted");
  auto known = session_.redirect_of(address_.name, true);
  {
    const std::lock_guard lock(known->mutex);
    // A chain expires with its first link.
    const auto expires = end_of(lifetime_of(target, response));
    known->expires = known->url.empty() ? expires : std::min(known->expires, expires);
    known->url = std::move(target);
  }
  const std::lock_guard lock(mutex_);
  redirect_ = std::move(known);
  return true;
}

bool Location::forget_redirect(const std::string& url) {
  const auto known = redirect();
  if (!known || url == address_.location()) return false;
  const std::lock_guard lock(known->mutex);
  if (known->url == url) known->url.clear();  // otherwise another request has found a new one already
  return true;
}

double lifetime_of(std::string_view url, const HttpResponse& response) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double end = kNever;  // as a time of day
  for (const char* store : {"X-Amz-", "X-Goog-"}) {
    const auto signed_at = date_of(query_value(url, std::string(store) + "Date"));
    const auto lasts = number_of(query_value(url, std::string(store) + "Expires"));
    if (signed_at && lasts) end = std::min(end, *signed_at + *lasts);
  }
  if (const auto time = number_of(query_value(url, "Expires"))) end = std::min(end, *time);  // CloudFront
  if (const auto time = date_of(query_value(url, "se"))) end = std::min(end, *time);         // Azure
  double out = end == kNever ? kNever : end - server_time(response);
  const std::string_view cache = response.header("cache-control");
  constexpr std::string_view kAge = "max-age=";
  if (const auto at = cache.find(kAge); at != cache.npos) {
    const std::string_view age = cache.substr(at + kAge.size());
    if (const auto seconds = number_of(age.substr(0, age.find_first_not_of("0123456789"))))
      out = std::min(out, *seconds);
  }
  return out;
}

ReadCost requests_so_far() noexcept {
  const RemoteUse use = remote_use();
  return {use.num_requests, use.num_bytes};
}

bool may_pass(int status) {
  return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

std::optional<Pace::Clock::time_point> Tries::after_failure() {
  thread_local std::minstd_rand random{std::random_device{}()};
  if (++num_failures_ >= most_) return std::nullopt;
  const double longest = std::min(kFirstPause * std::pow(2.0, num_failures_ - 1), kLongestPause);
  const std::chrono::duration<double> pause(longest * std::uniform_real_distribution<double>(0.5, 1.0)(random));
  return Pace::Clock::now() + std::chrono::duration_cast<Pace::Clock::duration>(pause);
}

std::string why_not_waited(const HttpResponse& response, double pause) {
  if (pause <= Pace::kLongestPause) return {};
  return status_text(response) + "; the server asks to wait " + std::to_string(std::llround(pause)) +
         " s, and at most " + std::to_string(std::llround(Pace::kLongestPause)) + " s are waited";
}

void wait_until(Pace::Clock::time_point end) {
  for (auto now = Pace::Clock::now(); now < end; now = Pace::Clock::now()) {
    throw_if_interrupted();
    std::this_thread::sleep_for(std::min<Pace::Clock::duration>(std::chrono::milliseconds(20), end - now));
  }
}

std::string status_text(const HttpResponse& response) { return status_of(response) + text_of(response); }

std::vector<HttpResponse> send_requests(const HttpSession& session, std::span<const RangeRequest> wanted) {
  std::deque<Attempt> attempts;
  for (const RangeRequest& request : wanted) attempts.emplace_back(request, session);
  for (;;) {
    std::vector<Attempt*> begun;
    bool all_done = true;
    const auto now = Pace::Clock::now();
    auto next = Pace::Clock::time_point::max();
    for (Attempt& attempt : attempts) {
      if (attempt.is_done()) continue;
      all_done = false;
      if (attempt.may_begin(now, next)) begun.push_back(&attempt);
    }
    if (all_done) break;
    if (begun.empty()) {
      wait_until(next);
      continue;
    }
    std::vector<HttpRequest> requests;
    for (Attempt* attempt : begun) requests.push_back(attempt->request());  // signed after the pause
    auto responses = session.client.send(requests);
    for (std::size_t i = 0; i < begun.size(); ++i) begun[i]->receive(std::move(responses[i]));
  }
  std::vector<HttpResponse> out;
  for (Attempt& attempt : attempts) out.push_back(attempt.take());
  return out;
}

}  // namespace tacore::net
