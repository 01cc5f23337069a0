#pragma once

#include <span>
#include <string>
#include <vector>

namespace tacore {

/// Which rows a Dataset aggregates: those of its view (level 0), or the children at `level` of the samples
/// that have `id` at `level - 1`. A DataFrame aggregates its own rows and takes the defaults only.
struct StatsOptions {
  int level = 0;
  std::string id = {};
};

enum class Statistic { Mean, Std, Min, Max, P25, P50, P75, P95 };

/// The aggregations of per-sample statistics (spec of June 2025, §8.3), for Dataset and DataFrame alike. They read
/// `geotiff:stats` (or `internal:stats`, or `stats:min`, `max`, `mean`, `std` of TACO 0.2.0, with percentiles of NaN):
/// a list of bands, each `[min, max, mean, std, valid%, p25, p50, p75, p95]` (continuous) or class probabilities
/// (categorical: any other length). A row weighs as many pixels as are valid: the last two entries of
/// `stac:tensor_shape` (or `stac:raster_shape`), else the size that its TIFF has, times valid %. Where neither is known
/// it weighs as the others do on average, and a warning says so. stored_summary() of pixel_statistics.hpp has all.
///
/// `bands` counts from 1, as in GDAL, may repeat, and no band means every band; the result follows its order. Rows
/// without statistics are skipped. NaN and null inside a row are skipped for that row and band;
/// where none is left the result is NaN. Throws QueryError when there are no statistics, for a band that is out of
/// range, rows that disagree in bands or kind, and the wrong kind.
template <class Self>
class Statistics {
 public:
  using Bands = std::vector<int>;

  /// Weighted mean.
  std::vector<double> stats_mean(const Bands& bands = {}, const StatsOptions& options = {}) const {
    return get(Statistic::Mean, bands, options);
  }
  /// Of the population of all pixels: within and between samples.
  std::vector<double> stats_std(const Bands& bands = {}, const StatsOptions& options = {}) const {
    return get(Statistic::Std, bands, options);
  }
  std::vector<double> stats_min(const Bands& bands = {}, const StatsOptions& options = {}) const {
    return get(Statistic::Min, bands, options);
  }
  std::vector<double> stats_max(const Bands& bands = {}, const StatsOptions& options = {}) const {
    return get(Statistic::Max, bands, options);
  }
  /// The percentiles are plain means of those of the samples: an approximation, which stored_summary() marks.
  std::vector<double> stats_p25(const Bands& bands = {}, const StatsOptions& options = {}) const {
    return get(Statistic::P25, bands, options);
  }
  std::vector<double> stats_p50(const Bands& bands = {}, const StatsOptions& options = {}) const {
    return get(Statistic::P50, bands, options);
  }
  std::vector<double> stats_median(const Bands& bands = {}, const StatsOptions& options = {}) const {
    return get(Statistic::P50, bands, options);
  }
  std::vector<double> stats_p75(const Bands& bands = {}, const StatsOptions& options = {}) const {
    return get(Statistic::P75, bands, options);
  }
  std::vector<double> stats_p95(const Bands& bands = {}, const StatsOptions& options = {}) const {
    return get(Statistic::P95, bands, options);
  }
  /// Weighted mean of the class probabilities, one vector for each band.
  std::vector<std::vector<double>> stats_categorical(const Bands& bands = {}, const StatsOptions& options = {}) const {
    return static_cast<const Self&>(*this).aggregate_categorical(bands, options);
  }

 private:
  std::vector<double> get(Statistic which, const Bands& bands, const StatsOptions& options) const {
    return static_cast<const Self&>(*this).aggregate(which, bands, options);
  }
};

}  // namespace tacore
