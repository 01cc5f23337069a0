#include "raster/linear_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "tacore/error.hpp"

namespace tacore {

LinearHistogram::LinearHistogram(double low, double high) : low_(low), high_(high) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
    throw QueryError("a histogram from " + std::to_string(low) + " to " + std::to_string(high) +
                     "; a finite range expected");
  }
}

double LinearHistogram::edge(std::size_t bin) const {
  return bin == kBins ? high_ : low_ + static_cast<double>(bin) * bin_width();
}

std::size_t LinearHistogram::bin_of(double value) const {
  if (!(value > low_)) return 0;
  if (value >= high_) return low_ == high_ ? 0 : kBins - 1;
  // Computed in halves, since the difference of two doubles may overflow.
  const double share = (value / 2 - low_ / 2) / (high_ / 2 - low_ / 2);
  if (!(share > 0)) return 0;  // halves of the smallest doubles may be zero
  return std::min(kBins - 1, static_cast<std::size_t>(255 * share * kBins / 255));
}

void LinearHistogram::add(double value, uint64_t count) {
  if (std::isfinite(value)) counts_[bin_of(value)] += count;
}

uint64_t LinearHistogram::count() const { return std::accumulate(counts_.begin(), counts_.end(), uint64_t{0}); }

double LinearHistogram::quantile(double p) const {
  if (!(p >= 0 && p <= 1)) throw QueryError("quantile " + std::to_string(p) + " is outside [0, 1]");
  const uint64_t all = count();
  if (all == 0) return std::numeric_limits<double>::quiet_NaN();
  const double wanted = p * static_cast<double>(all);
  double before = 0;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const auto here = static_cast<double>(counts_[bin]);
    if (here > 0 && before + here >= wanted) {
      return std::min(edge(bin) + std::max(wanted - before, 0.0) / here * bin_width(), high_);
    }
    before += here;
  }
  return high_;
}

}  // namespace tacore
