#include <algorithm>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "dataset/dataframe_impl.hpp"
#include "dataset/navigation.hpp"
#include "raster/about_sample.hpp"
#include "raster/band_counter.hpp"
#include "raster/pixel_passes.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/pixel_statistics.hpp"

namespace tacore {
namespace {

std::string name_of(const DataFrame& frame, int64_t position) {
  const auto& columns = frame.columns();
  const bool has_id = std::any_of(columns.begin(), columns.end(), [](const Column& c) { return c.name == "id"; });
  return has_id ? frame.text(position, "id").value_or("") : "#" + std::to_string(position);
}

std::shared_ptr<const Raster> open_child(const DataFrame& frame, int64_t position, const ComputeOptions& options) {
  if (options.child.empty()) return open_raster(frame, position, options.fallback);
  const auto [children, row] = locate_below(frame, position, split(options.child, '/'));
  return open_raster(children, row, options.fallback);
}

/// Counts the pixels of consecutive samples.
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
    for_each_piece(raster, bands, [&](std::size_t b, auto pixels) { counters_[b]->add(pixels); });
    ++num_samples_;
  }

  FrameStatistics finish() {
    for (std::size_t b = 0; b < counters_.size(); ++b) total_[b].merge(counters_[b]->finish());
    return {.bands = std::move(total_), .num_samples = num_samples_};
  }

 private:
  /// One set of counters serves all samples of one type and one no-data value.
  void use_counters(DataType type, std::optional<double> nodata) {
    const bool fits = !counters_.empty() && type == type_ && nodata == nodata_;
    if (fits) return;
    for (std::size_t b = 0; b < counters_.size(); ++b) total_[b].merge(counters_[b]->finish());
    counters_.clear();
    for (std::size_t b = 0; b < total_.size(); ++b) counters_.push_back(make_band_counter(type, nodata));
    type_ = type;
    nodata_ = nodata;
  }

  const std::vector<int>& bands_;
  std::vector<BandStatistics> total_ = {};
  std::vector<std::unique_ptr<BandCounter>> counters_ = {};
  DataType type_ = {};
  std::optional<double> nodata_ = {};
  int64_t num_samples_ = 0;
};

/// Counts rows [begin, end). The counts must not include a sample that fails half way: the others are then counted
/// again.
FrameStatistics count_rows(const DataFrame& frame, int64_t begin, int64_t end, const ComputeOptions& options) {
  std::vector<SampleFailure> failures;
  std::set<int64_t> bad;
  for (;;) {
    SampleCounter counter(options.bands);
    const auto failed = [&](int64_t row) {
      try {
        about_sample(name_of(frame, row), [&] { counter.add(*open_child(frame, row, options)); });
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
      FrameStatistics out = counter.finish();
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
  if (all.bands.size() != part.bands.size()) {
    throw QueryError("samples differ in their number of bands: " + std::to_string(all.bands.size()) + " and " +
                     std::to_string(part.bands.size()) + "; choose bands that all have");
  }
  for (std::size_t b = 0; b < all.bands.size(); ++b) all.bands[b].merge(part.bands[b]);
}

}  // namespace

int64_t part_rows(int64_t num_rows) noexcept { return std::clamp<int64_t>(num_rows / 1024, 1, 32); }

FrameStatistics compute_statistics(const DataFrame& frame, const ComputeOptions& options) {
  const int64_t num_rows = frame.num_rows();
  if (num_rows == 0) throw QueryError("there are no samples to compute statistics of");
  // The division into parts does not depend on the number of threads, so neither does rounding.
  const int64_t part_rows = options.part_rows > 0 ? options.part_rows : tacore::part_rows(num_rows);
  const auto num_parts = static_cast<std::size_t>((num_rows + part_rows - 1) / part_rows);
  const int jobs = num_threads(options.task.jobs);
  const auto begin_of = [&](std::size_t part) { return std::min(static_cast<int64_t>(part) * part_rows, num_rows); };
  OrderedWork<FrameStatistics> work(
      std::vector<uint64_t>(num_parts, 1), 2 * static_cast<uint64_t>(jobs), jobs,
      [&](std::size_t part) { return count_rows(frame, begin_of(part), begin_of(part + 1), options); });
  FrameStatistics out;
  for (std::size_t part = 0; auto counted = work.next(); ++part) {
    merge(out, std::move(*counted));
    const auto num_done = static_cast<uint64_t>(begin_of(part + 1));
    if (options.task.progress && !options.task.progress(num_done, static_cast<uint64_t>(num_rows), options.task.user)) {
      throw IoError("statistics were stopped");
    }
  }
  return out;
}

}  // namespace tacore
