#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tacore {

/// The precomputed histograms of TACO 0.2.0 (its "Precomputed Histogram information"): 100 bins of
/// one width from the least to the greatest valid pixel of a band in the whole dataset. They need that range before
/// anything is counted, and a quantile is off by up to a bin; the Histogram of tacore needs neither.
class LinearHistogram {
 public:
  static constexpr std::size_t kBins = 100;
  using Counts = std::array<uint64_t, kBins>;

  /// `low` <= `high`, finite. Throws QueryError.
  LinearHistogram(double low, double high);
  /// With these counts, as they are stored: one for each bin. Throws FormatError for another number of them.
  LinearHistogram(double low, double high, std::span<const uint32_t> counts);

  /// Where a bin begins; edge(kBins) is `high`.
  double edge(std::size_t bin) const;
  /// The bin of a value; values outside go to the first and the last one.
  std::size_t bin_of(double value) const;
  /// Counts a value; NaN and infinities do not count.
  void add(double value, uint64_t count = 1);
  /// Throws QueryError for another range.
  void merge(const LinearHistogram& other);

  const Counts& counts() const { return counts_; }
  uint64_t count() const;
  /// In the first bin at whose end a share `p` of all values or more is reached, as if its values lay evenly in it; NaN
  /// without values. At most bin_width() from the least value that a share `p` does not exceed. Throws QueryError for p
  /// outside [0, 1].
  double quantile(double p) const;
  double bin_width() const { return high_ / kBins - low_ / kBins; }

 private:
  double low_, high_;
  Counts counts_{};
};

}  // namespace tacore
