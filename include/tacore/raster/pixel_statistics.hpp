#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tacore/dataset.hpp"
#include "tacore/raster/histogram.hpp"
#include "tacore/raster/raster.hpp"
#include "tacore/raster/tensor.hpp"
#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// Count, minimum, maximum, mean and standard deviation of numbers, in double precision. merge() combines those of
/// parts.
struct TACORE_EXPORT Moments {
  uint64_t count = 0;
  double min = 0;  ///< 0 without numbers, as the members below
  double max = 0;
  double mean = 0;
  double sum_of_squares = 0;  ///< of the differences from the mean

  void merge(const Moments& other);
  /// The standard deviation of the population: divided by `count`. NaN without numbers.
  double standard_deviation() const noexcept;
};

/// Statistics of the valid pixels of a band: those that are finite and not the raster's no data.
///
///     const std::vector<BandStatistics> bands = compute_statistics(*open_raster("image.tif"));
///     std::printf("%g %g\n", bands[0].moments.mean, bands[0].histogram.quantile(0.5));  // of band 1
struct TACORE_EXPORT BandStatistics {
  uint64_t num_pixels = 0;  ///< all pixels, valid or not
  Moments moments = {};     ///< of the valid pixels; integers above 2^53 are rounded to doubles
  Histogram histogram = {};

  void merge(const BandStatistics& other);
  /// The percentage of valid pixels, from 0 to 100; 0 without pixels.
  double valid_percent() const noexcept;
  /// The scale that normalises pixels to mean 0 and standard deviation 1; only the mean is subtracted when all pixels
  /// are equal. Throws QueryError without valid pixels.
  Scale scale() const;
};

/// Computes statistics of all pixels of a raster, in one pass: one element for each of `bands` (from 1, in this order,
/// may repeat; none: all). Uses memory for 16 MiB of pixels or one row of blocks, whichever is less, at least one
/// block, and 4 MiB for each band. Throws as Raster::read().
TACORE_EXPORT std::vector<BandStatistics> compute_statistics(const Raster& raster, const std::vector<int>& bands = {});

/// Computes exact quantiles of the valid pixels of each band, as defined by Histogram::quantile(); NaN for a band
/// without valid pixels. Reads the raster once, and again for bands with more than 65,536 different values (more than
/// twice when these lie close together). Throws as Raster::read() and Histogram::quantile().
TACORE_EXPORT std::vector<std::vector<double>> compute_quantiles(const Raster& raster,
                                                                 std::span<const double> probabilities,
                                                                 const std::vector<int>& bands = {});

/// Options of compute_statistics() for the samples of a DataFrame.
struct ComputeOptions {
  Task task = {};                     ///< progress counts samples
  std::vector<int> bands = {};        ///< from 1, in this order, may repeat; none: all
  std::string child = {};             ///< path of ids below each sample ("s2", "a/b"); "": the samples themselves
  OnError on_error = OnError::Throw;  ///< of a sample that cannot be read; Skip lists it in `failures`
  /// Samples are counted in parts of this number of rows, which are then merged in order: merging such parts in another
  /// process in the same order gives the same result to the last bit. 0: part_rows() of the number of rows.
  int64_t part_rows = 0;
  const RasterOpener* fallback = nullptr;  ///< opens rasters that tacore does not decode
};

/// The default of ComputeOptions::part_rows for a DataFrame with this number of rows: 1 to 32.
TACORE_EXPORT int64_t part_rows(int64_t num_rows) noexcept;

/// A sample that could not be read and was left out of statistics.
struct SampleFailure {
  int64_t position = 0;  ///< row in the DataFrame
  std::string message = {};
};

/// Statistics of the pixels of all samples of a DataFrame together.
struct FrameStatistics {
  std::vector<BandStatistics> bands = {};
  int64_t num_samples = 0;  ///< number of samples that are included
  std::vector<SampleFailure> failures = {};
};

/// Computes statistics of the pixels of all samples of a DataFrame together, each pixel with equal weight. The result
/// does not depend on the number of threads. Throws what is wrong with the first sample that cannot be read, with its
/// id; QueryError for a DataFrame without rows, and for samples that differ in their number of bands when all are
/// requested; IoError when `progress` returned false.
TACORE_EXPORT FrameStatistics compute_statistics(const DataFrame& frame, const ComputeOptions& options = {});

/// Statistics of some rows that are merged with those of other rows later, in another process. Merged in order, they
/// are the FrameStatistics of all rows, to the last bit.
struct PartialStatistics {
  /// The bands of each part that has a sample, without histograms. They are not merged here, since rounding depends on
  /// the order of merging.
  std::vector<std::vector<BandStatistics>> parts = {};
  std::vector<Histogram> histograms = {};  ///< of the bands of all parts
  int64_t num_samples = 0;
  std::vector<SampleFailure> failures = {};
};

/// Computes the statistics of each part of a DataFrame, as compute_statistics() does before it merges them. Throws as
/// it does.
TACORE_EXPORT PartialStatistics compute_partial_statistics(const DataFrame& frame, const ComputeOptions& options = {});

/// Aggregates the statistics that the rows of a DataFrame store, without reading pixels: `geotiff:stats` (continuous),
/// else `stats:*` of TACO 0.2.0, and the histograms of `geotiff:histogram` where that column exists. The weight of a
/// row is the number of pixels in its histogram, else as explained in statistics.hpp. Rows without statistics, and NaN
/// of a band, are left out. The result is exact apart from the stored precision (float). Throws QueryError when no
/// statistics are stored, and for rows that differ in their number of bands; FormatError for a damaged histogram.
TACORE_EXPORT std::vector<BandStatistics> stored_statistics(const DataFrame& frame);

/// The stored statistics of one band, aggregated over samples by stored_summary(); NaN where no sample stores them.
struct TACORE_EXPORT BandSummary {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  int band = 0;  ///< counted from 1
  double mean = kNone, std = kNone, min = kNone, max = kNone;
  std::vector<double> quantiles = {};  ///< as requested from stored_summary(), in that order
  /// True when the quantiles are means of the quantiles of several samples, which may be far from the quantiles of all
  /// pixels. False when they come from stored histograms, or from one sample.
  bool is_approximate = false;
  double quantile_error = kNone;  ///< maximal error of quantiles from stored histograms
  /// The share of each class of a categorical band, which has none of the above.
  std::vector<double> classes = {};
};

/// Aggregates all statistics that samples store of each band, in one pass, and marks approximate ones. Bands may be
/// continuous or categorical; options and weights are those of stats(). `quantiles` are from 0 to 1; none: 0.25, 0.5,
/// 0.75 and 0.95, which samples may store. Other quantiles are computed from stored histograms only:
/// `geotiff:histogram`, or those of a streaming TACO 0.2.0. Throws as stats(), and QueryError for quantiles that cannot
/// be computed.
///
///     for (const BandSummary& band : stored_summary(dataset, {.bands = {4}, .child = "optical"}))
///       std::printf("band %d: mean %g\n", band.band, band.mean);
TACORE_EXPORT std::vector<BandSummary> stored_summary(const Dataset& dataset, const StatsOptions& options = {},
                                                      const std::vector<double>& quantiles = {});
/// Aggregates the statistics that the rows of a DataFrame store; `options` may have `bands` only.
TACORE_EXPORT std::vector<BandSummary> stored_summary(const DataFrame& frame, const StatsOptions& options = {},
                                                      const std::vector<double>& quantiles = {});

}  // namespace tacore
