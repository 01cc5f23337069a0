#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "tacore/raster/raster.hpp"

namespace tacore {

/// Calls `body` with a value of the C++ type of the pixels, and returns what it returns.
template <class Body>
auto with_type(DataType type, const Body& body) {
  switch (type) {
    case DataType::UInt8: return body(uint8_t{});
    case DataType::Int8: return body(int8_t{});
    case DataType::UInt16: return body(uint16_t{});
    case DataType::Int16: return body(int16_t{});
    case DataType::UInt32: return body(uint32_t{});
    case DataType::Int32: return body(int32_t{});
    case DataType::UInt64: return body(uint64_t{});
    case DataType::Int64: return body(int64_t{});
    case DataType::Float32: return body(float{});
    case DataType::Float64: break;
  }
  return body(double{});
}

/// Converts a number as GDAL does: rounded, clamped to the range of To, NaN as 0.
template <class To, class From>
To converted(From value) {
  constexpr To kMin = std::numeric_limits<To>::lowest(), kMax = std::numeric_limits<To>::max();
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    // kMax may be rounded up as From: then every smaller value fits.
    if (std::isnan(value)) return 0;
    const From rounded = std::round(value);
    if (rounded <= static_cast<From>(kMin)) return kMin;
    return rounded >= static_cast<From>(kMax) ? kMax : static_cast<To>(rounded);
  } else {
    if (std::cmp_less(value, kMin)) return kMin;
    return std::cmp_greater(value, kMax) ? kMax : static_cast<To>(value);
  }
}

}  // namespace tacore
