#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "container/zip_samples.hpp"
#include "dataset/dataframe_impl.hpp"
#include "io/coalesce.hpp"
#include "raster/about_sample.hpp"
#include "raster/band_counter.hpp"
#include "raster/pixel_passes.hpp"
#include "raster/row_source.hpp"
#include "raster/tiff_raster.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/pixel_statistics.hpp"

namespace tacore {
namespace {

std::string name_of(const DataFrame& frame, int64_t position) {
  const auto& columns = frame.columns();
  const bool has_id = std::any_of(columns.begin(), columns.end(), [](const Column& c) { return c.name == "id"; });
  return has_id ? frame.text(position, "id").value_or("") : "#" + std::to_string(position);
}

/// Opens the rasters of rows [begin, end), one after the other. Small TIFFs in a ZIP on a server are requested whole
/// and together, since all of their pixels are needed.
class RowRasters {
 public:
  /// `may_fetch` becomes false, for all who share it, with the first raster that is local, or no TIFF: another library
  /// has to open it by itself.
  RowRasters(const DataFrame& frame, int64_t end, const ComputeOptions& options, std::atomic<bool>& may_fetch)
      : frame_(frame),
        end_(end),
        options_(options),
        may_fetch_(may_fetch),
        child_(options.child.empty() ? std::vector<std::string>() : split(options.child, '/')) {}

  std::shared_ptr<const Raster> open(int64_t row) {
    if (may_fetch_ && row >= first_ + std::ssize(fetched_)) fetch(row);
    if (row < first_ || row >= first_ + std::ssize(fetched_))
      return again_if_moved([&] { return open_raster(open_row(frame_, row, child_), options_.fallback); });
    auto out = open_raster(fetched_[static_cast<std::size_t>(row - first_)], options_.fallback);
    if (!is_tiff_raster(*out)) may_fetch_ = false;
    return out;
  }

 private:
  /// Requests the rasters of `row` and of the rows after it. Throws when the raster of `row` cannot be found. A later
  /// raster that cannot be found ends the request: open() throws when its row is reached.
  void fetch(int64_t row) {
    first_ = row;
    fetched_.clear();
    std::vector<RowSource> wanted;
    const uint64_t most = options_.bands.empty() ? kMostFetched : kRemoteCoalesceGap;
    uint64_t size = 0;
    for (int64_t at = row; at < end_ && wanted.size() < kMostRanges; ++at) {
      RowSource source;
      try {
        source = again_if_moved([&] { return open_row(frame_, at, child_); });
      } catch (const Error&) {
        if (at == row) throw;
        break;
      }
      if (source.container->is_local()) may_fetch_ = false;
      if (!may_fetch_ || !source.address.offset || source.bytes->size() > most) break;
      if (at > row && size + source.bytes->size() > kFetchSize) break;
      size += source.bytes->size();
      wanted.push_back(std::move(source));
    }
    try {
      fetch_together(wanted);
      fetched_ = std::move(wanted);
    } catch (const Error&) {
      // Each is then read by itself, and the error names the sample.
    }
  }

  const DataFrame& frame_;
  const int64_t end_;
  const ComputeOptions& options_;
  std::atomic<bool>& may_fetch_;
  const std::vector<std::string> child_;
  int64_t first_ = 0;  ///< the row of the first that was fetched
  std::vector<RowSource> fetched_ = {};
};

/// Counts the pixels of consecutive samples. Its memory serves for the samples of one part after those of another.
class SampleCounter {
 public:
  explicit SampleCounter(const std::vector<int>& bands) : bands_(bands) {}

  void add(const Raster& raster) {
    const RasterInfo& info = raster.info();
    std::vector<int> bands = bands_;
    for (int band = 1; bands_.empty() && band <= info.bands; ++band) bands.push_back(band);
    if (!total_.empty() && total_.size() != bands.size()) {
      throw QueryError("has " + std::to_string(bands.size()) + " bands, samples before it " +
                       std::to_string(total_.size()) + "; choose bands that all have");
    }
    total_.resize(bands.size());
    use_counters(info.type, raster.nodata());
    for_each_piece(raster, bands, pixels_, [&](std::size_t b, auto pixels) { counters_[b]->add(pixels); });
    ++num_samples_;
  }

  /// The statistics of the samples since it was made or finish() was last called.
  FrameStatistics finish() {
    for (std::size_t b = 0; b < total_.size(); ++b) total_[b].merge(counters_[b]->finish());
    return {.bands = std::exchange(total_, {}), .num_samples = std::exchange(num_samples_, 0)};
  }

 private:
  /// One set of counters serves all samples of one type and one no-data value.
  void use_counters(DataType type, std::optional<double> nodata) {
    if (type != type_ || nodata != nodata_) {
      for (std::size_t b = 0; num_samples_ > 0 && b < total_.size(); ++b) total_[b].merge(counters_[b]->finish());
      counters_.clear();
      type_ = type;
      nodata_ = nodata;
    }
    while (counters_.size() < total_.size()) counters_.push_back(make_band_counter(type, nodata));
  }

  const std::vector<int>& bands_;
  std::vector<BandStatistics> total_ = {};
  std::vector<std::unique_ptr<BandCounter>> counters_ = {};  ///< at least as many as bands
  std::vector<std::byte> pixels_ = {};
  DataType type_ = {};
  std::optional<double> nodata_ = {};
  int64_t num_samples_ = 0;
};

/// The counters of threads that count one part after another.
class Counters {
 public:
  explicit Counters(const std::vector<int>& bands) : bands_(bands) {}

  std::unique_ptr<SampleCounter> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<SampleCounter>(bands_);
    auto out = std::move(free_.back());
    free_.pop_back();
    return out;
  }
  void give_back(std::unique_ptr<SampleCounter> counter) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(counter));
  }

 private:
  const std::vector<int>& bands_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SampleCounter>> free_ = {};
};

/// Counts rows [begin, end). The counts must not include a sample that fails half way: the others are then counted
/// again.
FrameStatistics count_rows(const DataFrame& frame, int64_t begin, int64_t end, const ComputeOptions& options,
                           Counters& counters, std::atomic<bool>& may_fetch) {
  std::vector<SampleFailure> failures;
  std::set<int64_t> bad;
  for (;;) {
    auto counter = counters.take();
    RowRasters rasters(frame, end, options, may_fetch);
    const auto failed = [&](int64_t row) {
      try {
        about_sample(name_of(frame, row), [&] { counter->add(*rasters.open(row)); });
        return false;
      } catch (const Error& error) {
        if (options.on_error == OnError::Throw) throw;
        failures.push_back({row, error.what()});
        return true;
      }
    };
    int64_t row = begin;
    while (row < end && (bad.contains(row) || !failed(row))) ++row;
    if (row == end) {
      FrameStatistics out = counter->finish();
      counters.give_back(std::move(counter));
      std::sort(failures.begin(), failures.end(), [](const auto& a, const auto& b) { return a.position < b.position; });
      out.failures = std::move(failures);
      return out;
    }
    bad.insert(row);
  }
}

void merge(FrameStatistics& all, FrameStatistics part) {
  all.num_samples += part.num_samples;
  std::move(part.failures.begin(), part.failures.end(), std::back_inserter(all.failures));
  if (part.num_samples == 0) return;
  if (all.bands.empty()) all.bands.resize(part.bands.size());
  for (std::size_t b = 0; b < all.bands.size(); ++b) all.bands[b].merge(part.bands[b]);
}

/// Calls `take` with the statistics of each part, in order.
void for_each_part(const DataFrame& frame, const ComputeOptions& options,
                   const std::function<void(FrameStatistics part)>& take) {
  const int64_t num_rows = frame.num_rows();
  if (num_rows == 0) throw QueryError("there are no samples to compute statistics of");
  // The division into parts does not depend on the number of threads, so neither does rounding.
  const int64_t part_rows = options.part_rows > 0 ? options.part_rows : tacore::part_rows(num_rows);
  const auto num_parts = static_cast<std::size_t>((num_rows + part_rows - 1) / part_rows);
  const int jobs = num_threads(options.task.jobs);
  const auto begin_of = [&](std::size_t part) { return std::min(static_cast<int64_t>(part) * part_rows, num_rows); };
  Counters counters(options.bands);
  std::atomic<bool> may_fetch = true;
  OrderedWork<FrameStatistics> work(
      std::vector<uint64_t>(num_parts, 1), 2 * static_cast<uint64_t>(jobs), jobs, [&](std::size_t part) {
        return count_rows(frame, begin_of(part), begin_of(part + 1), options, counters, may_fetch);
      });
  std::size_t num_bands = 0;
  for (std::size_t part = 0; auto counted = work.next(); ++part) {
    if (counted->num_samples > 0 && num_bands > 0 && counted->bands.size() != num_bands) {
      throw QueryError("samples differ in their number of bands: " + std::to_string(num_bands) + " and " +
                       std::to_string(counted->bands.size()) + "; choose bands that all have");
    }
    if (counted->num_samples > 0) num_bands = counted->bands.size();
    take(std::move(*counted));
    const auto num_done = static_cast<uint64_t>(begin_of(part + 1));
    if (options.task.progress && !options.task.progress(num_done, static_cast<uint64_t>(num_rows), options.task.user)) {
      throw IoError("statistics were stopped");
    }
  }
}

}  // namespace

int64_t part_rows(int64_t num_rows) noexcept { return std::clamp<int64_t>(num_rows / 1024, 1, 32); }

FrameStatistics compute_statistics(const DataFrame& frame, const ComputeOptions& options) {
  FrameStatistics out;
  for_each_part(frame, options, [&](FrameStatistics part) { merge(out, std::move(part)); });
  return out;
}

PartialStatistics compute_partial_statistics(const DataFrame& frame, const ComputeOptions& options) {
  PartialStatistics out;
  for_each_part(frame, options, [&](FrameStatistics part) {
    out.num_samples += part.num_samples;
    std::ranges::move(part.failures, std::back_inserter(out.failures));
    if (part.num_samples == 0) return;
    out.histograms.resize(part.bands.size());
    for (std::size_t b = 0; b < part.bands.size(); ++b)
      out.histograms[b].merge(std::exchange(part.bands[b].histogram, Histogram()));
    out.parts.push_back(std::move(part.bands));
  });
  return out;
}

}  // namespace tacore
