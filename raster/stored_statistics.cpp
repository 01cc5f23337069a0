#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "base/text.hpp"
#include "reader/dataframe_impl.hpp"
#include "table/values.hpp"
#include "tacore/error.hpp"
#include "tacore/pixel_statistics.hpp"

namespace tacore {
namespace {

constexpr std::size_t kContinuousValues = 9;
/// Rows whose values are in memory at once.
constexpr int64_t kRowsAtOnce = 256;

double number(const Value& value) {
  if (const auto* real = value.get<double>()) return *real;
  if (const auto* whole = value.get<int64_t>()) return static_cast<double>(*whole);
  return std::numeric_limits<double>::quiet_NaN();
}

const Value::List& items(const Value& value) {
  static const Value::List none;
  const auto* list = value.get<Value::List>();
  return list ? *list : none;
}

/// What a row says of a band.
struct Stored {
  double min, max, mean, deviation, valid_percent;
};

std::vector<Stored> stored_of(const Value& geotiff_stats) {
  std::vector<Stored> out;
  for (const Value& band : items(geotiff_stats)) {
    const auto& values = items(band);
    if (!values.empty() && values.size() != kContinuousValues) {
      throw QueryError("band " + std::to_string(out.size()) + " has statistics in categorical format (" +
                       std::to_string(values.size()) + " values)");
    }
    const auto at = [&](std::size_t i) { return values.empty() ? number({}) : number(values[i]); };
    out.push_back({at(0), at(1), at(2), at(3), at(4)});
  }
  return out;
}

std::vector<Stored> stored_of(const Value& min, const Value& max, const Value& mean, const Value& deviation) {
  const std::size_t num_bands = items(mean).size();
  for (const Value* other : {&min, &max, &deviation}) {
    if (items(*other).size() != num_bands) throw QueryError("columns stats:* differ in their number of bands");
  }
  std::vector<Stored> out;
  for (std::size_t b = 0; b < num_bands; ++b) {
    out.push_back(
        {number(items(min)[b]), number(items(max)[b]), number(items(mean)[b]), number(items(deviation)[b]), 100});
  }
  return out;
}

/// Rows times columns; 0 where that is not told.
double pixels_of(const Value& tensor_shape) {
  const auto& shape = items(tensor_shape);
  if (shape.size() < 2) return 0;
  const double out = number(shape[shape.size() - 2]) * number(shape[shape.size() - 1]);
  return out >= 1 && out < 0x1p53 ? out : 0;
}

BandStatistics band_of(const Stored& stored, double pixels, const Value& histogram) {
  BandStatistics out;
  if (const auto* bytes = histogram.get<Binary>()) out.histogram = Histogram::decode(*bytes);
  out.num_pixels = pixels > 0 ? static_cast<uint64_t>(pixels) : std::max<uint64_t>(1, out.histogram.count());
  if (std::isnan(stored.mean) || std::isnan(stored.deviation)) return out;
  const double share = std::isnan(stored.valid_percent) ? 1 : std::clamp(stored.valid_percent / 100, 0.0, 1.0);
  const auto told = static_cast<uint64_t>(std::llround(std::max(1.0, pixels * share)));
  const uint64_t count = out.histogram.count() > 0 ? out.histogram.count() : told;
  out.moments = {.count = count,
                 .min = stored.min,
                 .max = stored.max,
                 .mean = stored.mean,
                 .sum_of_squares = stored.deviation * stored.deviation * static_cast<double>(count)};
  return out;
}

/// Columns of some rows.
class Columns {
 public:
  Columns(const Rows& rows, int64_t begin, int64_t count) {
    for (const char* name : {"geotiff:stats", "internal:stats", "stats:min", "stats:max", "stats:mean", "stats:std",
                             "stac:tensor_shape", "geotiff:histogram"}) {
      if (const int column = rows.find(name); column >= 0)
        columns_[name] = read_values(*rows.array(column, begin, count));
    }
  }
  bool has(const std::string& name) const { return columns_.contains(name); }
  const Value& at(const std::string& name, std::size_t row) const {
    static const Value null;
    const auto found = columns_.find(name);
    return found == columns_.end() ? null : found->second[row];
  }
  std::vector<Stored> stored(std::size_t row) const {
    for (const char* name : {"geotiff:stats", "internal:stats"}) {
      if (has(name)) return stored_of(at(name, row));
    }
    return stored_of(at("stats:min", row), at("stats:max", row), at("stats:mean", row), at("stats:std", row));
  }

 private:
  std::map<std::string, std::vector<Value>> columns_ = {};
};

void add_row(std::vector<BandStatistics>& all, const Columns& columns, std::size_t row) {
  const auto stored = columns.stored(row);
  const auto& histograms = items(columns.at("geotiff:histogram", row));
  if (stored.empty()) return;
  if (all.empty()) all.resize(stored.size());
  const bool agree = all.size() == stored.size() && (histograms.empty() || histograms.size() == stored.size());
  if (!agree) {
    throw QueryError("statistics of samples differ: " + std::to_string(all.size()) + " bands and " +
                     std::to_string(stored.size()) + " (" + std::to_string(histograms.size()) + " histograms)");
  }
  const double pixels = pixels_of(columns.at("stac:tensor_shape", row));
  for (std::size_t b = 0; b < all.size(); ++b)
    all[b].merge(band_of(stored[b], pixels, histograms.empty() ? Value() : histograms[b]));
}

}  // namespace

std::vector<BandStatistics> stored_statistics(const DataFrame& frame) {
  const Rows& rows = *frame.impl()->rows;
  const bool has_any =
      rows.find("geotiff:stats") >= 0 || rows.find("internal:stats") >= 0 || rows.find("stats:mean") >= 0;
  if (!has_any) throw QueryError("no statistics are stored: no column geotiff:stats, internal:stats or stats:mean");
  std::vector<BandStatistics> out;
  for (int64_t begin = 0; begin < frame.num_rows(); begin += kRowsAtOnce) {
    const int64_t count = std::min(kRowsAtOnce, frame.num_rows() - begin);
    const Columns columns(rows, begin, count);
    for (int64_t row = 0; row < count; ++row) add_row(out, columns, static_cast<std::size_t>(row));
  }
  if (out.empty()) throw QueryError("no statistics are stored: every row is null or empty");
  return out;
}

}  // namespace tacore
