#pragma once

#include <arrow/type_fwd.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>


namespace tacore {

/// The input of pooled statistics: `geotiff:stats` (list of lists of numbers), with `stac:tensor_shape` or none.
struct StatisticsInput {
  std::vector<std::shared_ptr<arrow::Array>> stats = {};
  std::vector<std::shared_ptr<arrow::Array>> shapes = {};
  bool are_moments = false;  ///< each band is `[min, max, mean, std]` of all its valid pixels: join_moments()
};

/// Joins the columns `stats:min`, `stats:max`, `stats:mean` and `stats:std` of TACO 0.2.0 (a list with a number per
/// band, or one number) for StatisticsInput. nullptr stands for an absent column: null. Throws QueryError for lists of
/// different lengths, and for values that are no numbers.
std::shared_ptr<arrow::Array> join_moments(const std::vector<std::shared_ptr<arrow::Array>>& columns);

/// The stored statistics of the bands of a row.
struct StoredRow {
  int64_t row = 0;
  std::vector<std::vector<double>> bands = {};
  double pixels = std::numeric_limits<double>::quiet_NaN();  ///< of its raster; NaN: the row does not say
  std::vector<double> valid = {};  ///< pixels of each band, if more is known than valid %
};

struct StoredStatistics {
  std::vector<StoredRow> rows = {};  ///< those that have any, which agree in bands and kind
  bool are_moments = false;
};

/// Parses the stored statistics. Throws QueryError when no row has any, or when rows disagree.
StoredStatistics read_statistics(const StatisticsInput& input);

/// Sets the size of rows of unknown size to the average of the others, or to one pixel where all are unknown. Returns
/// the number of such rows.
int64_t assume_pixels(StoredStatistics& stored);

/// The statistics of a band, pooled over all rows.
struct PooledBand {
  double num_valid = 0;  ///< pixels
  double min = 0, max = 0, mean = 0, std = 0;
  std::array<double, 4> percentiles = {};  ///< 25, 50, 75, 95: plain means of the rows' percentiles
  int64_t num_rows = 0;                    ///< that have the band
};

enum class StatisticsKind { Continuous, Categorical };
/// The kind of the first of these bands (from 1; empty: all) that a row has. Throws QueryError for missing bands.
StatisticsKind kind_of(const StoredStatistics& stored, const std::vector<int>& bands);
/// Throws QueryError for missing bands, and for bands of the other kind.
void check_kind(const StoredStatistics& stored, const std::vector<int>& bands, StatisticsKind kind);
/// The formulas of tacore/statistics.hpp, for known `pixels` or `valid`. Throw QueryError as it says.
std::vector<PooledBand> pool_continuous(const StoredStatistics& stored, const std::vector<int>& bands);
std::vector<std::vector<double>> pool_categorical(const StoredStatistics& stored, const std::vector<int>& bands);

}  // namespace tacore
