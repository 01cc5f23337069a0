#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tacore/dataset.hpp"
#include "tacore/visibility.hpp"
#include "tacore/raster/histogram.hpp"
#include "tacore/raster/raster.hpp"
#include "tacore/raster/tensor.hpp"

namespace tacore {

/// Count, range, mean and spread of numbers, in double precision. Those of parts join to those of the whole.
struct TACORE_EXPORT Moments {
  uint64_t count = 0;
  double min = 0;  ///< of at least one number, as the others
  double max = 0;
  double mean = 0;
  double sum_of_squares = 0;  ///< of the distances from the mean

  void merge(const Moments& other);
  /// Of the population: divided by `count`. NaN without numbers.
  double standard_deviation() const noexcept;
};

/// Statistics of the valid pixels of a band: those that are finite and not the raster's no data.
struct TACORE_EXPORT BandStatistics {
  uint64_t num_pixels = 0;  ///< valid or not
  Moments moments = {};     ///< of the valid ones; integers beyond 2^53 are rounded to doubles
  Histogram histogram = {};

  void merge(const BandStatistics& other);
  /// 100 * valid / all, 0 without pixels.
  double valid_percent() const noexcept;
  /// What gives pixels mean 0 and standard deviation 1; only the mean is taken away where they are all equal. Throws
  /// QueryError without valid pixels.
  Scale scale() const;
};

/// Of these bands (from 1, in this order, may repeat; none: all) of all pixels of a raster, in one pass. Takes memory
/// for 16 MiB of pixels or a row of its blocks, whichever is less, one block at least, and 4 MiB for each band. Throws
/// as Raster::read.
TACORE_EXPORT std::vector<BandStatistics> compute_statistics(const Raster& raster, const std::vector<int>& bands = {});

/// Exact quantiles of the valid pixels of each band, by the rule of Histogram::quantile; NaN where there are none. One
/// pass, and another for bands with more than 65,536 different values (more than two where these lie close together).
/// Throws as above and as Histogram::quantile.
TACORE_EXPORT std::vector<std::vector<double>> compute_quantiles(const Raster& raster,
                                                                 std::span<const double> probabilities,
                                                                 const std::vector<int>& bands = {});

struct ComputeOptions {
  std::vector<int> bands = {};  ///< as above
  std::string child = {};       ///< ids below each sample ("s2", "a/b"); "": the samples themselves
  int jobs = 0;                 ///< threads; 0: one for each processor
  bool skip_failures = false;   ///< report samples that cannot be read instead of throwing
  /// Samples are counted in parts of so many, which are then merged in order: who merges parts elsewhere in that order
  /// has the same result to the last bit. 0: part_rows() of the number of rows.
  int64_t part_rows = 0;
  const RasterOpener* fallback = nullptr;  ///< for what is no TIFF of ours
  /// Called now and then with how many of `num_samples` are done, from one thread at a time. false stops the work.
  bool (*progress)(uint64_t num_done, uint64_t num_samples, void* user) = nullptr;
  void* user = nullptr;
};

/// How many samples of so many are counted together: few rows have parts of their own.
TACORE_EXPORT int64_t part_rows(int64_t num_rows) noexcept;

/// A sample that was left out.
struct SampleFailure {
  int64_t position = 0;  ///< in the frame
  std::string message = {};
};

struct FrameStatistics {
  std::vector<BandStatistics> bands = {};
  int64_t num_samples = 0;  ///< that are in them
  std::vector<SampleFailure> failures = {};
};

/// Of the pixels of all samples of a frame together, each pixel of equal weight. The result does not depend on `jobs`.
/// Throws what is wrong with the first sample that cannot be read, and its id; QueryError: no rows, samples that differ
/// in their number of bands when all are asked for; IoError when `progress` returned false.
TACORE_EXPORT FrameStatistics compute_statistics(const DataFrame& frame, const ComputeOptions& options = {});

/// The same from what the rows of a frame store, without reading pixels: `geotiff:stats` (continuous), else `stats:*`
/// of 0.2.0, and the histograms of `geotiff:histogram` where that column is there. A row weighs as many pixels as its
/// histogram has, else as statistics.hpp says. Rows without statistics, and NaN of a band, are left out. Exact but for
/// the precision that is stored (float). Throws QueryError when there are no statistics, and for rows that differ in
/// their number of bands; FormatError for a broken histogram.
TACORE_EXPORT std::vector<BandStatistics> stored_statistics(const DataFrame& frame);

/// What samples store of a band, aggregated; NaN where none stores it.
struct TACORE_EXPORT BandSummary {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  int band = 0;  ///< counted from 1
  double mean = kNone, std = kNone, min = kNone, max = kNone;
  std::vector<double> quantiles = {};  ///< those that stored_summary() was asked for, in their order
  /// The quantiles are means of those of the samples, which may be far from the quantiles of all their pixels. False
  /// when they come from stored histograms, or from one sample.
  bool is_approximate = false;
  double quantile_error = kNone;     ///< from stored histograms: how far the quantiles may be off
  std::vector<double> classes = {};  ///< shares of the classes, of a categorical band, which has none of the above
};

/// All that samples store of each band, aggregated in one pass as stats() does, whatever its kind, and marked where it
/// is only approximate: `stored_summary(dataset, {.bands = {4}, .child = "optical"})`. `quantiles` are shares from 0 to
/// 1; none: 0.25, 0.5, 0.75 and 0.95, which samples may store. Others are read from stored histograms only:
/// `geotiff:histogram`, or those of a streaming TACO 0.2.0. Throws as stats(), and QueryError for quantiles that
/// nothing stored gives.
TACORE_EXPORT std::vector<BandSummary> stored_summary(const Dataset& dataset, const StatsOptions& options = {},
                                                      const std::vector<double>& quantiles = {});
TACORE_EXPORT std::vector<BandSummary> stored_summary(const DataFrame& frame, const StatsOptions& options = {},
                                                      const std::vector<double>& quantiles = {});

}  // namespace tacore
