#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

#include "tacore/time_range.hpp"

/// Times given as numbers (epochs).
namespace tacore {

/// The ends of a TimeRange that is open on that side.
inline constexpr Timestamp kOpenStart{std::numeric_limits<int64_t>::min()};
inline constexpr Timestamp kOpenEnd{std::numeric_limits<int64_t>::max()};

constexpr bool is_open(Timestamp time) noexcept { return time == kOpenStart || time == kOpenEnd; }

enum class EpochUnit { Seconds, Milliseconds, Microseconds, Nanoseconds };

/// A number that stands for a time since 1970.
struct Epoch {
  int64_t microseconds = 0;
  EpochUnit unit = EpochUnit::Seconds;
};

/// The unit by the magnitude of the number: below 1e11 seconds (until the year 5138), below 1e14 milliseconds, below
/// 1e17 microseconds, else nanoseconds. Each number is judged by itself, so that a time is the same in whatever column,
/// table or query it stands, and a sentinel beside it changes nothing. In exchange, milliseconds, microseconds and
/// nanoseconds of about 1967 to 1973 are taken for a coarser unit. nullopt for the least and the greatest number, which
/// usually mean a missing value.
inline std::optional<Epoch> epoch_of(int64_t number) noexcept {
  constexpr int64_t kSecond = 1'000'000, kMillisecond = 1'000, kNanoseconds = 1'000;
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();
  if (number == kLeast || number == kMost) return std::nullopt;
  const int64_t magnitude = number < 0 ? -number : number;
  if (magnitude < 100'000'000'000) return Epoch{number * kSecond, EpochUnit::Seconds};
  if (magnitude < 100'000'000'000'000) return Epoch{number * kMillisecond, EpochUnit::Milliseconds};
  if (magnitude < 100'000'000'000'000'000) return Epoch{number, EpochUnit::Microseconds};
  const int64_t whole = number / kNanoseconds;
  return Epoch{whole - (number % kNanoseconds < 0 ? 1 : 0), EpochUnit::Nanoseconds};
}

/// As above for a number with a fraction, rounded to a microsecond. nullopt for NaN, infinity and numbers beyond int64.
inline std::optional<Epoch> epoch_of(double number) noexcept {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(std::abs(number) < kLimit)) return std::nullopt;
  const auto unit = epoch_of(static_cast<int64_t>(number));
  if (!unit) return std::nullopt;
  constexpr double kMicroseconds[] = {1e6, 1e3, 1, 1e-3};
  return Epoch{std::llround(number * kMicroseconds[static_cast<int>(unit->unit)]), unit->unit};
}

/// The environment variable SOURCE_DATE_EPOCH, for reproducible output: the seconds since 1970 to use instead of the
/// present time. nullopt where it is not set, or not a number.
inline std::optional<int64_t> source_date_epoch() noexcept {
  const char* given = std::getenv("SOURCE_DATE_EPOCH");
  const std::string_view text = given ? given : "";
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

}  // namespace tacore
