#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "dataset/dataframe_impl.hpp"
#include "format/chunk_names.hpp"
#include "raster/linear_histogram.hpp"
#include "raster/pixel_type.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_raster.hpp"
#include "table/cells.hpp"
#include "tacore/error.hpp"
#include "tacore/v1/histograms.hpp"
#include "tortilla/container.hpp"
#include "tortilla/pointer.hpp"

namespace tacore::v1 {
namespace {

constexpr int64_t kRowsAtOnce = 1024;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

LinearHistogram linear(const BandHistogram& band) {
  LinearHistogram out(band.min, band.max);
  for (std::size_t bin = 0; bin < band.counts.size(); ++bin)
    out.add(out.edge(bin) + out.bin_width() / 2, band.counts[bin]);
  return out;
}

/// The centre of a bin.
double middle(const BandHistogram& band, std::size_t bin) {
  const double share = (static_cast<double>(bin) + 0.5) / static_cast<double>(band.counts.size());
  return band.min * (1 - share) + band.max * share;
}

/// The precomputed histograms of one file.
class HistogramFile {
 public:
  HistogramFile(const std::shared_ptr<const ByteSource>& bytes, const std::string& path, int64_t num_samples)
      : path_(path), num_samples_(num_samples), container_(open_tortilla(bytes, path)) {}

  std::vector<std::string> components() const {
    std::vector<std::string> out;
    const auto& table = *container_->stored_level(0);
    for (int64_t row = 0; row < table.num_rows(); ++row) out.push_back(table.text(table.find("id"), row).value_or(""));
    return out;
  }

  /// Adds the histograms of the samples in `rows`, ascending, of the component in row `number` to `out`.
  void add(int64_t number, const std::vector<int64_t>& rows, ComponentHistogram& out) const {
    const auto low = numbers(hist::kMin, number), high = numbers(hist::kMax, number);
    const auto raster = open(number, low.size());
    if (low.size() != high.size())
      fail(number, "has " + std::to_string(low.size()) + " minima and " + std::to_string(high.size()) +
                       " maxima; one of each for each band expected");
    if (out.bands.empty()) {
      for (std::size_t band = 0; band < low.size(); ++band)
        out.bands.push_back({low[band], high[band], std::vector<uint64_t>(LinearHistogram::kBins)});
    }
    for (std::size_t band = 0; band < low.size(); ++band) check_range(number, low[band], high[band]);
    require_same_ranges(number, low, high, out);
    out.num_samples += static_cast<int64_t>(rows.size());
    out.is_relative = out.is_relative || raster->info().type == DataType::UInt8;
    for (std::size_t i = 0; i < rows.size();) {
      std::size_t end = i + 1;
      while (end < rows.size() && rows[end] == rows[end - 1] + 1 && rows[end] - rows[i] < kRowsAtOnce) ++end;
      add_rows(number, *raster, rows[i], static_cast<int64_t>(end - i), out);
      i = end;
    }
  }

 private:
  [[noreturn]] void fail(int64_t number, const std::string& why) const {
    throw FormatError("histogram " + in_quotes(components()[static_cast<std::size_t>(number)]) + " " + why,
                      {.path = path_});
  }

  std::vector<double> numbers(const char* name, int64_t row) const {
    const auto& table = *container_->stored_level(0);
    const int column = table.find(name), group = table.group_of(row);
    auto out = column < 0 ? std::nullopt : numbers_cell(*table.array(column, group), row - table.group_begin(group));
    if (!out || out->empty()) fail(row, std::string("has no ") + name);
    return *std::move(out);
  }

  void check_range(int64_t number, double low, double high) const {
    if ((std::isnan(low) && std::isnan(high)) || (std::isfinite(low) && std::isfinite(high) && low <= high)) return;
    fail(number, "has the range " + std::to_string(low) + " to " + std::to_string(high));
  }

  void require_same_ranges(int64_t number, const std::vector<double>& low, const std::vector<double>& high,
                           const ComponentHistogram& out) const {
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    bool is_same = low.size() == out.bands.size();
    for (std::size_t band = 0; is_same && band < low.size(); ++band)
      is_same = same(low[band], out.bands[band].min) && same(high[band], out.bands[band].max);
    if (!is_same) fail(number, "has another range than in the other files; the counts cannot be added");
  }

  std::shared_ptr<const Raster> open(int64_t number, std::size_t num_bands) const {
    auto bytes = container_->open_data(container_->address(0, number));
    auto directory = read_tiff_directory(*bytes);
    if (!directory.unsupported.empty()) fail(number, "is a TIFF with " + directory.unsupported);
    const TiffLayout& layout = directory.layout;
    if (layout.width != static_cast<int64_t>(LinearHistogram::kBins) || layout.height != num_samples_ ||
        static_cast<std::size_t>(layout.bands) != num_bands || layout.type == DataType::Float32 ||
        layout.type == DataType::Float64) {
      fail(number, "is a raster of " + std::to_string(layout.width) + " x " + std::to_string(layout.height) + ", " +
                       std::to_string(layout.bands) + " bands of " + to_string(layout.type) + "; " +
                       std::to_string(LinearHistogram::kBins) + " x " + std::to_string(num_samples_) + ", " +
                       std::to_string(num_bands) + " bands of integers expected");
    }
    return make_tiff_raster(std::move(bytes), std::move(directory.layout), path_);
  }

  void add_rows(int64_t number, const Raster& raster, int64_t first, int64_t count, ComponentHistogram& out) const {
    std::vector<int> bands(out.bands.size());
    std::iota(bands.begin(), bands.end(), 1);
    Tensor pixels(raster.info().type, {raster.info().bands, count, raster.info().width});
    raster.read(bands, {0, first, raster.info().width, count}, pixels.bytes());
    const auto per_band = static_cast<std::size_t>(count) * LinearHistogram::kBins;
    with_type(raster.info().type, [&](auto zero) {
      const auto values = pixels.values<decltype(zero)>();
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] < 0) fail(number, "has a negative count");
        auto& sum = out.bands[i / per_band].counts[i % LinearHistogram::kBins];
        if (__builtin_add_overflow(sum, static_cast<uint64_t>(values[i]), &sum)) fail(number, "counts overflow");
      }
    });
    for (const BandHistogram& band : out.bands) {
      if (std::isnan(band.min) && band.count() > 0) fail(number, "counts pixels of a band without a range");
    }
  }

  std::string path_;
  int64_t num_samples_;
  std::shared_ptr<const Container> container_;
};

/// The rows of level 0 for each part of the dataset, ascending.
std::map<int, std::vector<int64_t>> rows_by_part(const DataFrame& samples) {
  const auto& frame = *impl_of(samples);
  std::map<int, std::vector<int64_t>> out;
  for (int64_t i = 0; i < samples.num_rows(); ++i) {
    const auto key = frame.rows->key(i);
    if (!key) {
      throw NavigationError("the query dropped the internal:* columns that locate the data; SELECT * keeps them",
                            {.path = frame.dataset->path});
    }
    if (key->level != 0)
      throw QueryError("histograms are of samples at level 0, found level " + std::to_string(key->level));
    out[key->part].push_back(key->row);
  }
  for (auto& [part, rows] : out) std::sort(rows.begin(), rows.end());
  return out;
}

}  // namespace

uint64_t BandHistogram::count() const { return std::accumulate(counts.begin(), counts.end(), uint64_t{0}); }

double BandHistogram::quantile(double p) const {
  if (!(p >= 0 && p <= 1)) throw QueryError("quantile " + std::to_string(p) + " is outside [0, 1]");
  return count() == 0 ? kNone : linear(*this).quantile(p);
}

double BandHistogram::mean() const {
  double sum = 0;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) sum += static_cast<double>(counts[bin]) * middle(*this, bin);
  return count() == 0 ? kNone : sum / static_cast<double>(count());
}

double BandHistogram::standard_deviation() const {
  const double center = mean();
  double sum = 0;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    const double distance = middle(*this, bin) - center;
    if (counts[bin] > 0) sum += static_cast<double>(counts[bin]) * distance * distance;
  }
  return count() == 0 ? kNone : std::sqrt(sum / static_cast<double>(count()));
}

Scale BandHistogram::scale(double low, double high) const {
  if (!(low <= high)) throw QueryError("quantiles from " + std::to_string(low) + " to " + std::to_string(high));
  const double begin = quantile(low), end = quantile(high);
  if (count() == 0) throw QueryError("a band without valid pixels has no scale");
  const double factor = end > begin ? 1 / (end - begin) : 1;
  return {.factor = factor, .offset = -begin * factor};
}

std::vector<ComponentHistogram> histograms(const DataFrame& samples) {
  std::vector<ComponentHistogram> out;
  bool is_first = true;
  for (const auto& [part, rows] : rows_by_part(samples)) {
    const auto container = impl_of(samples)->dataset->leaf(part);
    const LevelTable& level = *container->stored_level(0);
    const auto range = parse_pointer(level.key_value(kHistogram).value_or(""));
    const auto bytes = range ? bytes_of(*container, *range) : nullptr;
    std::vector<std::string> components;
    std::optional<HistogramFile> file;
    if (bytes) components = file.emplace(bytes, container->path(), level.num_rows()).components();
    if (is_first) {
      for (const auto& name : components) out.push_back({.component = name});
    }
    is_first = false;
    const auto same = [](const ComponentHistogram& a, const std::string& name) { return a.component == name; };
    if (!std::equal(out.begin(), out.end(), components.begin(), components.end(), same)) {
      throw FormatError("has histograms of other components than the files before it", {.path = container->path()});
    }
    for (std::size_t i = 0; i < out.size(); ++i) file->add(static_cast<int64_t>(i), rows, out[i]);
  }
  return out;
}

std::vector<ComponentHistogram> histograms(const Dataset& dataset) { return histograms(dataset.data()); }

}  // namespace tacore::v1
