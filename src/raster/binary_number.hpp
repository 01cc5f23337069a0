#pragma once

#include <bit>
#include <cstdint>

/// Doubles as multiples of a power of two, computed from their bits.
namespace tacore::binary {

inline constexpr uint64_t kSign = uint64_t{1} << 63;

inline uint64_t magnitude(double value) { return std::bit_cast<uint64_t>(value) & ~kSign; }

/// The exponent of the lowest bit that the significand of a number of this magnitude can have.
inline int lowest_bit(uint64_t magnitude) {
  const int exponent = static_cast<int>(magnitude >> 52);
  return (exponent == 0 ? 1 : exponent) - 1075;
}

inline uint64_t significand(uint64_t magnitude) {
  const uint64_t fraction = magnitude & ((uint64_t{1} << 52) - 1);
  return magnitude >> 52 == 0 ? fraction : fraction | uint64_t{1} << 52;
}

/// The multiple of 2^exponent next to `value` in the direction of zero; keeps the sign of zero.
inline double truncated(double value, int exponent) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const int surplus = exponent - lowest_bit(bits & ~kSign);
  if (surplus <= 0) return value;
  if (surplus > 52) return std::bit_cast<double>(bits & kSign);
  return std::bit_cast<double>(bits & ~((uint64_t{1} << surplus) - 1));
}

/// An integer that sorts as the finite number does, with -0.0 before 0.0.
inline uint64_t order(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  return bits & kSign ? ~bits : bits | kSign;
}

inline constexpr int kNeverJoined = 1025;

/// The smallest exponent at which truncated() makes the two numbers equal, `a` before `b` in order; kNeverJoined where
/// there is none.
inline int joining_exponent(double a, double b) {
  if ((std::bit_cast<uint64_t>(a) ^ std::bit_cast<uint64_t>(b)) & kSign) return kNeverJoined;
  const uint64_t x = magnitude(a), y = magnitude(b);
  const int x_low = lowest_bit(x), y_low = lowest_bit(y);
  if (x_low != y_low) return (x_low > y_low ? x_low : y_low) + 53;
  return x_low + 64 - std::countl_zero(significand(x) ^ significand(y));
}

}  // namespace tacore::binary
