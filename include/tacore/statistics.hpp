#pragma once

#include <string>
#include <vector>

/// Statistics that samples store about their pixels, aggregated over many samples without reading a pixel:
/// `stats()` and `stats_categorical()` of Dataset and DataFrame (spec of June 2025, §8.3).
///
/// ```cpp
/// const Dataset dataset = load("landsat.tacozip");
/// dataset.stats(Statistic::Mean);                                       // a number for each band
/// dataset.stats(Statistic::Max, {.bands = {4, 1}});                     // of band 4, then of band 1
/// load("nested.tacozip").stats(Statistic::Std, {.child = "optical"});   // of the child "optical" of each sample
/// ```
///
/// A sample stores for each band, in `geotiff:stats` (or `internal:stats`), either `[min, max, mean, std, valid %, p25,
/// p50, p75, p95]` (continuous) or the share of each class (categorical: any other length). TACO 0.2.0 stores
/// `stats:min`, `stats:max`, `stats:mean` and `stats:std` instead, and no percentiles: these are NaN then.
///
/// A sample weighs as many pixels as are valid: the last two sizes of `stac:tensor_shape` (or `stac:raster_shape`),
/// else the size that its TIFF has, times valid %. Where neither is known it weighs as much as the others do on
/// average, and a warning says so. Samples without statistics are skipped; NaN and null are skipped for that sample and
/// band, and a band of which nothing is left is NaN.
namespace tacore {

/// A number that is aggregated for each band. Mean is the weighted mean; Std is the standard deviation of all pixels
/// together (of the population). The percentiles are plain means of those of the samples: an approximation, which
/// stored_summary() marks.
enum class Statistic { Mean, Std, Min, Max, P25, P50, P75, P95 };

/// Which bands of which samples are aggregated. Without `level`, `id` and `child` these are the rows of the Dataset or
/// DataFrame. A DataFrame takes `bands` only. Of `level` with `id`, and `child`, one may be given.
struct StatsOptions {
  std::vector<int> bands = {};  ///< counted from 1, as in GDAL; the result has their order, one may repeat; none: all
  int level = 0;                ///< with `id`: the children, at this level, of the samples that have `id` above it
  std::string id = {};
  std::string child = {};  ///< the sample at the end of these ids below each row: "optical", "a/b"
};

}  // namespace tacore
