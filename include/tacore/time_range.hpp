#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tacore/visibility.hpp"

namespace tacore {

/// A time in microseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
///     const Timestamp noon = Timestamp::parse("2023-01-31T12:00:00Z");  // .microseconds is 1675166400000000
struct TACORE_EXPORT Timestamp {
  int64_t microseconds = 0;

  /// Parses RFC 3339 text: a date (`2023-01-31`, midnight) or a date and time, with `T` or a space between them, an
  /// optional fraction (digits after the sixth are cut) and an optional zone (`Z`, `+02:00`, also `+0200` and `+02`);
  /// no zone is UTC. Seconds may be left out; second 60 is the next second. Years are 0001 to 9999. Throws QueryError.
  static Timestamp parse(std::string_view text);
  /// `2023-01-31T12:00:00Z`, with a fraction of six digits only when there is one.
  std::string to_string() const;

  auto operator<=>(const Timestamp&) const = default;
};

/// A closed time interval [start, end]; when start == end it is an instant.
///
///     const TimeRange january = TimeRange::parse("2023-01-01/2023-01-31");  // up to 23:59:59.999999
struct TACORE_EXPORT TimeRange {
  Timestamp start = {};
  Timestamp end = {};

  /// Parses `A/B`, or `A` alone. A bound without a time of day is the whole UTC day, `2005-06` the whole month, and
  /// `2005` the whole year: its first microsecond as a start, its last one as an end. `..` or nothing on one side
  /// leaves that side open: it is the least or greatest int64 of microseconds. Spaces around a bound are ignored.
  /// Throws QueryError for malformed text and when start > end.
  static TimeRange parse(std::string_view text);

  bool operator==(const TimeRange&) const = default;
};

}  // namespace tacore
