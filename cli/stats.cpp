#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
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

/// A line of the table.
struct Line {
  BandSummary band = {};
  double valid_percent = std::nan("");  ///< of computed statistics only
};

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

std::string as_text(const std::vector<Line>& lines, const StatsCommandOptions& options) {
  const auto any = [&](auto&& test) {
    return std::any_of(lines.begin(), lines.end(), [&](const Line& line) { return test(line.band); });
  };
  const bool is_approximate = any([](const BandSummary& band) { return band.is_approximate; });
  // An exact quantile has the error bound 0; stored quantiles have none.
  const bool has_bound = any([](const BandSummary& band) { return !std::isnan(band.quantile_error); });
  const bool has_error = any([](const BandSummary& band) { return band.quantile_error > 0; });
  const bool has_any = options.compute || any(has_quantiles);
  std::vector<std::vector<std::string>> rows = {{"band", "mean", "std", "min", "max"}};
  for (const auto& name : quantile_names(options.quantiles)) rows[0].push_back((is_approximate ? "~" : "") + name);
  if (has_error) rows[0].push_back("max. error of quantiles");
  if (options.compute) rows[0].push_back("valid %");
  for (const auto& [band, valid_percent] : lines) {
    auto& row = rows.emplace_back();
    row = {std::to_string(band.band), cell(band.mean), cell(band.std), cell(band.min), cell(band.max)};
    for (const double value : band.quantiles) row.push_back(cell(value, has_any));
    if (has_error) row.push_back(cell(band.quantile_error));
    if (options.compute) row.push_back(cell(valid_percent));
  }
  std::string out = aligned(rows);
  if (is_approximate) {
    out += has_bound ? "~: approximate, from rounded counts; --compute reads the pixels for exact quantiles\n"
                     : "~: approximate, the mean of the percentiles of the samples; --compute reads the pixels for "
                       "exact quantiles\n";
  }
  if (!has_any) out += "No percentiles are stored; --compute computes them from the pixels\n";
  return out;
}

std::string as_json(const std::vector<Line>& lines, const StatsCommandOptions& options) {
  const auto names = quantile_names(options.quantiles);
  std::vector<std::string> objects;
  for (const auto& [band, valid_percent] : lines) {
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
    if (options.compute) fields.emplace_back("valid_percent", json_number(valid_percent));
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

DataFrame samples_of(const StatsCommandOptions& options) {
  const DataFrame roots = load(options.path, options.load).data();
  if (options.stats.level == 0) return roots;
  if (options.stats.id.empty()) throw QueryError("id is required for level > 0");
  const Node node = roots.read(options.stats.id);
  const auto* children = std::get_if<DataFrame>(&node);
  if (!children) throw NavigationError("'" + options.stats.id + "' is a FILE; it has no children");
  if (children->level() != options.stats.level) {
    throw UsageError("--level " + std::to_string(options.stats.level) + ": the children of '" + options.stats.id +
                     "' are at level " + std::to_string(children->level()) + "; --id has ids from the root down: a/b");
  }
  return *children;
}

bool show(uint64_t num_done, uint64_t num_samples, void* bar) {
  static_cast<ProgressBar*>(bar)->show(num_done, num_samples);
  return true;
}

FrameStatistics computed(const StatsCommandOptions& options) {
  ProgressBar bar("samples");
  ComputeOptions how{.task = {.jobs = options.task.jobs, .progress = show, .user = &bar},
                     .bands = options.stats.bands,
                     .child = options.stats.child,
                     .on_error = options.on_error,
                     .fallback = raster_opener()};
  return compute_statistics(samples_of(options), how);
}

Line line_of(const BandStatistics& band, int number, std::vector<double> shares) {
  if (shares.empty()) shares = {0.25, 0.5, 0.75, 0.95};
  const Histogram& histogram = band.histogram;
  Line out{.band = {.band = number,
                    .mean = band.moments.count > 0 ? band.moments.mean : std::nan(""),
                    .std = band.moments.standard_deviation(),
                    .min = histogram.min(),
                    .max = histogram.max(),
                    .quantile_error = histogram.error_bound()},
           .valid_percent = band.valid_percent()};
  for (const double share : shares) out.band.quantiles.push_back(histogram.quantile(share));
  return out;
}

/// "; try --child NAME" when the samples are FOLDERs with a FILE, else nothing.
std::string child_hint(const StatsCommandOptions& options) {
  const PitSchema tree = load(options.path, options.load).pit_schema();
  const auto level = tree.hierarchy.find(1);
  if (tree.root_type == SampleType::File || level == tree.hierarchy.end() || level->second.empty()) return "";
  const PitPattern& children = level->second.front();
  for (std::size_t i = 0; i < children.id.size(); ++i) {
    if (children.type[i] == SampleType::File) return "; try --child " + children.id[i];
  }
  return "";
}

int show_stats(const StatsCommandOptions& options) {
  std::vector<Line> lines;
  int exit_code = 0;
  if (options.compute) {
    const FrameStatistics found = computed(options);
    for (const auto& failure : found.failures) complain(failure.message);
    if (found.num_samples == 0) throw QueryError("no sample could be read");
    for (std::size_t i = 0; i < found.bands.size(); ++i) {
      const int number = options.stats.bands.empty() ? static_cast<int>(i) + 1 : options.stats.bands[i];
      lines.push_back(line_of(found.bands[i], number, options.quantiles));
    }
    exit_code = found.failures.empty() ? 0 : 1;
  } else {
    auto bands = stored_summary(load(options.path, options.load), options.stats, options.quantiles);
    if (!bands.front().classes.empty()) {
      print(options.json ? classes_as_json(bands) : classes_as_text(bands));
      return 0;
    }
    for (auto& band : bands) lines.push_back({.band = std::move(band)});
  }
  print(options.json ? as_json(lines, options) : as_text(lines, options));
  return exit_code;
}

}  // namespace

int run_stats(const StatsCommandOptions& options) {
  try {
    return show_stats(options);
  } catch (const Error& error) {
    const bool is_of_rows = dynamic_cast<const QueryError*>(&error) || dynamic_cast<const NavigationError*>(&error);
    if (!is_of_rows || !options.stats.child.empty() || options.stats.level != 0) throw;
    throw QueryError(error.message() + child_hint(options), error.context());
  }
}

}  // namespace tacore::cli
