#pragma once

#include <string>
#include <vector>

/// Statistics that samples store about their pixels, aggregated over many samples without reading a pixel: `stats()`
/// and `stats_categorical()` of Dataset and DataFrame.
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
/// `stats:min`, `stats:max`, `stats:mean` and `stats:std` instead, and no percentiles, which are NaN then.
///
/// The weight of a sample is its number of valid pixels: the last two sizes of `stac:tensor_shape` (or
/// `stac:raster_shape`), else the size of its TIFF, times valid %. Where neither is known, the weight is the average of
/// the others, with a warning. Samples without statistics are skipped; NaN and null are skipped for that sample and
/// band, and a band without any value is NaN.
namespace tacore {

/// A statistic of the pixels of a band. Mean is the weighted mean; Std is the standard deviation of all pixels together
/// (of the population). The percentiles are unweighted means of the percentiles of the samples: an approximation, which
/// stored_summary() marks.
enum class Statistic { Mean, Std, Min, Max, P25, P50, P75, P95 };

/// The bands and samples whose statistics are aggregated. Without `level`, `id` and `child` these are the rows of the
/// Dataset or DataFrame. Give either `level` with `id`, or `child`. A DataFrame takes `bands` only.
struct StatsOptions {
  std::vector<int> bands = {};  ///< from 1, as in GDAL, in the order of the result; may repeat; none: all
  int level = 0;                ///< with `id`: the children at this level of the samples with this `id`
  std::string id = {};
  std::string child = {};  ///< path of ids below each row: "optical", "a/b"
};

}  // namespace tacore
