#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacore/value.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// A histogram of numbers, exact up to 65,536 different numbers, so for all 16-bit integers. Beyond that, numbers are
/// counted in bins of equal width, the smallest power of two that leaves at most 65,536 bins in use. No range is needed
/// beforehand, an outlier costs one bin, and histograms can be merged: the sum of the histograms of many samples is
/// that of all their numbers, in any order.
///
///     Histogram all;
///     for (const Histogram& one : histograms) all.merge(one);
///     const double median = all.quantile(0.5);
class TACORE_EXPORT Histogram {
 public:
  /// The maximal number of bins.
  static constexpr std::size_t kMaxBins = 65536;

  /// The bin of all numbers x with the sign of `value` and |value| <= |x| < |value| + bin_width(). Zero has two bins,
  /// 0.0 and -0.0.
  struct Bin {
    double value = 0;
    uint64_t count = 0;
  };

  /// Counts a number. Throws QueryError for NaN and infinities; FormatError, like the other functions that add, when
  /// the total exceeds 2^64 - 1.
  void add(double value, uint64_t count = 1);
  /// Counts many numbers, which must be finite, ascending and distinct, with counts of at least 1. This is not checked.
  void add(std::span<const Bin> values);
  void merge(const Histogram& other);

  uint64_t count() const noexcept { return count_; }
  /// The least and the greatest number; NaN without numbers.
  double min() const noexcept;
  double max() const noexcept;
  /// The bins in ascending order, without empty ones.
  const std::vector<Bin>& bins() const noexcept { return bins_; }
  /// The width of the bins; 0 while every bin is one number.
  double bin_width() const noexcept;
  /// The maximal error of quantile(): half a bin, 0 while numbers are counted exactly.
  double error_bound() const noexcept { return bin_width() / 2; }

  /// The quantile `p` of all numbers, NaN without numbers: interpolated linearly between the two numbers next to
  /// position p * (count - 1) in ascending order, as numpy.quantile() does by default. Throws QueryError for p outside
  /// [0, 1].
  double quantile(double p) const;

  /// Encodes the histogram for storage (layout: docs/format.md). Equal histograms have equal bytes.
  Binary encode() const;
  /// Decodes bytes of encode(). Throws FormatError for any other bytes.
  static Histogram decode(const Binary& bytes);

  bool operator==(const Histogram& other) const noexcept;

 private:
  static constexpr int kExact = -1074;  ///< every double is a multiple of 2^-1074

  double number_at(uint64_t position) const;
  void join(std::span<const Bin> values, double min, double max);
  void coarsen();
  void check_ends() const;

  std::vector<Bin> bins_ = {};
  int exponent_ = kExact;  ///< bins are 2^exponent_ wide
  uint64_t count_ = 0;
  double min_ = 0, max_ = 0;
};

}  // namespace tacore
