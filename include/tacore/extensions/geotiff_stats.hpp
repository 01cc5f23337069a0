#pragma once

#include <cstdint>
#include <vector>

#include "tacore/raster/raster.hpp"
#include "tacore/write/extension.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::extensions {

/// Options of GeotiffStats.
struct GeotiffStatsOptions {
  /// Compute the share of each class instead of mean, percentiles, ...
  bool categorical = false;
  std::vector<int64_t> class_values = {};  ///< of a categorical raster: the possible pixel values
  /// Compute percentiles in one pass, with an error of at most Histogram::error_bound(); exact ones may need a second
  /// pass.
  bool approx = false;
  bool histograms = false;                 ///< also add the column `geotiff:histogram`
  const RasterOpener* fallback = nullptr;  ///< opens GeoTIFFs that tacore does not decode
};

/// The column `geotiff:stats`: statistics of a GeoTIFF, one list for each band. It is `[min, max, mean, std, valid%,
/// p25, p50, p75, p95]` for continuous bands, and the share of valid pixels in each class, in the order given, for
/// categorical ones. Valid pixels are finite and not no data. Statistics are exact (see compute_quantiles()); std is of
/// the population, percentiles are as in Histogram::quantile(). No sidecar file is written.
///
///     sample.extend_with(GeotiffStats());
///     mask.extend_with(GeotiffStats({.categorical = true, .class_values = {0, 1, 2}}));
///
/// `scaling:scale_factor` and `scaling:scale_offset` of the sample, one number or one for each band, are applied to
/// continuous statistics. A band without valid pixels has NaN and 0 %; a sample without any has null, with a warning.
/// `geotiff:histogram` has Histogram::encode() of each band, of pixels as stored: the histograms of several samples can
/// be merged (stored_statistics()).
///
/// Throws, with the id of the sample, SchemaError for a FOLDER, a format other than GeoTIFF, a number of scaling values
/// that is not that of the bands, and a categorical band in which no pixel has a listed value; FormatError and IoError
/// when the GeoTIFF cannot be decoded.
class TACORE_EXPORT GeotiffStats : public SampleExtension {
 public:
  /// Throws SchemaError for `categorical` without class values, class values without `categorical`, and a repeated
  /// value.
  explicit GeotiffStats(const GeotiffStatsOptions& options = {});
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Sample& sample) const override;

 private:
  GeotiffStatsOptions options_;
};

/// The statistics columns of TACO 0.2.0: `stats:mean`, `stats:min`, `stats:max` and `stats:std` (of the population).
/// Each has one number for each band, of valid pixels as stored; NaN for a band without valid pixels. Throws as
/// GeotiffStats.
///
///     sample.extend_with(Stats());
class TACORE_EXPORT Stats : public SampleExtension {
 public:
  explicit Stats(const RasterOpener* fallback = nullptr) : fallback_(fallback) {}
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Sample& sample) const override;

 private:
  const RasterOpener* fallback_;
};

/// Makes a copy of `samples` with the columns of GeotiffStats, at each level that has TIFFs; existing columns are
/// replaced. FILEs that are not TIFF, FOLDERs and padding have null. `jobs` is the number of threads that decode; 0:
/// one for each processor. Throws SchemaError when no FILE is a TIFF, and as GeotiffStats.
TACORE_EXPORT Tortilla with_geotiff_stats(const Tortilla& samples, const GeotiffStatsOptions& options = {},
                                          int jobs = 0);
/// Makes a copy of `samples` with the columns of Stats, in the same way as with_geotiff_stats().
TACORE_EXPORT Tortilla with_stats(const Tortilla& samples, const RasterOpener* fallback = nullptr, int jobs = 0);

}  // namespace tacore::extensions
