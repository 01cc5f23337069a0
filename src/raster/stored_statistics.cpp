#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "dataset/dataframe_impl.hpp"
#include "io/vsi_path.hpp"
#include "raster/row_source.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_structure.hpp"
#include "table/statistics.hpp"
#include "table/values.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/pixel_statistics.hpp"
#include "tacore/v1/histograms.hpp"

/// Aggregates the statistics that samples store: finds the rows, and how many pixels each of them counts for.
namespace tacore {
namespace {

constexpr double kNotStored = std::numeric_limits<double>::quiet_NaN();
/// The quantiles that samples store.
constexpr double kPercentiles[] = {0.25, 0.5, 0.75, 0.95};
/// Rows whose histograms are in memory at once.
constexpr int64_t kRowsAtOnce = 256;
/// TIFFs that a thread opens in one piece of work, and threads that wait for a server.
constexpr std::size_t kTiffsAtOnce = 16;
constexpr int kRemoteJobs = 32;

/// Width times height of the TIFF of a row, from its stored index or from the TIFF itself.
double pixels_of(const DataFrame& frame, int64_t position) {
  const RowSource row = open_row(frame, position);
  TiffLayout layout;
  if (!row.header.empty()) {
    layout = layout_from_header(row.header, row.bytes->size(), row.vsi_path);
  } else if (auto directory = find_tiff_directory(*row.bytes)) {
    layout = std::move(directory->layout);
  } else {
    throw FormatError("it is not a TIFF", {.path = row.vsi_path});
  }
  return static_cast<double>(layout.width) * static_cast<double>(layout.height);
}

/// Opens the TIFFs of rows that do not say how many pixels they have. One warning counts those for which that fails.
void find_pixels(const DataFrame& frame, StoredStatistics& stored) {
  std::vector<StoredRow*> unknown;
  for (StoredRow& row : stored.rows) {
    if (std::isnan(row.pixels)) unknown.push_back(&row);
  }
  if (unknown.empty()) return;
  // Threads wait for the network, not for processors.
  const int jobs = is_remote(impl_of(frame)->dataset->path) ? kRemoteJobs : num_threads(0);
  const auto look = [&](std::size_t part) {
    std::string why;
    const std::size_t end = std::min((part + 1) * kTiffsAtOnce, unknown.size());
    for (std::size_t i = part * kTiffsAtOnce; i < end; ++i) {
      try {
        unknown[i]->pixels = pixels_of(frame, unknown[i]->row);
      } catch (const IoError& error) {
        if (!error.not_found()) throw;  // an index may be queried without its files
        if (why.empty()) why = "its file is missing";
      } catch (const Error& error) {
        if (why.empty()) why = error.message();
      }
    }
    return why;
  };
  OrderedWork<std::string> work(std::vector<uint64_t>((unknown.size() + kTiffsAtOnce - 1) / kTiffsAtOnce, 1),
                                2 * static_cast<uint64_t>(jobs), jobs, look);
  std::string why;
  while (auto failure = work.next()) {
    if (why.empty()) why = std::move(*failure);
  }
  const int64_t assumed = assume_pixels(stored);
  if (assumed == 0 || stored.rows.size() == 1) return;
  const bool all = assumed == static_cast<int64_t>(stored.rows.size());
  log::warning("statistics: the size of " + std::to_string(assumed) + " of " + std::to_string(stored.rows.size()) +
               " samples is unknown: no stac:tensor_shape, and " + why + "; " +
               (all ? "all get the same weight" : "they get the mean weight of the others"));
}

/// The stored statistics of the rows of a frame, with their weights.
StoredStatistics read_frame(const DataFrame& frame, const std::vector<int>& bands, StatisticsKind kind) {
  StoredStatistics out = read_statistics(*impl_of(frame)->rows);
  check_kind(out, bands, kind);  // before TIFFs are opened for nothing
  find_pixels(frame, out);
  return out;
}

const Value::List& items(const Value& value) {
  static const Value::List none;
  const auto* list = value.get<Value::List>();
  return list ? *list : none;
}

/// The sum of the histograms of each band; each row gets as many valid pixels as its histograms count. Empty when a row
/// has no histograms.
std::vector<Histogram> take_histograms(const Rows& rows, StoredStatistics& stored) {
  const int column = rows.find(kHistogramColumn);
  if (column < 0) return {};
  const std::size_t num_bands = stored.rows[0].bands.size();
  std::vector<Histogram> out(num_bands);
  bool all_have_one = true;
  std::size_t next = 0;
  for (int64_t begin = 0; begin < rows.num_rows(); begin += kRowsAtOnce) {
    const int64_t count = std::min(kRowsAtOnce, rows.num_rows() - begin);
    const auto cells = read_values(*rows.array(column, begin, count));
    for (; next < stored.rows.size() && stored.rows[next].row < begin + count; ++next) {
      StoredRow& row = stored.rows[next];
      const auto& histograms = items(cells[static_cast<std::size_t>(row.row - begin)]);
      const bool has_null = std::any_of(histograms.begin(), histograms.end(),
                                        [](const Value& histogram) { return !histogram.get<Binary>(); });
      if (histograms.empty() || has_null) {
        all_have_one = false;
        continue;
      }
      if (histograms.size() != num_bands) {
        throw QueryError("statistics of samples differ: " + std::to_string(num_bands) + " bands and " +
                         std::to_string(histograms.size()) + " histograms");
      }
      double most = 1;
      for (std::size_t b = 0; b < num_bands; ++b) {
        const Histogram histogram = Histogram::decode(*histograms[b].get<Binary>());
        out[b].merge(histogram);
        row.valid.push_back(static_cast<double>(histogram.count()));
        most = std::max(most, row.valid.back());
      }
      if (std::isnan(row.pixels)) row.pixels = most;
    }
  }
  if (!all_have_one) out.clear();
  return out;
}

/// Quantiles of a band from stored histograms, and how exact they are.
struct Quantiles {
  std::vector<double> values = {};
  double error = kNotStored;
  bool is_approximate = false;
};

std::vector<Quantiles> of_histograms(const std::vector<Histogram>& histograms, const std::vector<double>& shares) {
  std::vector<Quantiles> out;
  for (const Histogram& histogram : histograms) {
    auto& band = out.emplace_back(Quantiles{.error = histogram.error_bound()});
    for (const double share : shares) band.values.push_back(histogram.quantile(share));
  }
  return out;
}

/// From the histograms of a streaming TACO, of its `component` ("." where samples are rasters). Empty: it has none.
std::vector<Quantiles> of_streaming(const DataFrame& roots, const std::string& component,
                                    const std::vector<double>& shares) {
  std::vector<Quantiles> out;
  for (const auto& found : v1::histograms(roots)) {
    if (found.component != component) continue;
    for (const auto& band : found.bands) {
      const double bin_width = (band.max - band.min) / static_cast<double>(band.counts.size());
      auto& quantiles = out.emplace_back(Quantiles{.error = bin_width, .is_approximate = found.is_relative});
      for (const double share : shares) quantiles.values.push_back(band.quantile(share));
    }
  }
  return out;
}

/// For each stored band; empty when no histograms are stored and `shares` is empty, which stands for kPercentiles.
std::vector<Quantiles> quantiles_of(const std::vector<Histogram>& histograms, std::vector<double> shares,
                                    const std::string& child, const DataFrame& roots, std::size_t num_bands) {
  const bool are_percentiles = shares.empty();
  if (are_percentiles) shares.assign(std::begin(kPercentiles), std::end(kPercentiles));
  std::vector<Quantiles> out = of_histograms(histograms, shares);
  const auto& files = *impl_of(roots);
  if (out.empty() && is_v1(files.dataset->format) && roots.level() == 0 && files.rows->key(0))
    out = of_streaming(roots, child.empty() ? "." : child, shares);
  if (!out.empty() && out.size() != num_bands) {
    throw QueryError("statistics of samples differ: " + std::to_string(num_bands) + " bands and " +
                     std::to_string(out.size()) + " histograms");
  }
  if (out.empty() && !are_percentiles)
    throw QueryError(
        "the samples store no histograms, which quantiles are read from; compute them from the pixels: "
        "compute_statistics(), taco stats --compute");
  return out;
}

/// `roots` are the samples that the rows of `frame` are, or lie below.
std::vector<BandSummary> summary_of(const DataFrame& frame, const StatsOptions& options,
                                    const std::vector<double>& quantiles, const DataFrame& roots) {
  const std::vector<int>& bands = options.bands;
  StoredStatistics stored = read_statistics(*impl_of(frame)->rows);
  const StatisticsKind kind = kind_of(stored, bands);
  check_kind(stored, bands, kind);
  std::vector<BandSummary> out(bands.empty() ? stored.rows[0].bands.size() : bands.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i].band = bands.empty() ? static_cast<int>(i) + 1 : bands[i];
  if (kind == StatisticsKind::Categorical) {
    if (!quantiles.empty()) throw QueryError("classes have no quantiles");
    find_pixels(frame, stored);
    auto classes = pool_categorical(stored, bands);
    for (std::size_t i = 0; i < out.size(); ++i) out[i].classes = std::move(classes[i]);
    return out;
  }
  const std::vector<Histogram> histograms = take_histograms(*impl_of(frame)->rows, stored);
  const auto from_histograms = quantiles_of(histograms, quantiles, options.child, roots, stored.rows[0].bands.size());
  find_pixels(frame, stored);
  const auto pooled = pool_continuous(stored, bands);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const PooledBand& band = pooled[i];
    out[i].mean = band.mean;
    out[i].std = band.std;
    out[i].min = band.min;
    out[i].max = band.max;
    if (!from_histograms.empty()) {
      const Quantiles& found = from_histograms[static_cast<std::size_t>(out[i].band - 1)];
      out[i].quantiles = found.values;
      out[i].quantile_error = found.error;
      out[i].is_approximate = found.is_approximate;
    } else {
      out[i].quantiles.assign(band.percentiles.begin(), band.percentiles.end());
      out[i].is_approximate = band.num_rows > 1 && !std::isnan(band.percentiles[0]);
    }
  }
  return out;
}

/// A frame without visible columns, over rows from which statistics are read.
DataFrame frame_over(std::shared_ptr<const Dataset::Impl> dataset, std::shared_ptr<const Rows> rows) {
  auto out = std::make_shared<DataFrame::Impl>();
  out->dataset = std::move(dataset);
  out->rows = std::move(rows);
  return DataFrame(std::move(out));
}

/// The rows that `options` name.
DataFrame frame_of(const std::shared_ptr<const Dataset::Impl>& impl, const StatsOptions& options,
                   bool with_histograms = false) {
  check_no_given_rows(*impl, "statistics");
  const View& view = impl->view();
  const auto ids = options.child.empty() ? std::vector<std::string>() : split(options.child, '/');
  if (!ids.empty() && (options.level != 0 || !options.id.empty()))
    throw QueryError("child cannot be combined with level or id");
  const int level = ids.empty() ? options.level : static_cast<int>(ids.size());
  if (level != 0) check_level(level, view.num_levels(), impl->path);
  if (level > 0 && ids.empty() && options.id.empty()) throw QueryError("id is required for level > 0");
  // A query has to be run as a whole; else only the columns with statistics are read.
  if (level == 0 && has_query(view)) return frame_over(impl, impl->rows());
  const auto names = statistics_columns(stored_columns(view, level), with_histograms);
  if (names.empty()) {
    for (int below = level + 1; below < view.num_levels(); ++below) {
      if (!statistics_columns(stored_columns(view, below), false).empty())
        throw_no_statistics("; level " + std::to_string(below) +
                            " has them: name a child of each sample with the option child");
    }
    throw_no_statistics();
  }
  const View drawn = level == 0 ? view : impl->drawn_view();
  const QueryPlan plan(drawn, Dataset::Impl::describe);
  DataFrame out = frame_over(impl, Dataset::Impl::compute(ids.empty() ? plan.statistics(level, options.id, names)
                                                                      : plan.statistics(ids, names)));
  if (!ids.empty() && out.num_rows() == 0) throw QueryError("no sample has a child " + in_quotes(options.child));
  return out;
}

void check_own_rows(const StatsOptions& options) {
  if (options.level != 0 || !options.id.empty() || !options.child.empty())
    throw QueryError("a frame aggregates its own rows; level, id and child are options of a dataset");
}

double value_of(const PooledBand& band, Statistic which) {
  switch (which) {
    case Statistic::Mean: return band.mean;
    case Statistic::Std: return band.std;
    case Statistic::Min: return band.min;
    case Statistic::Max: return band.max;
    case Statistic::P25: return band.percentiles[0];
    case Statistic::P50: return band.percentiles[1];
    case Statistic::P75: return band.percentiles[2];
    case Statistic::P95: return band.percentiles[3];
  }
  return kNotStored;
}

std::vector<double> one_statistic(const DataFrame& frame, Statistic which, const std::vector<int>& bands) {
  std::vector<double> out;
  for (const PooledBand& band : pool_continuous(read_frame(frame, bands, StatisticsKind::Continuous), bands))
    out.push_back(value_of(band, which));
  return out;
}

std::vector<std::vector<double>> class_shares(const DataFrame& frame, const std::vector<int>& bands) {
  return pool_categorical(read_frame(frame, bands, StatisticsKind::Categorical), bands);
}

}  // namespace

std::vector<double> Dataset::stats(Statistic which, const StatsOptions& options) const {
  return one_statistic(frame_of(impl_, options), which, options.bands);
}

std::vector<std::vector<double>> Dataset::stats_categorical(const StatsOptions& options) const {
  return class_shares(frame_of(impl_, options), options.bands);
}

std::vector<double> DataFrame::stats(Statistic which, const StatsOptions& options) const {
  check_own_rows(options);
  return one_statistic(*this, which, options.bands);
}

std::vector<std::vector<double>> DataFrame::stats_categorical(const StatsOptions& options) const {
  check_own_rows(options);
  return class_shares(*this, options.bands);
}

std::vector<BandSummary> stored_summary(const Dataset& dataset, const StatsOptions& options,
                                        const std::vector<double>& quantiles) {
  const DataFrame frame = frame_of(impl_of(dataset), options, true);
  return summary_of(frame, options, quantiles, options.child.empty() ? frame : dataset.data());
}

std::vector<BandSummary> stored_summary(const DataFrame& frame, const StatsOptions& options,
                                        const std::vector<double>& quantiles) {
  check_own_rows(options);
  return summary_of(frame, options, quantiles, frame);
}

std::vector<BandStatistics> stored_statistics(const DataFrame& frame) {
  StoredStatistics stored = read_statistics(*impl_of(frame)->rows);
  check_kind(stored, {}, StatisticsKind::Continuous);
  const Rows& rows = *impl_of(frame)->rows;
  std::vector<Histogram> histograms = take_histograms(rows, stored);
  find_pixels(frame, stored);
  double num_pixels = 0;
  for (const StoredRow& row : stored.rows) num_pixels += row.pixels;
  std::vector<BandStatistics> out;
  for (const PooledBand& band : pool_continuous(stored, {})) {
    const double count = std::isnan(band.std) ? 0 : band.num_valid;
    out.push_back({.num_pixels = static_cast<uint64_t>(std::llround(num_pixels))});
    if (count > 0) {
      out.back().moments = {.count = static_cast<uint64_t>(std::llround(count)),
                            .min = band.min,
                            .max = band.max,
                            .mean = band.mean,
                            .sum_of_squares = band.std * band.std * count};
    }
    if (!histograms.empty()) out.back().histogram = std::move(histograms[out.size() - 1]);
  }
  return out;
}

}  // namespace tacore
