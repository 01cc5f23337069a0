#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tacore {

/// A precomputed histogram of TACO 0.2.0 (its "Precomputed Histogram information"): 100 bins of equal width from the
/// minimum to the maximum valid pixel of a band in the whole dataset. That range must be known before counting, and a
/// quantile can be off by up to one bin; the Histogram of tacore has neither limit.
class LinearHistogram {
 public:
  static constexpr std::size_t kBins = 100;
  using Counts = std::array<uint64_t, kBins>;

  /// `low` <= `high`, both finite. Throws QueryError.
  LinearHistogram(double low, double high);

  /// The lower edge of a bin; edge(kBins) is `high`.
  double edge(std::size_t bin) const;
  /// The bin of a value; values out of range go to the first or the last bin.
  std::size_t bin_of(double value) const;
  /// Counts a value; NaN and infinities are ignored.
  void add(double value, uint64_t count = 1);

  const Counts& counts() const { return counts_; }
  uint64_t count() const;
  /// The quantile `p`, interpolated linearly in the first bin whose cumulative share reaches `p`; NaN without values.
  /// At most bin_width() from the smallest value whose cumulative share reaches `p`. Throws QueryError for p outside
  /// [0, 1].
  double quantile(double p) const;
  double bin_width() const { return high_ / kBins - low_ / kBins; }

 private:
  double low_, high_;
  Counts counts_{};
};

}  // namespace tacore
