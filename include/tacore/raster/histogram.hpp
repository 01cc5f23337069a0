#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacore/value.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// A histogram of numbers. It is exact up to 65,536 different numbers, so for all integers of 16 bits; beyond that
/// numbers are counted in bins of equal width, the smallest power of two that leaves at most 65,536 bins in use. It
/// needs no range beforehand, an outlier costs one bin, and histograms add up: the sum of the histograms of many
/// samples is that of all their numbers, in whatever order.
///
///     Histogram all;
///     for (const Histogram& one : histograms) all.merge(one);
///     const double median = all.quantile(0.5);
class TACORE_EXPORT Histogram {
 public:
  static constexpr std::size_t kMaxBins = 65536;

  /// The bin of all numbers x with the sign of `value` and |value| <= |x| < |value| + bin_width(). Zero has two bins,
  /// 0.0 and -0.0.
  struct Bin {
    double value = 0;
    uint64_t count = 0;
  };

  /// Throws QueryError for NaN and infinities; FormatError, as all that count, for more than 2^64 - 1 numbers.
  void add(double value, uint64_t count = 1);
  /// The same for many: finite, ascending, none twice, counts of at least 1. Unchecked.
  void add(std::span<const Bin> values);
  void merge(const Histogram& other);

  uint64_t count() const noexcept { return count_; }
  /// NaN without numbers.
  double min() const noexcept;
  double max() const noexcept;
  /// Ascending; none is empty.
  const std::vector<Bin>& bins() const noexcept { return bins_; }
  /// 0 while every bin is one number.
  double bin_width() const noexcept;
  /// How far quantile() may be from that of the numbers: half a bin, 0 while they are counted exactly.
  double error_bound() const noexcept { return bin_width() / 2; }

  /// The number below which a share `p` of all lies, NaN without numbers: linear between the two numbers next to
  /// position p * (count - 1) in ascending order, as numpy.quantile() has it by default. Throws QueryError for p
  /// outside [0, 1].
  double quantile(double p) const;

  /// For storage; docs/format.md has the layout. Equal histograms have equal bytes.
  Binary encode() const;
  /// Throws FormatError for anything that encode() does not make.
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
