#include "tacore/extensions/geotiff_stats.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/log.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "raster/about_sample.hpp"
#include "raster/pixel_passes.hpp"
#include "raster/tiff_directory.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/pixel_statistics.hpp"
#include "writer/sample_source.hpp"

namespace tacore::extensions {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::array kShares = {0.25, 0.5, 0.75, 0.95};
constexpr std::size_t kContinuousValues = 9;  ///< the number by which readers distinguish continuous from categorical

std::shared_ptr<const Raster> open_geotiff(const Sample& sample, const RasterOpener* fallback) {
  auto out = open_raster(sample, fallback);
  if (out->info().format != "GTiff") throw SchemaError("is not a GeoTIFF but " + out->info().format);
  return out;
}

bool has_valid(const std::vector<BandStatistics>& bands) {
  return std::any_of(bands.begin(), bands.end(), [](const auto& band) { return band.moments.count > 0; });
}

/// A scaling column with one value for each band, `neutral` where the column is absent.
std::vector<double> scaling_of(const Sample& sample, const char* key, double neutral, std::size_t num_bands) {
  const Value* value = sample.find(key);
  if (!value || value->is_null()) return std::vector<double>(num_bands, neutral);
  const auto* list = value->get<Value::List>();
  const Value::List items = list ? *list : Value::List{*value};
  if (items.size() != 1 && items.size() != num_bands) {
    throw SchemaError(std::string(key) + " has " + std::to_string(items.size()) + " numbers, expected 1 or " +
                      std::to_string(num_bands) + ", one for each band");
  }
  std::vector<double> out;
  for (const Value& item : items) {
    if (const auto* real = item.get<double>()) {
      out.push_back(*real);
    } else if (const auto* whole = item.get<int64_t>()) {
      out.push_back(static_cast<double>(*whole));
    } else {
      throw SchemaError(std::string(key) + " is not a number or a list of numbers");
    }
  }
  if (items.size() == 1) out.assign(num_bands, out.front());
  return out;
}

Value continuous(const BandStatistics& band, std::vector<double> percentiles, const Scale& scaling) {
  const Moments& moments = band.moments;
  if (moments.count == 0) return Value::List{kNone, kNone, kNone, kNone, 0.0, kNone, kNone, kNone, kNone};
  const auto scaled = [&](double stored) { return stored * scaling.factor + scaling.offset; };
  const auto [min, max] = std::minmax({scaled(moments.min), scaled(moments.max)});
  Value::List out = {min, max, scaled(moments.mean), moments.standard_deviation() * std::abs(scaling.factor),
                     band.valid_percent()};
  for (const double percentile : percentiles) out.emplace_back(scaled(percentile));
  return out;
}

/// The percentiles that become p25, p50, p75 and p95 after scaling, which may reverse their order.
std::vector<double> percentiles_of(const Raster& raster, int band, const Histogram& histogram, double factor,
                                   bool approx) {
  std::array<double, kShares.size()> shares = kShares;
  if (factor < 0) std::transform(shares.begin(), shares.end(), shares.begin(), [](double p) { return 1 - p; });
  if (!approx) return exact_quantiles(raster, band, histogram, shares);
  std::vector<double> out;
  for (const double p : shares) out.push_back(histogram.quantile(p));
  return out;
}

Value::List continuous(const Sample& sample, const Raster& raster, const std::vector<BandStatistics>& bands,
                       bool approx) {
  const auto factors = scaling_of(sample, "scaling:scale_factor", 1, bands.size());
  const auto offsets = scaling_of(sample, "scaling:scale_offset", 0, bands.size());
  Value::List out;
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const auto percentiles = percentiles_of(raster, static_cast<int>(b) + 1, bands[b].histogram, factors[b], approx);
    out.push_back(continuous(bands[b], percentiles, {.factor = factors[b], .offset = offsets[b]}));
  }
  return out;
}

Value categorical(const BandStatistics& band, std::size_t number, const std::vector<int64_t>& classes) {
  const Histogram& histogram = band.histogram;
  if (histogram.count() == 0) return Value::List(classes.size(), Value(kNone));
  const std::string where = "band " + std::to_string(number) + ": ";
  if (histogram.bin_width() > 0) {
    throw SchemaError(where + "more than " + std::to_string(Histogram::kMaxBins) +
                      " different values, too many for classes");
  }
  Value::List out;
  bool is_any = false;
  for (const int64_t value : classes) {
    const auto number_of = static_cast<double>(value);
    const auto& bins = histogram.bins();
    const auto at = std::lower_bound(bins.begin(), bins.end(), number_of,
                                     [](const Histogram::Bin& bin, double v) { return bin.value < v; });
    const uint64_t count = at != bins.end() && at->value == number_of ? at->count : 0;
    is_any = is_any || count > 0;
    out.emplace_back(static_cast<double>(count) / static_cast<double>(histogram.count()));
  }
  if (!is_any) {
    throw SchemaError(where + "no pixel has one of the class_values; the first value is " +
                      number_text(histogram.bins().front().value));
  }
  return out;
}

bool is_tiff_file(const Tortilla& samples, int level, std::size_t row) {
  const auto bytes = source_of(samples, level, row);
  return bytes && is_tiff(bytes->read({0, std::min<uint64_t>(bytes->size(), 4)}));
}

/// The values of `extension` for each row of a level, null where the FILE is no TIFF.
std::vector<std::vector<Value>> values_of(const Tortilla& samples, int level, const SampleExtension& extension,
                                          int jobs) {
  const auto num_rows = static_cast<std::size_t>(samples.num_samples(level));
  OrderedWork<std::vector<Value>> work(std::vector<uint64_t>(num_rows, 1), 1024, num_threads(jobs),
                                       [&](std::size_t i) -> std::vector<Value> {
                                         if (!is_tiff_file(samples, level, i)) return {};
                                         return extension.compute(samples.sample(static_cast<int64_t>(i), level));
                                       });
  std::vector<std::vector<Value>> out;
  out.reserve(num_rows);
  while (auto values = work.next()) out.push_back(std::move(*values));
  return out;
}

Tortilla with_extension(Tortilla samples, const SampleExtension& extension, int jobs) {
  const auto schema = extension.schema();
  bool is_any = false;
  for (int level = 0; level <= samples.depth(); ++level) {
    auto rows = values_of(samples, level, extension, jobs);
    if (std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.empty(); })) continue;
    is_any = true;
    std::vector<MetadataColumn> columns;
    for (std::size_t c = 0; c < schema.size(); ++c) {
      auto& column = columns.emplace_back(MetadataColumn{schema[c].name, {}, schema[c].type, schema[c].description});
      for (auto& row : rows) column.values.push_back(row.empty() ? Value() : std::move(row[c]));
    }
    for (const auto& field : samples.fields(level)) {
      const bool is_ours =
          std::any_of(schema.begin(), schema.end(), [&](const auto& f) { return f.name == field.name; });
      if (is_ours) samples = samples.pop(field.name, level);
    }
    samples = samples.extend_with(columns, level);
  }
  if (!is_any) throw SchemaError("no FILE at any level is a TIFF; statistics are computed from TIFF pixels");
  return samples;
}

}  // namespace

GeotiffStats::GeotiffStats(const GeotiffStatsOptions& options) : options_(options) {
  auto classes = options.class_values;
  if (options.categorical && classes.empty()) throw SchemaError("class_values required for categorical=True");
  if (!options.categorical && !classes.empty()) throw SchemaError("class_values is for categorical rasters only");
  std::sort(classes.begin(), classes.end());
  if (const auto twice = std::adjacent_find(classes.begin(), classes.end()); twice != classes.end()) {
    throw SchemaError("class_values has " + std::to_string(*twice) + " twice");
  }
  if (classes.size() == kContinuousValues) {
    log::warning("geotiff:stats of 9 classes: readers take 9 values for continuous statistics");
  }
}

std::vector<FieldDescription> GeotiffStats::schema() const {
  std::vector<FieldDescription> out = {
      {"geotiff:stats", "list<item: list<item: float>>",
       options_.categorical ? "For each band, the share of valid pixels that each class has"
                            : "For each band: min, max, mean, std, valid %, p25, p50, p75, p95 of valid pixels"}};
  if (options_.histograms) {
    out.push_back({"geotiff:histogram", "list<item: binary>", "For each band, the histogram of valid pixels"});
  }
  return out;
}

std::vector<Value> GeotiffStats::compute(const Sample& sample) const {
  return about_sample(sample.id(), [&]() -> std::vector<Value> {
    const auto raster = open_geotiff(sample, options_.fallback);
    const auto bands = compute_statistics(*raster);
    std::vector<Value> out(options_.histograms ? 2 : 1);
    if (!has_valid(bands)) {
      log::warning("sample " + in_quotes(sample.id()) + " has no valid pixels: its geotiff:stats is null");
      return out;
    }
    Value::List stats, histograms;
    if (!options_.categorical) stats = continuous(sample, *raster, bands, options_.approx);
    for (std::size_t b = 0; b < bands.size(); ++b) {
      if (options_.categorical) stats.push_back(categorical(bands[b], b + 1, options_.class_values));
      if (options_.histograms) histograms.emplace_back(bands[b].histogram.encode());
    }
    out[0] = std::move(stats);
    if (options_.histograms) out[1] = std::move(histograms);
    return out;
  });
}

std::vector<FieldDescription> Stats::schema() const {
  const char* type = "list<item: double>";
  return {{"stats:mean", type, "Mean of the valid pixels of each band"},
          {"stats:min", type, "Minimum of the valid pixels of each band"},
          {"stats:max", type, "Maximum of the valid pixels of each band"},
          {"stats:std", type, "Standard deviation of the valid pixels of each band"}};
}

std::vector<Value> Stats::compute(const Sample& sample) const {
  return about_sample(sample.id(), [&]() -> std::vector<Value> {
    Value::List mean, min, max, deviation;
    for (const auto& band : compute_statistics(*open_geotiff(sample, fallback_))) {
      const Moments& moments = band.moments;
      const bool has_any = moments.count > 0;
      mean.emplace_back(has_any ? moments.mean : kNone);
      min.emplace_back(has_any ? moments.min : kNone);
      max.emplace_back(has_any ? moments.max : kNone);
      deviation.emplace_back(moments.standard_deviation());
    }
    return {std::move(mean), std::move(min), std::move(max), std::move(deviation)};
  });
}

Tortilla with_geotiff_stats(const Tortilla& samples, const GeotiffStatsOptions& options, int jobs) {
  return with_extension(samples, GeotiffStats(options), jobs);
}

Tortilla with_stats(const Tortilla& samples, const RasterOpener* fallback, int jobs) {
  return with_extension(samples, Stats(fallback), jobs);
}

}  // namespace tacore::extensions
