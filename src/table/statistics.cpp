#include "table/statistics.hpp"

#include <arrow/array.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <numeric>
#include <span>

#include "table/cells.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

// Layout of a continuous band (spec of June 2025, §8.3). Moments have the first four.
enum Slot { kMin, kMax, kMean, kStd, kValid, kP25, kP50, kP75, kP95, kSlots };
constexpr const char* kMoments[] = {"stats:min", "stats:max", "stats:mean", "stats:std"};
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Array = std::shared_ptr<arrow::Array>;
using Bands = std::vector<std::vector<double>>;

/// The items of a list cell, whatever kind of list; nullptr for null and for an array of something else.
Array items(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return nullptr;
  switch (array.type_id()) {
    case arrow::Type::LIST: return static_cast<const arrow::ListArray&>(array).value_slice(row);
    case arrow::Type::LARGE_LIST: return static_cast<const arrow::LargeListArray&>(array).value_slice(row);
    case arrow::Type::FIXED_SIZE_LIST: return static_cast<const arrow::FixedSizeListArray&>(array).value_slice(row);
    default: return nullptr;
  }
}

/// NaN for null. Throws QueryError for other types than numbers, which NaN would hide.
std::vector<double> numbers(const arrow::Array& values, const char* what) {
  const auto& type = *values.type();
  const bool are_numbers = arrow::is_integer(type.id()) || type.id() == arrow::Type::FLOAT ||
                           type.id() == arrow::Type::DOUBLE || type.id() == arrow::Type::NA;
  if (!are_numbers)
    throw QueryError(std::string(what) + " are " + type_name(type) + "; integers, float or double expected");
  std::vector<double> out;
  for (int64_t i = 0; i < values.length(); ++i) out.push_back(number_cell(values, i).value_or(kNone));
  return out;
}

/// The product of the last two sizes of the shape; NaN where it is absent or invalid.
double pixels_of(const arrow::Array* shapes, int64_t row) {
  const auto shape = shapes ? items(*shapes, row) : nullptr;
  if (!shape || shape->length() < 2) return kNone;
  const auto sizes = numbers(*shape, "items of stac:tensor_shape");
  const double height = sizes[sizes.size() - 2], width = sizes.back();
  return height >= 1 && width >= 1 && height * width < 0x1p53 ? height * width : kNone;
}

/// A cell of `geotiff:stats`: the numbers of each band, none for a band that is null.
Bands bands_of(const arrow::Array& stats, int64_t row) {
  Bands out;
  const auto bands = items(stats, row);
  for (int64_t b = 0; bands && b < bands->length(); ++b) {
    const auto values = items(*bands, b);
    if (!values && !bands->IsNull(b)) {
      throw QueryError("statistics have type " + type_name(*stats.type()) + "; list<item: list<item: float>> expected");
    }
    out.push_back(values ? numbers(*values, "items of the statistics") : std::vector<double>());
  }
  return out;
}

/// Row `at` of the columns kMoments, nullptr for an absent one: each cell has a number for each band, or is one
/// number. For each band its four numbers, NaN where the cell is null. `row` is for messages.
Bands moments_of(const std::vector<Array>& columns, int64_t at, int64_t row) {
  Bands cells;
  std::size_t num_bands = 0;
  for (const Array& column : columns) {
    auto& cell = cells.emplace_back();
    if (!column || column->IsNull(at)) continue;
    const auto list = items(*column, at);
    cell = numbers(list ? *list : *column->Slice(at, 1), "items of stats:*");
    num_bands = std::max(num_bands, cell.size());
  }
  Bands out(num_bands);
  for (const auto& cell : cells) {
    if (!cell.empty() && cell.size() != num_bands) {
      throw QueryError("stats:* of row " + std::to_string(row) + " have " + std::to_string(cell.size()) + " and " +
                       std::to_string(num_bands) + " bands");
    }
    for (std::size_t b = 0; b < num_bands; ++b) out[b].push_back(cell.empty() ? kNone : cell[b]);
  }
  return out;
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

/// The positions of `bands`, counted from 0.
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

}  // namespace

std::vector<std::string> statistics_columns(const std::vector<Column>& columns, bool with_histograms) {
  std::vector<std::string> out;
  const auto add_first_of = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (std::ranges::find(columns, name, &Column::name) == columns.end()) continue;
      out.emplace_back(name);
      return;
    }
  };
  add_first_of({"geotiff:stats", "internal:stats"});
  if (out.empty()) {
    for (const char* name : kMoments) add_first_of({name});
  }
  if (out.empty()) return out;
  add_first_of({"stac:tensor_shape", "stac:raster_shape"});
  if (with_histograms) add_first_of({kHistogramColumn});
  return out;
}

void throw_no_statistics(const std::string& hint) {
  throw QueryError(
      "the rows do not contain statistics: no column 'geotiff:stats' or 'internal:stats', nor "
      "'stats:mean' and the like" +
      hint);
}

StoredStatistics read_statistics(const Rows& rows) {
  const auto names = statistics_columns(rows.columns(), false);
  if (names.empty()) throw_no_statistics();
  StoredStatistics out{.are_moments = names[0].starts_with("stats:")};
  std::vector<int> columns;
  for (const char* name : kMoments) {
    if (out.are_moments) columns.push_back(rows.find(name));
  }
  if (!out.are_moments) columns.push_back(rows.find(names[0]));
  const int shape = names.back().starts_with("stac:") ? rows.find(names.back()) : -1;
  for (int64_t begin = 0; begin < rows.num_rows();) {
    const int64_t count = rows.run(begin);
    const auto array = [&](int column) { return column < 0 ? nullptr : rows.array(column, begin, count); };
    std::vector<Array> cells;
    for (const int column : columns) cells.push_back(array(column));
    const Array shapes = array(shape);
    for (int64_t i = 0; i < count; ++i) {
      StoredRow row{.row = begin + i};
      row.bands = out.are_moments ? moments_of(cells, i, row.row) : bands_of(*cells[0], i);
      if (row.bands.empty()) continue;
      row.pixels = pixels_of(shapes.get(), i);
      out.rows.push_back(std::move(row));
    }
    begin += count;
  }
  if (rows.num_rows() == 0) throw QueryError("No stats data found: there are no rows");
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
    throw QueryError("stats:mean and the like are continuous; stats_categorical needs shares of classes");
  for (const std::size_t band : chosen) {
    const std::size_t count = num_values(stored, band);
    if (stored.are_moments || count == 0) continue;
    const std::string name = band_name(band, stored.rows[0].bands.size());
    if (kind == StatisticsKind::Continuous && count != kSlots) {
      throw QueryError(name + " has statistics in categorical format (" + std::to_string(count) +
                       " values); use stats_categorical");
    }
    if (kind == StatisticsKind::Categorical && count == kSlots) {
      throw QueryError(name +
                       " has statistics in continuous format (9 values); stats_categorical needs shares of "
                       "classes");
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
