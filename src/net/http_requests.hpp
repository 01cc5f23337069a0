#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/http_file.hpp"

namespace tacore::net {

/// The address of a file, and the URL to which a server has redirected it, which all who read this file in a session
/// share. Safe from several threads.
class Location {
 public:
  Location(RemoteAddress address, const HttpSession& session) : address_(std::move(address)), session_(session) {}

  const RemoteAddress& address() const noexcept { return address_; }
  /// The URL of the last redirect, else of the address.
  std::string url() const;
  /// A request for `range`, to the URL of the last redirect; without credentials unless that is on the same host.
  HttpRequest request(const std::string& range, uint64_t max_body) const;
  /// Takes the new URL, or the new region, that a response names. False when it names none. Throws IoError, which names
  /// `range`, for a redirect that must not be followed.
  bool follow(const HttpResponse& response, const std::string& range);
  /// Forgets the redirect to `url`, which may have expired. False when that is no redirect.
  bool forget_redirect(const std::string& url);
  /// False while another request finds out where the server redirects this file now: one is enough. True allows a
  /// request; when it `resolves`, the others wait until end_resolving().
  bool may_request(bool& resolves);
  void end_resolving();

 private:
  std::shared_ptr<Redirect> redirect() const;

  RemoteAddress address_;
  const HttpSession& session_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<Redirect> redirect_ = {};  ///< nullptr until this file was redirected
};

/// In how many seconds the URL of a redirect expires, as its signature (AWS, CloudFront, Google, Azure) and the
/// Cache-Control header of the response state it; infinity when neither does.
double lifetime_of(std::string_view url, const HttpResponse& response);

/// The requests of this process so far, with redirects and repeated ones, and the bytes of the responses.
ReadCost requests_so_far() noexcept;

/// "HTTP status 403: Access Denied": the status, and the body when it is plain text or XML.
std::string status_text(const HttpResponse& response);

/// Whether another try may help after a response of this status.
bool may_pass(int status);

/// The tries of one request.
class Tries {
 public:
  explicit Tries(int most) : most_(most) {}

  int count() const noexcept { return num_failures_; }
  /// After a failure that may pass: when to send the request again; nullopt after the last try. The pause doubles, and
  /// is random, so that requests that failed together are not repeated together.
  std::optional<Pace::Clock::time_point> after_failure();
  /// After a pause that the server asks for, which is no failure: whether to send the request again. False for a server
  /// that has asked for it again and again.
  bool after_pause() { return ++num_pauses_ < kMostPauses; }

 private:
  static constexpr int kMostPauses = 100;

  int most_;
  int num_failures_ = 0;
  int num_pauses_ = 0;
};

/// Why a server that asks for a pause of so many seconds is not waited for; "" where it is.
std::string why_not_waited(const HttpResponse& response, double pause);
/// Throws QueryError when the caller wants to stop.
void wait_until(Pace::Clock::time_point end);

/// Whether a response is what was requested: if not, whether another try may help.
struct ResponseCheck {
  enum class Result { Good, TryAgain, Wrong } result = Result::Good;
  std::string why = {};
};

/// A request for a part of one file.
struct RangeRequest {
  Location* location = nullptr;
  std::string range = {};  ///< the value of the Range header
  uint64_t max_body = 0;
  uint64_t most_bytes = 0;      ///< what the server is asked for, where that is less than max_body; 0: max_body
  bool may_be_refused = false;  ///< then the statuses 400 and 501 are valid responses, too
  /// Called with a response of status 200, 206 or 416, and of 400 or 501 where those are valid.
  std::function<ResponseCheck(const HttpResponse&)> check = {};
};

/// Sends the requests concurrently. Returns responses with a status of 200, 206 and 416 (400 and 501) that were checked
/// to be good, and of 404 and 410 (403 too where the store hides which files exist). Any other outcome is an IoError.
std::vector<HttpResponse> send_requests(const HttpSession& session, std::span<const RangeRequest> requests);

}  // namespace tacore::net
