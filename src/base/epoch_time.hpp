#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "tacore/time_range.hpp"

/// Numbers that stand for times: seconds, milliseconds, microseconds or nanoseconds since 1970, as the magnitude of
/// each tells. 1e11 seconds is the year 5138, 1e11 milliseconds 1973.
namespace tacore {

inline constexpr double kSecondsBelow = 1e11, kMillisecondsBelow = 1e14, kMicrosecondsBelow = 1e17;

/// Nothing for NaN and infinities.
inline std::optional<Timestamp> time_of_epoch(double number) noexcept {
  if (!std::isfinite(number)) return std::nullopt;
  const double size = std::abs(number);
  const double unit = size < kSecondsBelow        ? 1e6
                      : size < kMillisecondsBelow ? 1e3
                      : size < kMicrosecondsBelow ? 1
                                                  : 1e-3;
  const double microseconds = std::floor(number * unit);
  constexpr double kMost = 9.2e18;  // of 64 bits
  if (!(std::abs(microseconds) < kMost)) return std::nullopt;
  return Timestamp{static_cast<int64_t>(microseconds)};
}

/// Nothing for the least and the greatest number, which stand for no time.
inline std::optional<Timestamp> time_of_epoch(int64_t number) noexcept {
  using Limits = std::numeric_limits<int64_t>;
  if (number == Limits::min() || number == Limits::max()) return std::nullopt;
  const double size = std::abs(static_cast<double>(number));
  if (size < kSecondsBelow) return Timestamp{number * 1'000'000};
  if (size < kMillisecondsBelow) return Timestamp{number * 1000};
  if (size < kMicrosecondsBelow) return Timestamp{number};
  return Timestamp{number / 1000 - (number % 1000 < 0 ? 1 : 0)};
}

}  // namespace tacore
