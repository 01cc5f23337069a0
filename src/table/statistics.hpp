#pragma once

#include <arrow/type_fwd.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>


namespace tacore {

/// Arrays of `geotiff:stats` (list of lists of numbers) with those of `stac:tensor_shape` beside them, or none.
struct StatisticsInput {
  std::vector<std::shared_ptr<arrow::Array>> stats = {};
  std::vector<std::shared_ptr<arrow::Array>> shapes = {};
  bool are_moments = false;  ///< each band is `[min, max, mean, std]` of all its valid pixels: join_moments()
};

/// The columns `stats:min`, `stats:max`, `stats:mean` and `stats:std` of TACO 0.2.0, lists of a number for each band,
/// or one number, as StatisticsInput has them. nullptr for a column that is not there: null. Throws QueryError for
/// lists of different lengths, and for what is no number.
std::shared_ptr<arrow::Array> join_moments(const std::vector<std::shared_ptr<arrow::Array>>& columns);

/// What a row stores of its bands.
struct StoredRow {
  int64_t row = 0;
  std::vector<std::vector<double>> bands = {};
  double pixels = std::numeric_limits<double>::quiet_NaN();  ///< of its raster; NaN: the row does not say
  std::vector<double> valid = {};  ///< pixels of each band, where more than valid % tells them
};

struct StoredStatistics {
  std::vector<StoredRow> rows = {};  ///< those that have any, which agree in bands and kind
  bool are_moments = false;
};

/// Throws QueryError: no rows with statistics, rows that differ.
StoredStatistics read_statistics(const StatisticsInput& input);

/// Rows whose size is not known count as many pixels as the others do on average, one where all are unknown. Returns
/// their number.
int64_t assume_pixels(StoredStatistics& stored);

/// A band of all rows together.
struct PooledBand {
  double num_valid = 0;  ///< pixels
  double min = 0, max = 0, mean = 0, std = 0;
  std::array<double, 4> percentiles = {};  ///< 25, 50, 75, 95: plain means of those of the rows
  int64_t num_rows = 0;                    ///< that have the band
};

enum class StatisticsKind { Continuous, Categorical };
/// Of the first of these bands (from 1; none: all) that a row has. Throws QueryError for bands that are not there.
StatisticsKind kind_of(const StoredStatistics& stored, const std::vector<int>& bands);
/// Throws QueryError for bands that are not there, and for those of the other kind.
void check_kind(const StoredStatistics& stored, const std::vector<int>& bands, StatisticsKind kind);
/// The formulas of tacore/statistics.hpp, once all `pixels` or `valid` are known. Throw QueryError as it says.
std::vector<PooledBand> pool_continuous(const StoredStatistics& stored, const std::vector<int>& bands);
std::vector<std::vector<double>> pool_categorical(const StoredStatistics& stored, const std::vector<int>& bands);

}  // namespace tacore
