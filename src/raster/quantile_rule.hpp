#pragma once

#include <cmath>
#include <cstdint>

namespace tacore {

/// The two ranks between which a quantile lies, and its share of the way from the first to the second.
struct QuantilePosition {
  uint64_t low = 0, high = 0;
  double share = 0;
};

/// The position of the quantile p, in [0, 1], among `count` numbers, at least one.
inline QuantilePosition quantile_position(double p, uint64_t count) {
  const double exact = p * static_cast<double>(count - 1);
  // Before it is an integer: the double next to a count of 2^64 - 1 is none.
  if (exact >= static_cast<double>(count - 1)) return {count - 1, count - 1, 0};
  const auto low = static_cast<uint64_t>(exact);
  return {low, low + 1, exact - std::floor(exact)};
}

/// Interpolates between `low` and `high` as NumPy does: exact at both ends, and monotone.
inline double between(double low, double high, double share) {
  return share < 0.5 ? low + (high - low) * share : high - (high - low) * (1 - share);
}

/// The quantile of `count` sorted numbers; `number_at(rank)` gives those that are needed.
template <class NumberAt>
double interpolated_quantile(double p, uint64_t count, const NumberAt& number_at) {
  const auto [low, high, share] = quantile_position(p, count);
  const double a = number_at(low);
  return share == 0 ? a : between(a, number_at(high), share);
}

}  // namespace tacore
