#include "net/distance.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "base/fork.hpp"
#include "net/pace.hpp"

namespace tacore::net {
namespace {

/// A server with a shorter round trip is near.
constexpr double kNear = 0.008;
/// Until a response is long enough to tell: 100 Mbit a second.
constexpr double kUsualBandwidth = 12.5e6;
/// Shorter responses come with the first byte, and tell no bandwidth.
constexpr std::size_t kLong = 256 * 1024;
/// No error of measurement costs more than this.
constexpr double kMostBytes = 16 << 20;

}  // namespace

void Distance::learn(const HttpResponse& response) {
  if (response.seconds_to_first_byte <= 0 || !response.failure.empty()) return;
  const std::lock_guard lock(mutex_);
  // A busy server or line makes single responses slower, nothing makes one faster: rises are believed slowly.
  const double seconds = response.seconds_to_first_byte;
  const bool is_less = round_trip_ == 0 || seconds < round_trip_;
  round_trip_ = is_less ? seconds : round_trip_ + (seconds - round_trip_) / 8;
  const double seconds_of_body = response.seconds - seconds;
  if (response.body.size() < kLong || seconds_of_body <= 0) return;
  const double bandwidth = static_cast<double>(response.body.size()) / seconds_of_body;
  bandwidth_ = bandwidth > bandwidth_ ? bandwidth : bandwidth_ + (bandwidth - bandwidth_) / 8;
}

uint64_t Distance::bytes_of_round_trip() const {
  const std::lock_guard lock(mutex_);
  if (round_trip_ < kNear) return 0;
  return static_cast<uint64_t>(std::min(kMostBytes, round_trip_ * (bandwidth_ > 0 ? bandwidth_ : kUsualBandwidth)));
}

Distance& distance_of(std::string_view url) {
  static auto& mutex = *new ForkSafeMutex;
  static auto& distances = *new std::map<std::string, std::unique_ptr<Distance>, std::less<>>;
  const std::string_view server = origin_of(url);
  const std::lock_guard lock(mutex);
  auto found = distances.find(server);
  if (found == distances.end()) found = distances.emplace(server, std::make_unique<Distance>()).first;
  return *found->second;
}

}  // namespace tacore::net
