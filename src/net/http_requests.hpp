#pragma once

#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "net/http_file.hpp"

namespace tacore::net {

/// The address of a file, and where a redirect has led to. Safe from several threads.
class Location {
 public:
  explicit Location(RemoteAddress address) : address_(std::move(address)) {}

  const RemoteAddress& address() const noexcept { return address_; }
  /// A request for `range`: to where the last redirect led, without credentials unless it is the same host.
  HttpRequest request(const std::string& range, uint64_t max_body) const;
  /// Where an answer says that the file is. False when it says nothing that was not known. Throws IoError for a
  /// redirect that is not to be followed, which names `range`.
  bool follow(const HttpResponse& response, const std::string& range);
  /// Forgets the redirect, whose end may have been for a time only. False when there was none.
  bool forget_redirect();

 private:
  RemoteAddress address_;
  mutable std::mutex mutex_;
  std::string redirect_ = {};
};

/// "HTTP status 403: Access Denied", with what the body says when it is text.
std::string status_text(const HttpResponse& response);

/// What an answer is worth.
struct Verdict {
  enum class Kind { Good, TryAgain, Wrong } kind = Kind::Good;
  std::string why = {};
};

/// A question to one file.
struct Question {
  Location* location = nullptr;
  std::string range = {};  ///< as the header has it
  uint64_t max_body = 0;
  bool may_be_refused = false;  ///< then 400 and 501 are answers, too
  /// Judges an answer of status 200, 206 or 416, and of 400 or 501 where that is one.
  std::function<Verdict(const HttpResponse&)> judge = {};
};

/// Answers with a status of 200, 206 and 416 (400 and 501) that were judged good, and of 404 and 410 (403 too where the
/// store hides what is missing), side by side. All other ends are an IoError.
std::vector<HttpResponse> ask(const HttpSession& session, std::span<const Question> questions);

}  // namespace tacore::net
