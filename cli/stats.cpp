#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <tacore/dataset.hpp>

#include "commands.hpp"
#include "json.hpp"
#include "layout.hpp"
#include "output.hpp"

namespace tacore::cli {
namespace {

/// One line for each band: its number and its values.
struct BandTable {
  std::vector<std::string> names = {};  ///< of the values; empty for class probabilities
  std::vector<std::vector<double>> bands = {};
};

struct Request {
  Dataset dataset;
  std::vector<int> bands = {};  ///< none: every band
  StatsOptions of = {};
};

/// The statistics of a dataset are of one kind; which one is known when the other is refused.
bool is_categorical(const Request& request) {
  try {
    request.dataset.stats_mean({}, request.of);
    return false;
  } catch (const QueryError&) {}
  try {
    request.dataset.stats_categorical({}, request.of);
    return true;
  } catch (const QueryError&) {
    return false;  // neither: stats_mean() will say why
  }
}

BandTable continuous(const Request& request) {
  const auto& [dataset, bands, of] = request;
  const std::vector<std::vector<double>> by_statistic = {dataset.stats_mean(bands, of), dataset.stats_std(bands, of),
                                                         dataset.stats_min(bands, of),  dataset.stats_max(bands, of),
                                                         dataset.stats_p25(bands, of),  dataset.stats_p50(bands, of),
                                                         dataset.stats_p75(bands, of),  dataset.stats_p95(bands, of)};
  BandTable out{.names = {"mean", "std", "min", "max", "p25", "p50", "p75", "p95"}};
  for (std::size_t band = 0; band < by_statistic.front().size(); ++band) {
    auto& values = out.bands.emplace_back();
    for (const auto& statistic : by_statistic) values.push_back(statistic.at(band));
  }
  return out;
}

int band_number(const Request& request, std::size_t line) {
  return request.bands.empty() ? static_cast<int>(line) : request.bands[line];
}

std::string cell(double value) {
  if (std::isnan(value)) return "null";
  char out[32];
  std::snprintf(out, sizeof out, "%.6g", value);
  return out;
}

std::string as_text(const BandTable& table, const Request& request) {
  std::vector<std::vector<std::string>> rows = {{"band"}};
  auto& header = rows.front();
  header.insert(header.end(), table.names.begin(), table.names.end());
  if (table.names.empty() && !table.bands.empty()) {
    for (std::size_t i = 0; i < table.bands.front().size(); ++i) {
      header.push_back("class " + std::to_string(i));
    }
  }
  for (const auto& values : table.bands) {
    auto& row = rows.emplace_back();
    row.push_back(std::to_string(band_number(request, rows.size() - 2)));
    for (const double value : values) row.push_back(cell(value));
  }
  return aligned(rows);
}

std::string as_json(const BandTable& table, const Request& request) {
  std::vector<std::string> objects;
  for (const auto& values : table.bands) {
    std::vector<std::string> numbers;
    for (const double value : values) numbers.push_back(json_number(value));
    std::vector<JsonField> fields = {{"band", std::to_string(band_number(request, objects.size()))}};
    if (table.names.empty()) fields.emplace_back("probabilities", json_array(numbers));
    for (std::size_t i = 0; i < table.names.size(); ++i) {
      fields.emplace_back(table.names[i], numbers[i]);
    }
    objects.push_back(json_object(fields));
  }
  return json_array_lines(objects);
}

}  // namespace

int run_stats(const StatsCommandOptions& options) {
  if (options.compute) return run_compute_stats(options);
  Request request{.dataset = load(options.path, {.base_path = options.base_path}),
                  .of = {.level = options.level, .id = options.id}};
  const bool categorical = is_categorical(request);
  if (options.band) request.bands = {*options.band};
  const BandTable table = categorical ? BandTable{.bands = request.dataset.stats_categorical(request.bands, request.of)}
                                      : continuous(request);
  print(options.json ? as_json(table, request) : as_text(table, request));
  return 0;
}

}  // namespace tacore::cli
