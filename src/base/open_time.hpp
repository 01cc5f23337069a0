#pragma once

#include <cstdint>
#include <limits>

#include "tacore/time_range.hpp"

namespace tacore {

/// The ends of a TimeRange that is open on that side.
inline constexpr Timestamp kOpenStart{std::numeric_limits<int64_t>::min()};
inline constexpr Timestamp kOpenEnd{std::numeric_limits<int64_t>::max()};

constexpr bool is_open(Timestamp time) noexcept { return time == kOpenStart || time == kOpenEnd; }

}  // namespace tacore
