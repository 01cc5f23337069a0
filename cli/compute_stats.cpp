#include <cmath>
#include <string>
#include <vector>

#include <tacore/error.hpp>
#include <tacore/raster/pixel_statistics.hpp>

#include "commands.hpp"
#include "json.hpp"
#include "layout.hpp"
#include "loaded_library.hpp"
#include "output.hpp"
#include "progress_bar.hpp"

namespace tacore::cli {
namespace {

DataFrame samples_of(const StatsCommandOptions& options) {
  const DataFrame roots = load(options.path, {.base_path = options.base_path, .verify = options.verify}).data();
  if (options.level == 0) return roots;
  if (options.id.empty()) throw QueryError("id is required for level > 0");
  const Node node = roots.read(options.id);
  const auto* children = std::get_if<DataFrame>(&node);
  if (!children) throw NavigationError("'" + options.id + "' is a FILE; it has no children");
  if (children->level() != options.level) {
    throw UsageError("--level " + std::to_string(options.level) + ": the children of '" + options.id +
                     "' are at level " + std::to_string(children->level()) + "; --id has ids from the root down: a/b");
  }
  return *children;
}

bool show(uint64_t num_done, uint64_t num_samples, void* bar) {
  static_cast<ProgressBar*>(bar)->show(num_done, num_samples);
  return true;
}

FrameStatistics compute(const StatsCommandOptions& options) {
  ProgressBar bar("samples");
  ComputeOptions how{.bands = options.bands,
                     .child = options.child,
                     .jobs = options.jobs,
                     .skip_failures = options.skip_bad,
                     .fallback = raster_opener(),
                     .progress = show,
                     .user = &bar};
  return compute_statistics(samples_of(options), how);
}

/// A statistic of a band, under its name in the table and in JSON.
struct Named {
  std::string name, json_name;
  double value = 0;
};

std::vector<Named> statistics_of(const BandStatistics& band, const std::vector<double>& quantiles) {
  const Moments& moments = band.moments;
  const Histogram& histogram = band.histogram;
  const double mean = moments.count > 0 ? moments.mean : std::nan("");
  std::vector<Named> out = {{"mean", "mean", mean},
                            {"std", "std", moments.standard_deviation()},
                            {"min", "min", histogram.min()},
                            {"max", "max", histogram.max()}};
  for (const int percent : {25, 50, 75, 95}) {
    const std::string name = "p" + std::to_string(percent);
    if (quantiles.empty()) out.push_back({name, name, histogram.quantile(percent / 100.0)});
  }
  for (const double p : quantiles) {
    const std::string name = "q" + short_number(p);
    out.push_back({name, name, histogram.quantile(p)});
  }
  out.push_back({"+-", "quantile_error", histogram.error_bound()});
  out.push_back({"valid %", "valid_percent", band.valid_percent()});
  return out;
}

/// A band, counted from 1, and its statistics.
struct Band {
  int number = 1;
  std::vector<Named> statistics = {};
};

std::string as_text(const std::vector<Band>& bands) {
  std::vector<std::vector<std::string>> rows = {{"band"}};
  for (const Named& statistic : bands.front().statistics) rows.front().push_back(statistic.name);
  for (const Band& band : bands) {
    auto& row = rows.emplace_back();
    row.push_back(std::to_string(band.number));
    for (const Named& statistic : band.statistics)
      row.push_back(std::isnan(statistic.value) ? "null" : short_number(statistic.value));
  }
  return aligned(rows);
}

std::string as_json(const std::vector<Band>& bands) {
  std::vector<std::string> objects;
  for (const Band& band : bands) {
    std::vector<JsonField> fields = {{"band", std::to_string(band.number)}};
    for (const Named& statistic : band.statistics)
      fields.emplace_back(statistic.json_name, json_number(statistic.value));
    objects.push_back(json_object(fields));
  }
  return json_array_lines(objects);
}

}  // namespace

int run_compute_stats(const StatsCommandOptions& options) {
  const FrameStatistics found = compute(options);
  for (const auto& failure : found.failures) complain(failure.message);
  if (found.num_samples == 0) throw QueryError("no sample could be read");
  std::vector<Band> bands;
  for (std::size_t i = 0; i < found.bands.size(); ++i) {
    const int number = options.bands.empty() ? static_cast<int>(i) + 1 : options.bands[i];
    bands.push_back({number, statistics_of(found.bands[i], options.quantiles)});
  }
  print(options.json ? as_json(bands) : as_text(bands));
  return found.failures.empty() ? 0 : 1;
}

}  // namespace tacore::cli
