#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <tacore/raster/pixel_statistics.hpp>

#include "commands.hpp"
#include "json.hpp"
#include "layout.hpp"
#include "output.hpp"

namespace tacore::cli {
namespace {

std::vector<std::string> quantile_names(const std::vector<double>& quantiles) {
  std::vector<std::string> out;
  for (const double share : quantiles) out.push_back("q" + short_number(share));
  if (out.empty()) out = {"p25", "p50", "p75", "p95"};
  return out;
}

/// Nothing is stored: an empty cell. Stored, and of no valid pixel: null.
std::string cell(double value, bool is_stored = true) {
  if (!std::isnan(value)) return short_number(value);
  return is_stored ? "null" : "";
}

bool has_quantiles(const BandSummary& band) {
  return std::any_of(band.quantiles.begin(), band.quantiles.end(), [](double value) { return !std::isnan(value); });
}

std::string as_text(const std::vector<BandSummary>& bands, const std::vector<double>& quantiles) {
  const auto any = [&](auto&& test) { return std::any_of(bands.begin(), bands.end(), test); };
  const bool is_approximate = any([](const BandSummary& band) { return band.is_approximate; });
  const bool has_error = any([](const BandSummary& band) { return !std::isnan(band.quantile_error); });
  const bool has_any = any(has_quantiles);
  std::vector<std::vector<std::string>> rows = {{"band", "mean", "std", "min", "max"}};
  for (const auto& name : quantile_names(quantiles)) rows.front().push_back((is_approximate ? "~" : "") + name);
  if (has_error) rows.front().push_back("+-");
  for (const BandSummary& band : bands) {
    auto& row = rows.emplace_back();
    row = {std::to_string(band.band), cell(band.mean), cell(band.std), cell(band.min), cell(band.max)};
    for (const double value : band.quantiles) row.push_back(cell(value, has_any));
    if (has_error) row.push_back(cell(band.quantile_error));
  }
  std::string out = aligned(rows);
  if (is_approximate) {
    out += has_error ? "~: from counts that are rounded; --compute reads the pixels for true ones\n"
                     : "~: the mean of the samples' own percentiles; --compute reads the pixels for true ones\n";
  }
  if (!has_any && !bands.empty()) out += "No percentiles are stored; --compute reads the pixels for them\n";
  return out;
}

std::string as_json(const std::vector<BandSummary>& bands, const std::vector<double>& quantiles) {
  const auto names = quantile_names(quantiles);
  std::vector<std::string> objects;
  for (const BandSummary& band : bands) {
    std::vector<JsonField> fields = {{"band", std::to_string(band.band)},
                                     {"mean", json_number(band.mean)},
                                     {"std", json_number(band.std)},
                                     {"min", json_number(band.min)},
                                     {"max", json_number(band.max)}};
    std::vector<std::string> approximate;
    for (std::size_t i = 0; i < names.size(); ++i) {
      fields.emplace_back(names[i], json_number(band.quantiles[i]));
      if (band.is_approximate) approximate.push_back(json_string(names[i]));
    }
    if (!approximate.empty()) fields.emplace_back("approximate", json_array(approximate));
    if (!std::isnan(band.quantile_error)) fields.emplace_back("quantile_error", json_number(band.quantile_error));
    objects.push_back(json_object(fields));
  }
  return json_array_lines(objects);
}

std::string classes_as_text(const std::vector<BandSummary>& bands) {
  std::vector<std::vector<std::string>> rows = {{"band"}};
  for (std::size_t i = 0; i < bands.front().classes.size(); ++i) rows.front().push_back("class " + std::to_string(i));
  for (const BandSummary& band : bands) {
    auto& row = rows.emplace_back();
    row.push_back(std::to_string(band.band));
    for (const double value : band.classes) row.push_back(cell(value));
  }
  return aligned(rows);
}

std::string classes_as_json(const std::vector<BandSummary>& bands) {
  std::vector<std::string> objects;
  for (const BandSummary& band : bands) {
    std::vector<std::string> numbers;
    for (const double value : band.classes) numbers.push_back(json_number(value));
    objects.push_back(json_object({{"band", std::to_string(band.band)}, {"probabilities", json_array(numbers)}}));
  }
  return json_array_lines(objects);
}

}  // namespace

int run_stats(const StatsCommandOptions& options) {
  if (options.compute) return run_compute_stats(options);
  const auto bands = stored_summary(
      load(options.path, {.base_path = options.base_path}),
      {.bands = options.bands, .level = options.level, .id = options.id, .child = options.child}, options.quantiles);
  if (bands.front().classes.empty()) {
    print(options.json ? as_json(bands, options.quantiles) : as_text(bands, options.quantiles));
  } else {
    print(options.json ? classes_as_json(bands) : classes_as_text(bands));
  }
  return 0;
}

}  // namespace tacore::cli
