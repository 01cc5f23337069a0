#include "tacore/raster/pixel_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "raster/band_counter.hpp"
#include "raster/binary_number.hpp"
#include "raster/pixel_passes.hpp"
#include "raster/quantile_rule.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// The size of a read, unless blocks are larger.
constexpr int64_t kMaxBytes = 16 << 20;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A piece of the raster that consists of whole blocks.
struct PixelStep {
  int64_t width = 0, height = 0;
};

PixelStep step_of(const RasterInfo& info, std::size_t num_bands) {
  const int64_t pixel = static_cast<int64_t>(size_of(info.type) * std::max<std::size_t>(num_bands, 1));
  const int64_t pixels = std::max<int64_t>(kMaxBytes / pixel, 1);
  const int64_t block_width = std::clamp<int64_t>(info.block_width, 1, info.width);
  const int64_t block_height = std::clamp<int64_t>(info.block_height, 1, info.height);
  const auto in_blocks = [](int64_t most, int64_t block, int64_t all) {
    return std::min(std::max<int64_t>(most / block, 1) * block, all);
  };
  const int64_t width = in_blocks(pixels / block_height, block_width, info.width);
  return {width, in_blocks(pixels / width, block_height, info.height)};
}

/// Finds the numbers at some ranks of all valid pixels, in bins that get narrower from pass to pass until each holds
/// one number. It keeps a histogram for each searched bin instead of the numbers.
class PositionSearch {
 public:
  PositionSearch(const Histogram& all, const std::vector<uint64_t>& positions) {
    for (const uint64_t position : positions) found_.emplace(position, Found{.place = position});
    for (auto& [position, found] : found_) narrow(found, all);
  }

  bool is_done() const {
    return std::all_of(found_.begin(), found_.end(), [](const auto& f) { return f.second.is_exact(); });
  }

  /// Begins a pass over all values.
  void begin_pass() {
    inside_.clear();
    for (const auto& [position, found] : found_) {
      if (!found.is_exact()) inside_[{found.exponent, binary::order(found.bin)}];
    }
  }
  void add(std::span<const Histogram::Bin> values) {
    for (auto& [bin, histogram] : inside_) {
      const auto& [exponent, order] = bin;
      const auto before = [e = exponent](const Histogram::Bin& v, uint64_t o) {
        return binary::order(binary::truncated(v.value, e)) < o;
      };
      const auto begin = std::lower_bound(values.begin(), values.end(), order, before);
      const auto end = std::lower_bound(begin, values.end(), order + 1, before);
      histogram.add({begin, end});
    }
  }
  void end_pass() {
    for (auto& [position, found] : found_) {
      if (!found.is_exact()) narrow(found, inside_.at({found.exponent, binary::order(found.bin)}));
    }
  }

  double number_at(uint64_t position) const { return found_.at(position).bin; }

 private:
  static constexpr int kExact = std::numeric_limits<int>::min();

  /// The bin that holds a rank.
  struct Found {
    uint64_t place = 0;  ///< the rank, counted from the first number in the bin
    double bin = 0;
    int exponent = 0;  ///< the width of the bin is 2^exponent
    bool is_exact() const { return exponent == kExact; }
  };

  static void narrow(Found& found, const Histogram& histogram) {
    for (const auto& bin : histogram.bins()) {
      if (found.place < bin.count) {
        found.bin = bin.value;
        found.exponent = histogram.bin_width() == 0 ? kExact : std::ilogb(histogram.bin_width());
        return;
      }
      found.place -= bin.count;
    }
    throw IoError("pixels changed while their quantiles were computed");
  }

  std::map<uint64_t, Found> found_ = {};
  std::map<std::pair<int, uint64_t>, Histogram> inside_ = {};
};

std::vector<int> chosen_bands(const RasterInfo& info, const std::vector<int>& bands) {
  if (!bands.empty()) return bands;
  std::vector<int> all(static_cast<std::size_t>(info.bands));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

void read_pieces(const Raster& raster, const std::vector<int>& bands, std::vector<std::byte>& pixels,
                 const std::function<void(std::size_t, const Window&, std::span<const std::byte>)>& body) {
  const RasterInfo& info = raster.info();
  const PixelStep step = step_of(info, bands.size());
  for (int64_t y = 0; y < info.height; y += step.height) {
    for (int64_t x = 0; x < info.width; x += step.width) {
      const Window window{x, y, std::min(step.width, info.width - x), std::min(step.height, info.height - y)};
      const std::size_t size = static_cast<std::size_t>(window.width * window.height) * size_of(info.type);
      pixels.resize(std::max(pixels.size(), size * bands.size()));
      const auto piece = std::span(pixels).first(size * bands.size());
      raster.read(bands, window, piece);
      for (std::size_t b = 0; b < bands.size(); ++b) body(b, window, piece.subspan(b * size, size));
    }
  }
}

}  // namespace

void for_each_piece(const Raster& raster, const std::vector<int>& bands,
                    const std::function<void(std::size_t, std::span<const std::byte>)>& body) {
  std::vector<std::byte> pixels;
  for_each_piece(raster, bands, pixels, body);
}

void for_each_piece(const Raster& raster, const std::vector<int>& bands, std::vector<std::byte>& pixels,
                    const std::function<void(std::size_t, std::span<const std::byte>)>& body) {
  read_pieces(raster, bands, pixels, [&](std::size_t b, const Window&, auto piece) { body(b, piece); });
}

void for_each_window(const Raster& raster, const std::vector<int>& bands,
                     const std::function<void(std::size_t, const Window&, std::span<const std::byte>)>& body) {
  std::vector<std::byte> pixels;
  read_pieces(raster, bands, pixels, body);
}

void Moments::merge(const Moments& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const double mine = static_cast<double>(count), theirs = static_cast<double>(other.count);
  const double distance = other.mean - mean, share = theirs / (mine + theirs);
  sum_of_squares += other.sum_of_squares + distance * distance * mine * share;
  mean += distance * share;
  count += other.count;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
}

double Moments::standard_deviation() const noexcept {
  return count > 0 ? std::sqrt(sum_of_squares / static_cast<double>(count)) : kNone;
}

void BandStatistics::merge(const BandStatistics& other) {
  num_pixels += other.num_pixels;
  moments.merge(other.moments);
  histogram.merge(other.histogram);
}

double BandStatistics::valid_percent() const noexcept {
  return num_pixels > 0 ? 100 * static_cast<double>(moments.count) / static_cast<double>(num_pixels) : 0;
}

Scale BandStatistics::scale() const {
  if (moments.count == 0) throw QueryError("a band without valid pixels has no scale");
  const double deviation = moments.standard_deviation();
  const double factor = deviation > 0 ? 1 / deviation : 1;
  return {.factor = factor, .offset = -moments.mean * factor};
}

std::vector<BandStatistics> compute_statistics(const Raster& raster, const std::vector<int>& bands) {
  const std::vector<int> chosen = chosen_bands(raster.info(), bands);
  std::vector<std::unique_ptr<BandCounter>> counters;
  for (std::size_t b = 0; b < chosen.size(); ++b)
    counters.push_back(make_band_counter(raster.info().type, raster.nodata()));
  for_each_piece(raster, chosen, [&](std::size_t b, auto pixels) { counters[b]->add(pixels); });
  std::vector<BandStatistics> out;
  for (auto& counter : counters) out.push_back(counter->finish());
  return out;
}

std::vector<double> exact_quantiles(const Raster& raster, int band, const Histogram& histogram,
                                    std::span<const double> probabilities) {
  std::vector<double> out;
  const uint64_t count = histogram.count();
  if (histogram.bin_width() == 0 || count == 0) {
    for (const double p : probabilities) out.push_back(histogram.quantile(p));
    return out;
  }
  std::vector<uint64_t> positions;
  for (const double p : probabilities) {
    histogram.quantile(p);  // throws for p outside [0, 1]
    const auto at = quantile_position(p, count);
    positions.insert(positions.end(), {at.low, at.high});
  }
  const auto nodata = raster.nodata();
  PositionSearch search(histogram, positions);
  while (!search.is_done()) {
    search.begin_pass();
    std::vector<double> values;
    for_each_piece(raster, {band}, [&](std::size_t, std::span<const std::byte> pixels) {
      values.clear();
      append_valid(pixels, raster.info().type, nodata, values);
      search.add(count_values(values, raster.info().type));
    });
    search.end_pass();
  }
  for (const double p : probabilities)
    out.push_back(interpolated_quantile(p, count, [&](uint64_t at) { return search.number_at(at); }));
  return out;
}

std::vector<std::vector<double>> compute_quantiles(const Raster& raster, std::span<const double> probabilities,
                                                   const std::vector<int>& bands) {
  const std::vector<int> chosen = chosen_bands(raster.info(), bands);
  const auto statistics = compute_statistics(raster, chosen);
  std::vector<std::vector<double>> out;
  for (std::size_t b = 0; b < chosen.size(); ++b)
    out.push_back(exact_quantiles(raster, chosen[b], statistics[b].histogram, probabilities));
  return out;
}

}  // namespace tacore
