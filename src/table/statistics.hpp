#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "tacore/statistics.hpp"

namespace tacore {

/// Arrays of `geotiff:stats` (list of lists of numbers) with those of `stac:tensor_shape` beside them, or none (weight
/// 1).
struct StatisticsInput {
  std::vector<std::shared_ptr<arrow::Array>> stats;
  std::vector<std::shared_ptr<arrow::Array>> shapes;
  bool are_moments = false;  ///< each band is `[min, max, mean, std]` of all its pixels: join_moments()
};

/// The columns `stats:min`, `stats:max`, `stats:mean` and `stats:std` of TACO 0.2.0, lists of a number for each band,
/// or one number, as StatisticsInput has them. nullptr for a column that is not there: null. Throws QueryError for
/// lists of different lengths, and for what is no number.
std::shared_ptr<arrow::Array> join_moments(const std::vector<std::shared_ptr<arrow::Array>>& columns);

/// The formulas of tacore/statistics.hpp. Throw QueryError as it says.
std::vector<double> aggregate_continuous(const StatisticsInput& input, Statistic which, const std::vector<int>& bands);
std::vector<std::vector<double>> aggregate_categorical(const StatisticsInput& input, const std::vector<int>& bands);

}  // namespace tacore
