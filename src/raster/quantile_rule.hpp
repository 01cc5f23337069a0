#pragma once

#include <cmath>
#include <cstdint>

namespace tacore {

/// The two positions in ascending order that a quantile lies between, and how far from the first.
struct QuantilePosition {
  uint64_t low = 0, high = 0;
  double share = 0;
};

/// Of `count` numbers, at least one, and p in [0, 1].
inline QuantilePosition quantile_position(double p, uint64_t count) {
  const double exact = p * static_cast<double>(count - 1);
  // Before it is an integer: the double next to a count of 2^64 - 1 is none.
  if (exact >= static_cast<double>(count - 1)) return {count - 1, count - 1, 0};
  const auto low = static_cast<uint64_t>(exact);
  return {low, low + 1, exact - std::floor(exact)};
}

/// Between `low` and `high`, exact at both ends and monotone, as NumPy does it.
inline double between(double low, double high, double share) {
  return share < 0.5 ? low + (high - low) * share : high - (high - low) * (1 - share);
}

/// The quantile of `count` numbers, of which `number_at(position)` gives those asked for.
template <class NumberAt>
double interpolated_quantile(double p, uint64_t count, const NumberAt& number_at) {
  const auto [low, high, share] = quantile_position(p, count);
  const double a = number_at(low);
  return share == 0 ? a : between(a, number_at(high), share);
}

}  // namespace tacore
