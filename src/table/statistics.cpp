#include "table/statistics.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "base/text.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"
#include "table/level_table.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

// Layout of a continuous band (spec of June 2025, §8.3).
enum Slot { kMin, kMax, kMean, kStd, kValid, kP25, kP50, kP75, kP95, kSlots };
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// NaN stands for null, so what is no number must not become one.
void check_numbers(const arrow::Array& array, const char* what) {
  const auto& type = *array.type();
  const bool number = arrow::is_integer(type.id()) || type.id() == arrow::Type::FLOAT ||
                      type.id() == arrow::Type::DOUBLE || type.id() == arrow::Type::NA;
  if (!number) throw QueryError(std::string(what) + " are " + type_name(type) + "; integers, float or double expected");
}

/// The items of a list cell, whatever kind of list; nullptr when the array is none.
std::shared_ptr<arrow::Array> items(const arrow::Array& array, int64_t row) {
  switch (array.type_id()) {
    case arrow::Type::LIST: return static_cast<const arrow::ListArray&>(array).value_slice(row);
    case arrow::Type::LARGE_LIST: return static_cast<const arrow::LargeListArray&>(array).value_slice(row);
    case arrow::Type::FIXED_SIZE_LIST: return static_cast<const arrow::FixedSizeListArray&>(array).value_slice(row);
    default: return nullptr;
  }
}

/// A number cell of any width; NaN for null and for what is no number.
double number(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return kNone;
  if (array.type_id() == arrow::Type::FLOAT) return static_cast<const arrow::FloatArray&>(array).Value(row);
  if (array.type_id() == arrow::Type::DOUBLE) return static_cast<const arrow::DoubleArray&>(array).Value(row);
  const auto whole = integer_cell(array, row);
  return whole ? static_cast<double>(*whole) : kNone;
}

/// Pixels of a sample: the product of the last two entries of its shape.
double weight_of(const arrow::Array* shapes, int64_t row) {
  if (!shapes || shapes->IsNull(row)) return 1;
  const auto shape = items(*shapes, row);
  if (!shape || shape->length() < 2) return 1;
  check_numbers(*shape, "items of stac:tensor_shape");
  const double w = number(*shape, shape->length() - 2) * number(*shape, shape->length() - 1);
  return std::isfinite(w) && w >= 0 ? w : 1;
}

struct Sample {
  double weight;
  std::vector<std::vector<double>> bands;
};

std::vector<Sample> read_samples(const StatisticsInput& input) {
  std::vector<Sample> out;
  int64_t rows = 0;
  for (std::size_t a = 0; a < input.stats.size(); ++a) {
    const arrow::Array& stats = *input.stats[a];
    const arrow::Array* shapes = input.shapes.empty() ? nullptr : input.shapes[a].get();
    rows += stats.length();
    for (int64_t row = 0; row < stats.length(); ++row) {
      const auto bands = stats.IsNull(row) ? nullptr : items(stats, row);
      if (!bands || bands->length() == 0) continue;
      Sample sample{weight_of(shapes, row), {}};
      for (int64_t b = 0; b < bands->length(); ++b) {
        const auto values = bands->IsNull(b) ? nullptr : items(*bands, b);
        if (!bands->IsNull(b) && !values)
          throw QueryError("statistics have type " + type_name(*stats.type()) +
                           "; list<item: list<item: float>> expected");
        if (values) check_numbers(*values, "items of the statistics");
        sample.bands.emplace_back();
        for (int64_t i = 0; values && i < values->length(); ++i) sample.bands.back().push_back(number(*values, i));
      }
      out.push_back(std::move(sample));
    }
  }
  if (rows == 0) throw QueryError("No stats data found: there are no rows");
  if (out.empty()) throw QueryError("No valid stats found: every row is null or empty");
  return out;
}

/// All samples agree in bands, and in the number of values of each band (a null band has none).
void check_shapes(const std::vector<Sample>& samples) {
  const std::size_t bands = samples[0].bands.size();
  std::vector<std::size_t> lengths(bands, 0);
  for (const Sample& sample : samples) {
    if (sample.bands.size() != bands) {
      throw QueryError("statistics of samples differ: " + std::to_string(bands) + " bands and " +
                       std::to_string(sample.bands.size()));
    }
    for (std::size_t b = 0; b < bands; ++b) {
      const std::size_t n = sample.bands[b].size();
      if (n == 0) continue;
      if (lengths[b] != 0 && lengths[b] != n) {
        throw QueryError("statistics of band " + std::to_string(b) + " differ: " + std::to_string(lengths[b]) +
                         " values and " + std::to_string(n) + " (continuous and categorical samples cannot be mixed)");
      }
      lengths[b] = n;
    }
  }
}

std::vector<int> chosen_bands(const std::vector<Sample>& samples, const std::vector<int>& bands) {
  const int count = static_cast<int>(samples[0].bands.size());
  if (bands.empty()) {
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  for (const int band : bands) {
    if (band < 0 || band >= count) {
      throw QueryError("Band " + std::to_string(band) + " out of range [0, " + std::to_string(count - 1) + "]");
    }
  }
  return bands;
}

/// One band of the samples that have it: weight and values.
struct BandRow {
  double weight;
  std::span<const double> values;
};

std::vector<BandRow> band_rows(const std::vector<Sample>& samples, int band) {
  std::vector<BandRow> out;
  for (const Sample& sample : samples) {
    const auto& values = sample.bands[static_cast<std::size_t>(band)];
    if (!values.empty()) out.push_back({sample.weight, values});
  }
  return out;
}

double weighted_mean(const std::vector<BandRow>& rows, std::size_t slot) {
  double sum = 0, weights = 0;
  for (const BandRow& row : rows) {
    if (std::isnan(row.values[slot])) continue;
    sum += row.weight * row.values[slot];
    weights += row.weight;
  }
  return weights > 0 ? sum / weights : kNone;
}

/// Of the pixels of all samples together: sqrt(sum w (s^2 + m^2) / sum w - M^2), dossier v1 5.3, in a form that does
/// not cancel.
double population_std(const std::vector<BandRow>& rows) {
  const double mean = weighted_mean(rows, kMean);
  double sum = 0, weights = 0;
  for (const BandRow& row : rows) {
    if (std::isnan(row.values[kMean]) || std::isnan(row.values[kStd])) continue;
    const double m = row.values[kMean] - mean, s = row.values[kStd];
    sum += row.weight * (s * s + m * m);
    weights += row.weight;
  }
  return weights > 0 ? std::sqrt(sum / weights) : kNone;
}

/// sqrt([sum (w-1) s^2 + w (m-M)^2] / (sum w - 1)), M the weighted mean; one sample keeps its own.
double pooled_std(const std::vector<BandRow>& all) {
  std::vector<BandRow> rows;
  for (const BandRow& row : all) {
    const bool has_both = !std::isnan(row.values[kMean]) && !std::isnan(row.values[kStd]);
    if (has_both && row.weight > 0) rows.push_back(row);
  }
  if (rows.empty()) return kNone;
  if (rows.size() == 1) return rows[0].values[kStd];
  const double mean = weighted_mean(rows, kMean);
  double sum = 0, weights = 0;
  for (const BandRow& row : rows) {
    const double m = row.values[kMean] - mean, s = row.values[kStd];
    sum += (row.weight - 1) * s * s + row.weight * m * m;
    weights += row.weight;
  }
  return weights > 1 ? std::sqrt(std::max(sum, 0.0) / (weights - 1)) : kNone;
}

double extremum(const std::vector<BandRow>& rows, std::size_t slot, const std::function<bool(double, double)>& better) {
  double out = kNone;
  for (const BandRow& row : rows) {
    const double v = row.values[slot];
    if (!std::isnan(v) && (std::isnan(out) || better(v, out))) out = v;
  }
  return out;
}

double plain_mean(std::vector<BandRow> rows, std::size_t slot) {
  for (BandRow& row : rows) row.weight = 1;
  return weighted_mean(rows, slot);
}

double aggregate(const std::vector<BandRow>& rows, Statistic which) {
  switch (which) {
    case Statistic::Mean: return weighted_mean(rows, kMean);
    case Statistic::Std: return pooled_std(rows);
    case Statistic::Min: return extremum(rows, kMin, std::less<>());
    case Statistic::Max: return extremum(rows, kMax, std::greater<>());
    case Statistic::P25: return plain_mean(rows, kP25);
    case Statistic::P50: return plain_mean(rows, kP50);
    case Statistic::P75: return plain_mean(rows, kP75);
    case Statistic::P95: return plain_mean(rows, kP95);
  }
  return kNone;
}

/// The numbers of a cell of `stats:*`; none for null.
std::vector<double> numbers(const arrow::Array* column, int64_t row) {
  if (!column || column->IsNull(row)) return {};
  const auto list = items(*column, row);
  const arrow::Array& values = list ? *list : *column;
  check_numbers(values, "items of stats:*");
  if (!list) return {number(values, row)};
  std::vector<double> out;
  for (int64_t i = 0; i < values.length(); ++i) out.push_back(number(values, i));
  return out;
}

}  // namespace

std::shared_ptr<arrow::Array> join_moments(const std::vector<std::shared_ptr<arrow::Array>>& columns) {
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  auto values = std::make_shared<arrow::DoubleBuilder>(pool);
  auto bands = std::make_shared<arrow::ListBuilder>(pool, values);
  arrow::ListBuilder rows(pool, bands);
  int64_t length = 0;
  for (const auto& column : columns) length = column ? column->length() : length;
  for (int64_t row = 0; row < length; ++row) {
    std::vector<std::vector<double>> cells;
    std::size_t num_bands = 0;
    for (const auto& column : columns) {
      cells.push_back(numbers(column.get(), row));
      num_bands = std::max(num_bands, cells.back().size());
    }
    check(num_bands == 0 ? rows.AppendNull() : rows.Append());
    for (std::size_t b = 0; b < num_bands; ++b) {
      check(bands->Append());
      for (const auto& cell : cells) {
        if (!cell.empty() && cell.size() != num_bands) {
          throw QueryError("stats:* of row " + std::to_string(row) + " have " + std::to_string(cell.size()) + " and " +
                           std::to_string(num_bands) + " bands");
        }
        check(values->Append(cell.empty() ? kNone : cell[b]));
      }
    }
  }
  return check(rows.Finish());
}

std::vector<double> aggregate_continuous(const StatisticsInput& input, Statistic which, const std::vector<int>& bands) {
  const bool is_moment =
      which == Statistic::Mean || which == Statistic::Std || which == Statistic::Min || which == Statistic::Max;
  if (input.are_moments && !is_moment)
    throw QueryError("stats:mean and the like hold no percentiles; min, max, mean and std expected");
  const auto samples = read_samples(input);
  check_shapes(samples);
  std::vector<double> out;
  for (const int band : chosen_bands(samples, bands)) {
    const auto rows = band_rows(samples, band);
    if (input.are_moments) {
      out.push_back(which == Statistic::Std ? population_std(rows) : aggregate(rows, which));
      continue;
    }
    if (!rows.empty() && rows[0].values.size() != kSlots) {
      throw QueryError("band " + std::to_string(band) + " has statistics in categorical format (" +
                       std::to_string(rows[0].values.size()) + " values); use stats_categorical");
    }
    out.push_back(aggregate(rows, which));
  }
  return out;
}

std::vector<std::vector<double>> aggregate_categorical(const StatisticsInput& input, const std::vector<int>& bands) {
  if (input.are_moments) throw QueryError("stats:mean and the like are continuous; use stats_mean and the like");
  const auto samples = read_samples(input);
  check_shapes(samples);
  std::vector<std::vector<double>> out;
  for (const int band : chosen_bands(samples, bands)) {
    const auto rows = band_rows(samples, band);
    const std::size_t classes = rows.empty() ? 0 : rows[0].values.size();
    if (classes == kSlots) {
      throw QueryError("band " + std::to_string(band) +
                       " has statistics in continuous format (9 values); use stats_mean and the like");
    }
    out.emplace_back();
    for (std::size_t c = 0; c < classes; ++c) out.back().push_back(weighted_mean(rows, c));
  }
  return out;
}

}  // namespace tacore
