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
};

/// The formulas of tacore/statistics.hpp. Throw QueryError as it says.
std::vector<double> aggregate_continuous(const StatisticsInput& input, Statistic which, const std::vector<int>& bands);
std::vector<std::vector<double>> aggregate_categorical(const StatisticsInput& input, const std::vector<int>& bands);

}  // namespace tacore
