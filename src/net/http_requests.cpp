#include "net/http_requests.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "base/interrupt.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore::net {
namespace {

constexpr int kMaxRedirects = 8;
constexpr double kFirstPause = 0.1;  // seconds
constexpr double kLongestPause = 60;

/// "https://host:port"
std::string_view origin_of(std::string_view url) {
  const auto begin = url.find("://");
  return begin == url.npos ? url : url.substr(0, url.find_first_of("/?#", begin + 3));
}

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

bool may_pass(int status) {
  return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

/// The seconds in the Retry-After header; 0 for none. A date in it is ignored, in favour of the usual pause.
double retry_after(const HttpResponse& response) {
  const std::string_view text = response.header("retry-after");
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(out) && out > 0 ? out : 0;
}

/// The pause before the next try, in seconds. Doubles with each try; random, so that requests that failed together are
/// not repeated together.
double pause_after(int num_tries) {
  thread_local std::minstd_rand random{std::random_device{}()};
  const double pause = kFirstPause * std::pow(2.0, num_tries - 1);
  return std::min(pause, kLongestPause) * std::uniform_real_distribution<double>(0.5, 1.0)(random);
}

void wait(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    throw_if_interrupted();
    std::this_thread::sleep_for(
        std::min<std::chrono::duration<double>>(std::chrono::milliseconds(20), end - std::chrono::steady_clock::now()));
  }
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
  const std::string url = request.location->request({}, 0).url;
  const std::string what = why.starts_with(kCannotConnect)
                               ? ""
                               : "GET " + without_controls(url.substr(0, url.find('?'))) + " (" + request.range + "): ";
  throw Failure(what + why + (num_tries > 1 ? " (" + std::to_string(num_tries) + " tries)" : ""),
                {.path = request.location->address().name}, number);
}

/// A request that is sent until it has a valid response.
class Attempt {
 public:
  Attempt(const RangeRequest& wanted, int max_tries) : wanted_(wanted), max_tries_(max_tries) {}

  bool is_done() const noexcept { return is_done_; }
  double pause() const noexcept { return pause_; }
  HttpResponse take() { return std::move(response_); }

  HttpRequest request() const {
    constexpr uint64_t kError = 4096;  // bytes of an error message
    return wanted_.location->request(wanted_.range, std::max(wanted_.max_body, kError));
  }

  /// Keeps a valid response, or decides when to send the request again.
  void receive(HttpResponse response) {
    pause_ = 0;
    const int status = response.status;
    if (!response.failure.empty()) return again(response.failure, 0, status != 0);
    if (may_pass(status)) return again(status_text(response), retry_after(response));
    Location& location = *wanted_.location;
    if (++num_moves_ <= kMaxRedirects && location.follow(response, wanted_.range)) return;
    if (is_redirect(status))
      fail(wanted_, status_of(response) + ": more than " + std::to_string(kMaxRedirects) + " redirects", 0, 1);
    const bool is_missing =
        status == 404 || status == 410 || (status == 403 && location.address().hides_what_is_missing());
    const bool is_valid =
        status == 200 || status == 206 || status == 416 || (wanted_.may_be_refused && (status == 400 || status == 501));
    // The URL of an earlier redirect may have expired: the next request goes to the original URL.
    if (!is_valid && num_moves_ == 1 && location.forget_redirect()) return;
    if (is_valid) {
      const ResponseCheck check = wanted_.check(response);
      if (check.result == ResponseCheck::Result::TryAgain) return again(check.why, 0);
      if (check.result == ResponseCheck::Result::Wrong) fail(wanted_, check.why, 0, 1);
    } else if (!is_missing) {
      fail(wanted_, status_text(response), error_number(status), 1);
    }
    response_ = std::move(response);
    is_done_ = true;
  }

 private:
  void again(const std::string& why, double least_pause, bool was_reached = true) {
    num_moves_ = 0;
    if (++num_tries_ >= max_tries_ || least_pause > kLongestPause) {
      if (!was_reached) fail<Unreachable>(wanted_, why, 0, num_tries_);
      fail(wanted_, why, 0, num_tries_);
    }
    pause_ = std::max(least_pause, pause_after(num_tries_));
    log::info(wanted_.location->address().name + ": " + wanted_.range + ": " + why + "; trying again");
  }

  const RangeRequest& wanted_;
  const int max_tries_;
  int num_tries_ = 0;
  int num_moves_ = 0;
  double pause_ = 0;
  bool is_done_ = false;
  HttpResponse response_ = {};
};

}  // namespace

HttpRequest Location::request(const std::string& range, uint64_t max_body) const {
  std::string redirect;
  {
    const std::lock_guard lock(mutex_);
    redirect = redirect_;
  }
  HttpRequest out = address_.request(range, max_body);
  if (redirect.empty()) return out;
  if (origin_of(redirect) != origin_of(out.url)) out.headers = {{"Range", range}};
  out.url = std::move(redirect);
  return out;
}

bool Location::follow(const HttpResponse& response, const std::string& range) {
  if (const auto region = response.header("x-amz-bucket-region"); address_.is_s3() && address_.endpoint.empty() &&
                                                                  response.status >= 300 && !region.empty() &&
                                                                  address_.region->set(region)) {
    return true;
  }
  const auto to = response.header("location");
  if (!is_redirect(response.status) || to.empty()) return false;
  const std::string from = request({}, 0).url;
  std::string target = resolved(from, to);
  const auto refuse = [&](const char* why) {
    throw IoError("GET " + from.substr(0, from.find('?')) + " (" + range + "): HTTP status " +
                      std::to_string(response.status) + " to " +
                      quoted(std::string_view(target).substr(0, target.find('?'))) + ", " + why,
                  {.path = address_.name});
  };
  if (!target.starts_with("http://") && !target.starts_with("https://")) refuse("which is not an http or https URL");
  if (from.starts_with("https:") && !target.starts_with("https:")) refuse("which is not encrypted");
  const std::lock_guard lock(mutex_);
  redirect_ = std::move(target);
  return true;
}

bool Location::forget_redirect() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(redirect_, {}).empty();
}

std::string status_text(const HttpResponse& response) { return status_of(response) + text_of(response); }

std::vector<HttpResponse> send_requests(const HttpSession& session, std::span<const RangeRequest> wanted) {
  std::vector<Attempt> attempts;
  for (const RangeRequest& request : wanted) attempts.emplace_back(request, session.max_tries);
  for (;;) {
    std::vector<Attempt*> open;
    std::vector<HttpRequest> requests;
    double pause = 0;
    for (Attempt& attempt : attempts) {
      if (attempt.is_done()) continue;
      open.push_back(&attempt);
      pause = std::max(pause, attempt.pause());
    }
    if (open.empty()) break;
    wait(pause);
    for (const Attempt* attempt : open) requests.push_back(attempt->request());  // signed after the pause
    auto responses = session.client.get(requests);
    for (std::size_t i = 0; i < open.size(); ++i) open[i]->receive(std::move(responses[i]));
  }
  std::vector<HttpResponse> out;
  for (Attempt& attempt : attempts) out.push_back(attempt.take());
  return out;
}

}  // namespace tacore::net
