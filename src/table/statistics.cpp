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
#include <span>

#include "base/text.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"
#include "table/level_table.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

// Layout of a continuous band (specification of June 2025, §8.3).
enum Slot { kMin, kMax, kMean, kStd, kValid, kP25, kP50, kP75, kP95, kSlots };
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// NaN stands for null, so an invalid value must not become NaN.
void check_numbers(const arrow::Array& array, const char* what) {
  const auto& type = *array.type();
  const bool number = arrow::is_integer(type.id()) || type.id() == arrow::Type::FLOAT ||
                      type.id() == arrow::Type::DOUBLE || type.id() == arrow::Type::NA;
  if (!number) throw QueryError(std::string(what) + " are " + type_name(type) + "; integers, float or double expected");
}

/// The items of a list cell of any list type; nullptr when the array is no list.
std::shared_ptr<arrow::Array> items(const arrow::Array& array, int64_t row) {
  switch (array.type_id()) {
    case arrow::Type::LIST: return static_cast<const arrow::ListArray&>(array).value_slice(row);
    case arrow::Type::LARGE_LIST: return static_cast<const arrow::LargeListArray&>(array).value_slice(row);
    case arrow::Type::FIXED_SIZE_LIST: return static_cast<const arrow::FixedSizeListArray&>(array).value_slice(row);
    default: return nullptr;
  }
}

/// A numeric cell of any width; NaN for null and for other types.
double number(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return kNone;
  if (array.type_id() == arrow::Type::FLOAT) return static_cast<const arrow::FloatArray&>(array).Value(row);
  if (array.type_id() == arrow::Type::DOUBLE) return static_cast<const arrow::DoubleArray&>(array).Value(row);
  const auto whole = integer_cell(array, row);
  return whole ? static_cast<double>(*whole) : kNone;
}

/// The product of the last two entries of the shape; NaN where it is missing or impossible.
double pixels_of(const arrow::Array* shapes, int64_t row) {
  if (!shapes || shapes->IsNull(row)) return kNone;
  const auto shape = items(*shapes, row);
  if (!shape || shape->length() < 2) return kNone;
  check_numbers(*shape, "items of stac:tensor_shape");
  const double height = number(*shape, shape->length() - 2), width = number(*shape, shape->length() - 1);
  return height >= 1 && width >= 1 && height * width < 0x1p53 ? height * width : kNone;
}

/// For messages: "band 2 of 3", counted from 1.
std::string band_name(std::size_t band, std::size_t count) {
  return "band " + std::to_string(band + 1) + " of " + std::to_string(count);
}

/// Checks that all samples agree in the number of bands and of values of each band (a null band has none).
void check_shapes(const std::vector<StoredRow>& rows) {
  const std::size_t bands = rows[0].bands.size();
  std::vector<std::size_t> lengths(bands, 0);
  for (const StoredRow& row : rows) {
    if (row.bands.size() != bands) {
      throw QueryError("statistics of samples differ: " + std::to_string(bands) + " bands and " +
                       std::to_string(row.bands.size()));
    }
    for (std::size_t b = 0; b < bands; ++b) {
      const std::size_t n = row.bands[b].size();
      if (n == 0) continue;
      if (lengths[b] != 0 && lengths[b] != n) {
        throw QueryError("statistics of " + band_name(b, bands) + " differ: " + std::to_string(lengths[b]) +
                         " values and " + std::to_string(n) + " (continuous and categorical samples cannot be mixed)");
      }
      lengths[b] = n;
    }
  }
}

/// Counted from 0.
std::vector<std::size_t> chosen_bands(const StoredStatistics& stored, const std::vector<int>& bands) {
  const std::size_t count = stored.rows[0].bands.size();
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  if (bands.empty()) return out;
  out.clear();
  for (const int band : bands) {
    if (band < 1 || static_cast<std::size_t>(band) > count) {
      throw QueryError("band " + std::to_string(band) + " does not exist: bands count from 1, and there " +
                       (count == 1 ? "is 1" : "are " + std::to_string(count)));
    }
    out.push_back(static_cast<std::size_t>(band - 1));
  }
  return out;
}

/// The number of values of a band, the same in each row that has the band; 0 where none does.
std::size_t num_values(const StoredStatistics& stored, std::size_t band) {
  for (const StoredRow& row : stored.rows) {
    if (!row.bands[band].empty()) return row.bands[band].size();
  }
  return 0;
}

/// A band of a sample that has valid pixels: their number as weight, and its stored values.
struct BandRow {
  double weight;
  std::span<const double> values;
};

/// The number of valid pixels of a band; all pixels where nothing says it.
double valid_pixels(const StoredRow& row, std::size_t band, std::size_t slots) {
  if (!row.valid.empty()) return row.valid[band];
  const double percent = slots == kSlots ? row.bands[band][kValid] : 100;
  if (std::isnan(percent) || percent >= 100) return row.pixels;
  return percent > 0 ? std::max(1.0, std::round(row.pixels * percent / 100)) : 0;
}

std::vector<BandRow> band_rows(const StoredStatistics& stored, std::size_t band) {
  std::vector<BandRow> out;
  for (const StoredRow& row : stored.rows) {
    const auto& values = row.bands[band];
    if (values.empty()) continue;
    const double weight = valid_pixels(row, band, stored.are_moments ? 0 : values.size());
    if (weight > 0) out.push_back({weight, values});
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

/// The std of the pixels of all samples: sqrt(sum w (s^2 + m^2) / sum w - M^2), in a form without cancellation.
double population_std(const std::vector<BandRow>& all) {
  std::vector<BandRow> rows;
  for (const BandRow& row : all) {
    if (!std::isnan(row.values[kMean]) && !std::isnan(row.values[kStd])) rows.push_back(row);
  }
  const double mean = weighted_mean(rows, kMean);
  double sum = 0, weights = 0;
  for (const BandRow& row : rows) {
    const double m = row.values[kMean] - mean, s = row.values[kStd];
    sum += row.weight * (s * s + m * m);
    weights += row.weight;
  }
  return weights > 0 ? std::sqrt(sum / weights) : kNone;
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

/// The numbers of a cell of `stats:*`; empty for null.
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

StoredStatistics read_statistics(const StatisticsInput& input) {
  StoredStatistics out{.are_moments = input.are_moments};
  int64_t rows = 0;
  for (std::size_t a = 0; a < input.stats.size(); ++a) {
    const arrow::Array& stats = *input.stats[a];
    const arrow::Array* shapes = input.shapes.empty() ? nullptr : input.shapes[a].get();
    for (int64_t row = 0; row < stats.length(); ++row) {
      const auto bands = stats.IsNull(row) ? nullptr : items(stats, row);
      if (!bands || bands->length() == 0) continue;
      StoredRow stored{.row = rows + row, .pixels = pixels_of(shapes, row)};
      for (int64_t b = 0; b < bands->length(); ++b) {
        const auto values = bands->IsNull(b) ? nullptr : items(*bands, b);
        if (!bands->IsNull(b) && !values)
          throw QueryError("statistics have type " + type_name(*stats.type()) +
                           "; list<item: list<item: float>> expected");
        if (values) check_numbers(*values, "items of the statistics");
        stored.bands.emplace_back();
        for (int64_t i = 0; values && i < values->length(); ++i) stored.bands.back().push_back(number(*values, i));
      }
      out.rows.push_back(std::move(stored));
    }
    rows += stats.length();
  }
  if (rows == 0) throw QueryError("No stats data found: there are no rows");
  if (out.rows.empty()) throw QueryError("No valid stats found: every row is null or empty");
  check_shapes(out.rows);
  return out;
}

int64_t assume_pixels(StoredStatistics& stored) {
  double sum = 0, known = 0;
  for (const StoredRow& row : stored.rows) {
    if (std::isnan(row.pixels)) continue;
    sum += row.pixels;
    ++known;
  }
  int64_t out = 0;
  for (StoredRow& row : stored.rows) {
    if (!std::isnan(row.pixels)) continue;
    row.pixels = known > 0 ? sum / known : 1;
    ++out;
  }
  return out;
}

StatisticsKind kind_of(const StoredStatistics& stored, const std::vector<int>& bands) {
  for (const std::size_t band : chosen_bands(stored, bands)) {
    const std::size_t count = num_values(stored, band);
    if (count > 0 && count != kSlots && !stored.are_moments) return StatisticsKind::Categorical;
    if (count > 0) break;
  }
  return StatisticsKind::Continuous;
}

void check_kind(const StoredStatistics& stored, const std::vector<int>& bands, StatisticsKind kind) {
  const auto chosen = chosen_bands(stored, bands);
  if (stored.are_moments && kind == StatisticsKind::Categorical)
    throw QueryError("stats:mean and the like are continuous; use stats_mean and the like");
  for (const std::size_t band : chosen) {
    const std::size_t count = num_values(stored, band);
    if (stored.are_moments || count == 0) continue;
    const std::string name = band_name(band, stored.rows[0].bands.size());
    if (kind == StatisticsKind::Continuous && count != kSlots) {
      throw QueryError(name + " has statistics in categorical format (" + std::to_string(count) +
                       " values); use stats_categorical");
    }
    if (kind == StatisticsKind::Categorical && count == kSlots) {
      throw QueryError(name + " has statistics in continuous format (9 values); use stats_mean and the like");
    }
  }
}

std::vector<PooledBand> pool_continuous(const StoredStatistics& stored, const std::vector<int>& bands) {
  check_kind(stored, bands, StatisticsKind::Continuous);
  std::vector<PooledBand> out;
  for (const std::size_t band : chosen_bands(stored, bands)) {
    const auto rows = band_rows(stored, band);
    PooledBand pooled{.min = extremum(rows, kMin, std::less<>()),
                      .max = extremum(rows, kMax, std::greater<>()),
                      .mean = weighted_mean(rows, kMean),
                      .std = population_std(rows),
                      .num_rows = static_cast<int64_t>(rows.size())};
    for (const BandRow& row : rows) {
      if (!std::isnan(row.values[kMean])) pooled.num_valid += row.weight;
    }
    constexpr Slot kPercentiles[] = {kP25, kP50, kP75, kP95};
    for (std::size_t i = 0; i < pooled.percentiles.size(); ++i)
      pooled.percentiles[i] = stored.are_moments ? kNone : plain_mean(rows, kPercentiles[i]);
    out.push_back(pooled);
  }
  return out;
}

std::vector<std::vector<double>> pool_categorical(const StoredStatistics& stored, const std::vector<int>& bands) {
  check_kind(stored, bands, StatisticsKind::Categorical);
  std::vector<std::vector<double>> out;
  for (const std::size_t band : chosen_bands(stored, bands)) {
    const auto rows = band_rows(stored, band);
    const std::size_t classes = rows.empty() ? 0 : rows[0].values.size();
    out.emplace_back();
    for (std::size_t c = 0; c < classes; ++c) out.back().push_back(weighted_mean(rows, c));
  }
  return out;
}

}  // namespace tacore
