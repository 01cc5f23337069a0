#include "tacore/raster/picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr double kDark = 0.02, kBright = 0.98;
constexpr int64_t kMostPreview = 16384;
/// Rows that are read together, if the blocks of the raster are not higher.
constexpr int64_t kRows = 256;
/// Pixels of all bands that are read together: 256 MiB.
constexpr int64_t kMostValues = int64_t{1} << 25;

std::vector<int> bands_of(const RasterInfo& info, const PreviewOptions& options) {
  if (options.bands.empty()) return info.bands < 3 ? std::vector<int>{1} : std::vector<int>{1, 2, 3};
  if (options.bands.size() != 1 && options.bands.size() != 3) {
    throw QueryError("a preview has one band or three, found " + std::to_string(options.bands.size()));
  }
  return options.bands;
}

/// Means of the pixels that fall into each pixel of a smaller raster, band by band; NaN where there are none.
class Shrunk {
 public:
  Shrunk(const Raster& raster, std::vector<int> bands, int64_t longest)
      : raster_(raster), bands_(std::move(bands)), info_(raster.info()) {
    const int64_t most = std::max(info_.width, info_.height);
    factor_ = most / longest + (most % longest != 0 ? 1 : 0);
    width_ = (info_.width + factor_ - 1) / factor_;
    height_ = (info_.height + factor_ - 1) / factor_;
    sums_.resize(num_pixels() * bands_.size());
    counts_.resize(sums_.size());
    add_all();
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sums_[i] = counts_[i] > 0 ? sums_[i] / static_cast<double>(counts_[i]) : std::nan("");
    }
  }

  int64_t width() const { return width_; }
  int64_t height() const { return height_; }
  std::size_t num_pixels() const { return static_cast<std::size_t>(width_ * height_); }
  std::span<const double> band(std::size_t i) const { return std::span(sums_).subspan(i * num_pixels(), num_pixels()); }

 private:
  /// Reads whole rows of blocks where memory allows, so that no block is decoded twice.
  void add_all() {
    const int64_t block = std::max<int64_t>(info_.block_height, 1);
    const int64_t most = kMostValues / (info_.width * static_cast<int64_t>(bands_.size()));
    const int64_t rows =
        std::clamp<int64_t>(block >= kRows ? block : kRows / block * block, 1, std::max<int64_t>(most, 1));
    for (int64_t y = 0; y < info_.height; y += rows) add(y, std::min(rows, info_.height - y));
  }

  void add(int64_t y, int64_t rows) {
    const Tensor pixels = read_tensor(
        raster_,
        {.bands = bands_, .window = Window{0, y, info_.width, rows}, .type = DataType::Float64, .fill = std::nan("")});
    const double* value = pixels.values<double>().data();
    for (std::size_t i = 0; i < bands_.size(); ++i) {
      for (int64_t row = y; row < y + rows; ++row) {
        const std::size_t line = i * num_pixels() + static_cast<std::size_t>(row / factor_ * width_);
        for (int64_t column = 0; column < info_.width; ++column, ++value) {
          if (!std::isfinite(*value)) continue;
          const std::size_t at = line + static_cast<std::size_t>(column / factor_);
          sums_[at] += *value;
          ++counts_[at];
        }
      }
    }
  }

  const Raster& raster_;
  std::vector<int> bands_;
  const RasterInfo& info_;
  int64_t factor_ = 1, width_ = 0, height_ = 0;
  std::vector<double> sums_ = {};
  std::vector<int64_t> counts_ = {};
};

/// The range of values that a band shows from dark to bright.
struct Stretch {
  double dark = 0, bright = 0;

  explicit Stretch(std::span<const double> band) {
    std::vector<double> values;
    std::copy_if(band.begin(), band.end(), std::back_inserter(values), [](double value) { return !std::isnan(value); });
    if (values.empty()) return;
    const auto quantile = [&](double part) {
      const auto at = static_cast<std::ptrdiff_t>(std::lround(part * static_cast<double>(values.size() - 1)));
      std::nth_element(values.begin(), values.begin() + at, values.end());
      return values[static_cast<std::size_t>(at)];
    };
    dark = quantile(kDark);
    bright = quantile(kBright);
  }

  std::byte operator()(double value) const {
    if (!(bright > dark)) return std::byte{128};
    return static_cast<std::byte>(std::lround(255 * std::clamp((value - dark) / (bright - dark), 0., 1.)));
  }
};

}  // namespace

Picture to_picture(const Tensor& pixels) {
  const auto& shape = pixels.shape();
  if (shape.size() != 3 || shape[0] < 1 || shape[0] > 4) {
    throw QueryError("a picture has one to four bands, found " +
                     (shape.size() == 3 ? std::to_string(shape[0]) : std::to_string(shape.size()) + " axes"));
  }
  if (pixels.type() != DataType::UInt8 && pixels.type() != DataType::UInt16) {
    throw QueryError(std::string("a picture holds uint8 or uint16, found ") + to_string(pixels.type()));
  }
  Picture out{.width = shape[2], .height = shape[1], .channels = static_cast<int>(shape[0]), .type = pixels.type()};
  const std::size_t size = size_of(out.type), bands = static_cast<std::size_t>(shape[0]);
  const std::size_t num_pixels = pixels.bytes().size() / size / bands;
  out.samples.resize(pixels.bytes().size());
  for (std::size_t band = 0; band < bands; ++band) {
    for (std::size_t i = 0; i < num_pixels; ++i) {
      std::memcpy(&out.samples[(i * bands + band) * size], &pixels.bytes()[(band * num_pixels + i) * size], size);
    }
  }
  return out;
}

Picture preview(const Raster& raster, const PreviewOptions& options) {
  if (options.size < 1 || options.size > kMostPreview) {
    throw QueryError("a preview of " + std::to_string(options.size) + " pixels: expected 1 to " +
                     std::to_string(kMostPreview));
  }
  const auto bands = bands_of(raster.info(), options);
  const Shrunk shrunk(raster, bands, options.size);
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < bands.size(); ++i) stretches.emplace_back(shrunk.band(i));
  const auto is_empty = [&](std::size_t pixel) {
    for (std::size_t i = 0; i < bands.size(); ++i) {
      if (std::isnan(shrunk.band(i)[pixel])) return true;
    }
    return false;
  };
  bool has_empty = false;
  for (std::size_t pixel = 0; pixel < shrunk.num_pixels(); ++pixel) has_empty = has_empty || is_empty(pixel);
  Picture out{.width = shrunk.width(), .height = shrunk.height()};
  out.channels = static_cast<int>(bands.size()) + (has_empty ? 1 : 0);
  for (std::size_t pixel = 0; pixel < shrunk.num_pixels(); ++pixel) {
    const bool empty = has_empty && is_empty(pixel);
    for (std::size_t i = 0; i < bands.size(); ++i) {
      out.samples.push_back(empty ? std::byte{0} : stretches[i](shrunk.band(i)[pixel]));
    }
    if (has_empty) out.samples.push_back(empty ? std::byte{0} : std::byte{255});
  }
  return out;
}

}  // namespace tacore
