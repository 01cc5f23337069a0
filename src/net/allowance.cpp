#include "net/allowance.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <mutex>
#include <string>

#include "tacore/error.hpp"

namespace tacore::net {
namespace {

/// When others have responses on their way, another request may be sent any time: it looks this often.
constexpr auto kLookAgain = std::chrono::milliseconds(2);

constexpr double kFewestPerSecond = 1.0 / 86400;

Allowance::Clock::duration space_between(const RemoteLimits& limits) {
  if (std::isinf(limits.requests_per_second)) return {};
  return std::chrono::ceil<Allowance::Clock::duration>(std::chrono::duration<double>(1 / limits.requests_per_second));
}

/// The number of the error says that it is not the fault of one file, which others might leave out.
[[noreturn]] void refuse(const RemoteUse& use, uint64_t most_bytes, const std::string& limit, const std::string& file) {
  throw IoError("the limit of " + limit + " is reached: this process has sent " + std::to_string(use.num_requests) +
                    " requests and received " + std::to_string(use.num_bytes) + " bytes, and the next request is for " +
                    std::to_string(most_bytes),
                {.path = file}, EDQUOT);
}

}  // namespace

void Allowance::set(const RemoteLimits& limits) {
  if (!(limits.requests_per_second >= kFewestPerSecond)) {
    throw QueryError("requests_per_second is " + std::to_string(limits.requests_per_second) +
                     "; at least one request in 24 hours expected");
  }
  if (limits.max_concurrent_requests < 1) {
    throw QueryError("max_concurrent_requests is " + std::to_string(limits.max_concurrent_requests) +
                     "; at least 1 expected");
  }
  const std::lock_guard lock(mutex_);
  limits_ = limits;
  next_ = std::min(next_, Clock::now() + space_between(limits_));
}

RemoteUse Allowance::use() noexcept {
  const std::lock_guard lock(mutex_);
  return use_;
}

void Allowance::forget_parent() {
  if (process_ == ::getpid()) return;
  process_ = ::getpid();
  num_in_flight_ = 0;
  num_expected_ = 0;
}

std::optional<Allowance::Clock::time_point> Allowance::take(uint64_t most_bytes, const std::string& file) {
  const std::lock_guard lock(mutex_);
  forget_parent();
  const bool is_last = num_in_flight_ == 0;
  if (use_.num_requests + num_in_flight_ >= limits_.max_requests) {
    if (!is_last) return Clock::now() + kLookAgain;  // one that is cancelled leaves room
    ++use_.num_refused;
    refuse(use_, most_bytes, std::to_string(limits_.max_requests) + " requests", file);
  }
  const uint64_t left = limits_.max_bytes - std::min(limits_.max_bytes, use_.num_bytes);
  if (most_bytes > left - std::min(left, num_expected_)) {
    if (!is_last) return Clock::now() + kLookAgain;  // responses may be shorter than they could be
    ++use_.num_refused;
    refuse(use_, most_bytes, std::to_string(limits_.max_bytes) + " bytes", file);
  }
  const auto now = Clock::now();
  if (num_in_flight_ >= limits_.max_concurrent_requests) return now + kLookAgain;
  if (now < next_) return next_;
  next_ = now + space_between(limits_);
  ++num_in_flight_;
  num_expected_ += most_bytes;
  return std::nullopt;
}

void Allowance::received(uint64_t most_bytes, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  ++use_.num_requests;
  use_.num_bytes += bytes;
  num_in_flight_ = std::max<int64_t>(0, num_in_flight_ - 1);
  num_expected_ -= std::min(num_expected_, most_bytes);
}

void Allowance::cancel(uint64_t most_bytes) {
  const std::lock_guard lock(mutex_);
  num_in_flight_ = std::max<int64_t>(0, num_in_flight_ - 1);
  num_expected_ -= std::min(num_expected_, most_bytes);
  next_ -= space_between(limits_);
}

Allowance& allowance() {
  static auto& out = *new Allowance;
  return out;
}

}  // namespace tacore::net

namespace tacore {

RemoteUse remote_use() noexcept { return net::allowance().use(); }

void set_remote_limits(const RemoteLimits& limits) { net::allowance().set(limits); }

}  // namespace tacore
