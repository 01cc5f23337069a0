#pragma once

#include <cstdint>
#include <vector>

#include "tacore/raster/raster.hpp"
#include "tacore/write/extension.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::extensions {

struct GeotiffStatsOptions {
  bool categorical = false;
  std::vector<int64_t> class_values = {};  ///< of a categorical raster: what its pixels can be
  /// One pass where an exact percentile may take another: off by Histogram::error_bound() at most.
  bool approx = false;
  bool histograms = false;                 ///< also the column `geotiff:histogram`
  const RasterOpener* fallback = nullptr;  ///< for GeoTIFFs that tacore does not decode itself
};

/// Statistics of a GeoTIFF, for each band a list: of a continuous one `[min, max, mean, std, valid%, p25, p50, p75,
/// p95]`, of a categorical one the share of valid pixels that each class has, in the order given. Valid are finite
/// pixels that are not no data. Exact, in one pass over the pixels (see compute_quantiles); std is of the population,
/// percentiles are as in Histogram::quantile. Writes nothing beside the file.
///
/// `scaling:scale_factor` and `scaling:scale_offset` of the sample, one number or one for each band, are applied to
/// continuous statistics. A band without valid pixels has NaN and 0 %; a sample without any has null, and a warning.
/// `geotiff:histogram` has Histogram::encode() of each band, of pixels as stored: their sum is the histogram of any
/// samples together (stored_statistics).
///
/// Throws with the id of the sample: SchemaError for a FOLDER, another format than GeoTIFF, a number of scaling values
/// that is not that of the bands, a categorical band in which no pixel has a listed value; FormatError and IoError when
/// it cannot be decoded.
class TACORE_EXPORT GeotiffStats : public SampleExtension {
 public:
  /// Throws SchemaError: categorical without class values, class values without it, a value twice.
  explicit GeotiffStats(const GeotiffStatsOptions& options = {});
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Sample& sample) const override;

 private:
  GeotiffStatsOptions options_;
};

/// The columns of 0.2.0: `stats:mean`, `stats:min`, `stats:max` and `stats:std` (of the population), a number for each
/// band, of valid pixels as stored; NaN for a band without any. Throws as GeotiffStats.
class TACORE_EXPORT Stats : public SampleExtension {
 public:
  explicit Stats(const RasterOpener* fallback = nullptr) : fallback_(fallback) {}
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Sample& sample) const override;

 private:
  const RasterOpener* fallback_;
};

/// The columns of GeotiffStats for all samples, at each level that has TIFFs; a column that is there is replaced. FILEs
/// that are no TIFF, FOLDERs and padding have null. `jobs` threads decode; 0 is one for each processor. Throws
/// SchemaError when no FILE is a TIFF, and as GeotiffStats.
TACORE_EXPORT Tortilla with_geotiff_stats(const Tortilla& samples, const GeotiffStatsOptions& options = {},
                                          int jobs = 0);
/// The same for Stats.
TACORE_EXPORT Tortilla with_stats(const Tortilla& samples, const RasterOpener* fallback = nullptr, int jobs = 0);

}  // namespace tacore::extensions
