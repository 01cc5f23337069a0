#include "assets/likeness.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "assets/claims.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "container/container.hpp"
#include "raster/pixel_type.hpp"

namespace tacore::assets {
namespace {

constexpr std::size_t kSide = Likeness::kSide, kCells = Likeness::kCells;
/// Different values among the pixels of the cells, in each band: maps of classes have fewer, and one band.
constexpr std::size_t kLeastValues = 32, kLeastOfColours = 16;
/// Bands of an image in colours.
constexpr int kColours = 3;
/// Cells that two rasters need in common.
constexpr int kLeastCells = 48;
/// Standard deviation of numbers in a Likeness.
constexpr double kScale = 32;
/// What is finer than the preview has to be this part of it: waves of a third of the raster have less.
constexpr double kRough = 0.05;
/// Correlations of two rasters that show the same.
constexpr double kAlikePreview = 0.98, kAlikeDetail = 0.9;
/// Bits of the hashes that may differ: as many of 64 differ where the correlation is about 0.85.
constexpr int kMostBits = 12;
/// Files in the same bucket that each is compared with.
constexpr std::size_t kMostCompared = 32;

/// The first pixel of a cell along a side.
int64_t cell_begin(std::size_t cell, int64_t size) { return static_cast<int64_t>(cell) * size / int64_t{kSide}; }

uint64_t mixed(uint64_t hash, uint64_t value) {
  hash ^= value;
  hash *= 0x9E37'79B9'7F4A'7C15;
  return hash ^ (hash >> 29);
}

/// Sums of floating-point numbers depend on their order, and so on the tiles of a file, by the last bits.
uint64_t bits_of_sum(double sum) {
  return std::trunc(sum) == sum ? std::bit_cast<uint64_t>(sum + 0.0) : std::bit_cast<uint32_t>(static_cast<float>(sum));
}

struct Spread {
  double mean = 0, deviation = 0;
};

Spread spread_of(std::span<const double> values, uint64_t valid) {
  double sum = 0, squares = 0, count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(valid >> i & 1)) continue;
    sum += values[i];
    ++count;
  }
  const double mean = sum / count;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (valid >> i & 1) squares += (values[i] - mean) * (values[i] - mean);
  }
  return {mean, std::sqrt(squares / count)};
}

void standardise(std::span<const double> values, uint64_t valid, std::array<int8_t, kCells>& out) {
  const Spread spread = spread_of(values, valid);
  for (std::size_t i = 0; i < kCells; ++i) {
    if (!(valid >> i & 1) || spread.deviation == 0) continue;
    out[i] = static_cast<int8_t>(
        std::lround(std::clamp((values[i] - spread.mean) / spread.deviation * kScale, -127.0, 127.0)));
  }
}

double correlation(const std::array<int8_t, kCells>& a, const std::array<int8_t, kCells>& b, uint64_t valid) {
  double n = 0, sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < kCells; ++i) {
    if (!(valid >> i & 1)) continue;
    const double x = a[i], y = b[i];
    ++n;
    sum_a += x;
    sum_b += y;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  const double variances = (aa - sum_a * sum_a / n) * (bb - sum_b * sum_b / n);
  return variances > 0 ? (ab - sum_a * sum_b / n) / std::sqrt(variances) : 0;
}

/// The least correlations of all bands.
struct Alike {
  double preview = 1, detail = 1;

  bool is_same() const { return preview >= kAlikePreview && detail >= kAlikeDetail; }
};

Alike compare(const Likeness& a, const Likeness& b) {
  const uint64_t valid = a.valid & b.valid;
  if (a.bands != b.bands || std::popcount(valid) < kLeastCells) return {0, 0};
  Alike out;
  for (std::size_t band = 0; band < static_cast<std::size_t>(a.bands); ++band) {
    out.preview = std::min(out.preview, correlation(a.means[band], b.means[band], valid));
    out.detail = std::min(out.detail, correlation(a.details[band], b.details[band], valid));
  }
  return out;
}

/// Sixteen bits of a hash, `stride` apart. Strides are odd, so that four of them take each bit once.
uint16_t part_of(uint64_t hash, unsigned part, unsigned stride) {
  uint16_t out = 0;
  for (unsigned i = 0; i < 16; ++i)
    out = static_cast<uint16_t>(uint64_t{out} << 1 | (hash >> ((part * 16 + i) * stride % 64) & 1));
  return out;
}

/// Finds the pairs of a layer.
class AlikeFiles {
 public:
  AlikeFiles(const Survey& survey, std::size_t layer, const std::vector<std::unique_ptr<const Likeness>>& likenesses)
      : survey_(survey),
        number_(layer),
        layer_(survey.layers[layer]),
        likenesses_(likenesses),
        times_(acquired_times(survey, layer_)),
        is_checked_by_crc_(survey.container->format() == Format::Zip && survey.container->is_local()),
        told_(layer_.size(), false) {}

  std::vector<Finding> all() {
    find_same_pixels();
    find_similar();
    if (faults_.empty()) return {};
    std::ranges::sort(faults_, {}, &RowFault::index);
    Finding out{.rule = "AST-29", .layer = number_};
    for (const RowFault& fault : faults_) out.rows.push_back(fault.index);
    faults_.resize(std::min(faults_.size(), kMostTold));
    out.faults = std::move(faults_);
    std::vector<Finding> all;
    all.push_back(std::move(out));
    return all;
  }

 private:
  void find_same_pixels() {
    std::unordered_map<uint64_t, std::size_t> first;
    for (std::size_t i = 0; i < likenesses_.size(); ++i) {
      if (!likenesses_[i]) continue;
      const auto [same, is_new] = first.emplace(likenesses_[i]->pixels, i);
      if (is_new) continue;
      const std::size_t other = same->second;
      const Likeness &a = *likenesses_[other], &b = *likenesses_[i];
      if (a.bands != b.bands || a.valid != b.valid || a.means != b.means || a.details != b.details) continue;
      told_[i] = true;
      const AssetFacts &x = layer_.facts[other], &y = layer_.facts[i];
      const bool is_equal =
          x.size == y.size && x.kind == y.kind && x.geotransform == y.geotransform && x.time == y.time;
      if (is_equal && is_checked_by_crc_ && layer_.places[i]) continue;  // AST-27
      faults_.push_back({i, "has the pixels of " + sample(other) + (x.size == y.size ? "" : ", in another file")});
    }
  }

  /// Candidates share sixteen bits of their hashes in one of twelve ways; four of these take all bits, so that none
  /// with up to three different bits is missed. Of each bucket only neighbours in the order of the hashes are compared.
  void find_similar() {
    struct Entry {
      uint16_t part;
      uint64_t hash;
      std::size_t index;

      auto operator<=>(const Entry&) const = default;
    };
    std::vector<Entry> entries;
    for (const unsigned stride : {1U, 3U, 5U}) {
      for (unsigned part = 0; part < 4; ++part) {
        entries.clear();
        for (std::size_t i = 0; i < likenesses_.size(); ++i) {
          if (!likenesses_[i] || !likenesses_[i]->is_rough || told_[i]) continue;
          const uint64_t hash = likenesses_[i]->detail;
          entries.push_back({part_of(hash, part, stride), hash, i});
        }
        std::ranges::sort(entries);
        for (std::size_t i = 0; i < entries.size(); ++i) {
          const std::size_t end = std::min(entries.size(), i + 1 + kMostCompared);
          for (std::size_t k = i + 1; k < end && entries[k].part == entries[i].part; ++k) {
            if (std::popcount(entries[k].hash ^ entries[i].hash) <= kMostBits)
              check(entries[i].index, entries[k].index);
          }
        }
      }
    }
  }

  void check(std::size_t a, std::size_t b) {
    if (a > b) std::swap(a, b);
    if (told_[b] || is_series(a, b)) return;
    const Alike alike = compare(*likenesses_[a], *likenesses_[b]);
    if (!alike.is_same()) return;
    told_[b] = true;
    faults_.push_back({b, "looks like " + sample(a) + ": previews of 8 x 8 pixels correlate by " +
                              rounded_number_text(alike.preview, 3) + ", what is finer by " +
                              rounded_number_text(alike.detail, 3)});
  }

  /// Whether two files may well look alike: images of one place, or of no known one, that are of other times, or other
  /// bands of one scene.
  bool is_series(std::size_t a, std::size_t b) const {
    const auto &here = layer_.places[a], &there = layer_.places[b];
    if (here && there && distance(here->centre, there->centre) >= std::min(here->radius, there->radius) / 2)
      return false;
    if (likenesses_[a]->bands < kColours) return true;
    const bool is_same_time = times_[a] && times_[b] && std::abs(*times_[a] - *times_[b]) < kSecond;
    return !is_same_time && ((here && there) || (times_[a] && times_[b]));
  }

  std::string sample(std::size_t index) const {
    return in_quotes(survey_.container->relative_path(layer_.level, layer_.rows[index]));
  }

  const Survey& survey_;
  std::size_t number_;
  const Layer& layer_;
  const std::vector<std::unique_ptr<const Likeness>>& likenesses_;
  std::vector<std::optional<int64_t>> times_;
  bool is_checked_by_crc_;
  std::vector<bool> told_;
  std::vector<RowFault> faults_;
};

}  // namespace

LikenessMaker::LikenessMaker(const RasterInfo& info, std::optional<double> nodata)
    : info_(info), nodata_(nodata.value_or(std::numeric_limits<double>::quiet_NaN())) {
  constexpr auto kLeastLength = static_cast<int64_t>(2 * kSide);
  if (std::min(info.width, info.height) < kLeastLength) return;
  num_bands_ = std::min<std::size_t>(Likeness::kBands, static_cast<std::size_t>(info.bands));
  cells_.resize(num_bands_ * kCells);
}

void LikenessMaker::add(std::size_t band, const Window& window, std::span<const std::byte> pixels) {
  if (band >= num_bands_) return;
  with_type(info_.type, [&](auto type) {
    using T = decltype(type);
    const auto* values = reinterpret_cast<const T*>(pixels.data());
    for (std::size_t row = 0; row < kSide; ++row) {
      const int64_t top = cell_begin(row, info_.height), bottom = cell_begin(row + 1, info_.height);
      const int64_t middle_row = (top + bottom) / 2;
      for (std::size_t column = 0; column < kSide; ++column) {
        const int64_t left = cell_begin(column, info_.width), right = cell_begin(column + 1, info_.width);
        const int64_t middle_column = (left + right) / 2;
        Cell& cell = cells_[band * kCells + row * kSide + column];
        const int64_t x0 = std::max(left, window.x), x1 = std::min(right, window.x + window.width);
        for (int64_t y = std::max(top, window.y); y < std::min(bottom, window.y + window.height); ++y) {
          const T* line = values + (y - window.y) * window.width;
          for (int64_t x = x0; x < x1; ++x) {
            const auto value = static_cast<double>(line[x - window.x]);
            const bool is_valid = value != nodata_ && std::isfinite(value);
            cell.sum += is_valid ? value : 0;
            cell.count += is_valid;
          }
          if (y != middle_row) continue;
          for (int64_t k = 0; k < 3; ++k) {
            const int64_t x = middle_column + k - 1;
            if (x < std::max(window.x, int64_t{0}) || x >= window.x + window.width) continue;
            const auto value = static_cast<double>(line[x - window.x]);
            if (value == nodata_ || !std::isfinite(value)) continue;
            cell.pixels[static_cast<std::size_t>(k)] = value;
            ++cell.num_pixels;
          }
        }
      }
    }
    return 0;
  });
}

std::optional<Likeness> LikenessMaker::finish() const {
  if (num_bands_ == 0) return std::nullopt;
  Likeness out{.bands = static_cast<int>(num_bands_)};
  out.valid = ~uint64_t{0};
  // Of cells of two pixels, the last one has none to its right.
  const bool has_sides = info_.width >= int64_t{3 * kSide};
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].count == 0 || cells_[i].num_pixels < (has_sides ? 3 : 2)) out.valid &= ~(uint64_t{1} << i % kCells);
  }
  if (std::popcount(out.valid) < kLeastCells) return std::nullopt;
  out.pixels = mixed(mixed(static_cast<uint64_t>(info_.width), static_cast<uint64_t>(info_.height)),
                     static_cast<uint64_t>(info_.bands));
  out.is_rough = has_sides;
  const std::size_t least_values = out.bands >= kColours ? kLeastOfColours : kLeastValues;
  bool has_values = false;
  std::array<double, kCells> together = {};
  for (std::size_t band = 0; band < num_bands_; ++band) {
    std::array<double, kCells> means = {}, details = {};
    std::array<double, kCells> values = {};
    std::size_t num_cells = 0;
    for (std::size_t i = 0; i < kCells; ++i) {
      const Cell& cell = cells_[band * kCells + i];
      out.pixels =
          mixed(mixed(mixed(out.pixels, bits_of_sum(cell.sum)), cell.count), std::bit_cast<uint64_t>(cell.pixels[1]));
      if (!(out.valid >> i & 1)) continue;
      means[i] = cell.sum / static_cast<double>(cell.count);
      details[i] = cell.pixels[1] - (cell.pixels[0] + cell.pixels[2]) / 2;
      values[num_cells++] = cell.pixels[1];
    }
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(num_cells);
    std::sort(values.begin(), end);
    const auto num_values = static_cast<std::size_t>(std::unique(values.begin(), end) - values.begin());
    has_values = has_values || num_values >= least_values;
    const Spread coarse = spread_of(means, out.valid), fine = spread_of(details, out.valid);
    out.is_rough = out.is_rough && num_values >= least_values && fine.deviation > kRough * coarse.deviation;
    standardise(means, out.valid, out.means[band]);
    standardise(details, out.valid, out.details[band]);
    for (std::size_t i = 0; i < kCells; ++i) together[i] += out.details[band][i];
  }
  if (!has_values) return std::nullopt;
  for (std::size_t i = 0; i < kCells; ++i) out.detail |= static_cast<uint64_t>(together[i] > 0) << i;
  return out;
}

std::vector<Finding> find_alike(const Survey& survey, std::size_t layer,
                                const std::vector<std::unique_ptr<const Likeness>>& likenesses) {
  return AlikeFiles(survey, layer, likenesses).all();
}

}  // namespace tacore::assets
