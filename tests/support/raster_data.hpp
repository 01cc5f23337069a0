#pragma once

#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacore/raster/raster.hpp"
#include "raster/tiff_raster.hpp"

/// Rasters of the tests, without a file.
namespace tacore {

template <class T>
constexpr DataType type_of() {
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? DataType::Float32 : DataType::Float64;
  if constexpr (sizeof(T) == 1) return is_signed ? DataType::Int8 : DataType::UInt8;
  if constexpr (sizeof(T) == 2) return is_signed ? DataType::Int16 : DataType::UInt16;
  if constexpr (sizeof(T) == 4) return is_signed ? DataType::Int32 : DataType::UInt32;
  return is_signed ? DataType::Int64 : DataType::UInt64;
}

/// A raster in memory; `pixels` band by band, row by row. Counts what is read of it.
template <class T>
class MemoryRaster final : public Raster {
 public:
  MemoryRaster(int64_t width, int64_t height, std::vector<T> pixels, std::optional<double> nodata = {})
      : MemoryRaster({.width = width, .height = height, .nodata = nodata}, std::move(pixels)) {}
  /// `info` with the blocks asked for: one for each band unless it says so. Type and bands are those of `pixels`.
  MemoryRaster(RasterInfo info, std::vector<T> pixels) : info_(std::move(info)), pixels_(std::move(pixels)) {
    if (info_.block_width == 0) info_.block_width = info_.width;
    if (info_.block_height == 0) info_.block_height = info_.height;
    info_.bands = static_cast<int>(static_cast<int64_t>(pixels_.size()) / (info_.width * info_.height));
    info_.type = type_of<T>();
  }

  const std::string& name() const noexcept override { return name_; }
  const RasterInfo& info() const noexcept override { return info_; }
  Georeference georeference() const override { return {}; }
  void read(std::span<const int> bands, const Window& window, std::span<std::byte> out) const override {
    check_read(info_, name_, bands, window, out.size());
    ++num_reads;
    rows_read += window.height;
    for (const int band : bands) {
      for (int64_t y = window.y; y < window.y + window.height; ++y) {
        const auto from = ((band - 1) * info_.height + y) * info_.width + window.x;
        const auto size = static_cast<std::size_t>(window.width) * sizeof(T);
        std::memcpy(out.data(), pixels_.data() + from, size);
        out = out.subspan(size);
      }
    }
  }

  mutable int num_reads = 0;
  mutable int64_t rows_read = 0;

 private:
  std::string name_ = "memory";
  RasterInfo info_ = {};
  std::vector<T> pixels_;
};

}  // namespace tacore
