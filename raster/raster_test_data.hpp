#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacore/raster.hpp"
#include "tiff_raster.hpp"

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

template <class T>
Bytes bytes_of_values(const std::vector<T>& values) {
  Bytes out(values.size() * sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

/// A raster in memory; `pixels` band by band, row by row.
template <class T>
class MemoryRaster final : public Raster {
 public:
  MemoryRaster(int64_t width, int64_t height, std::vector<T> pixels, std::optional<double> nodata = {})
      : pixels_(std::move(pixels)) {
    info_.width = width;
    info_.height = height;
    info_.bands = static_cast<int>(static_cast<int64_t>(pixels_.size()) / (width * height));
    info_.type = type_of<T>();
    info_.nodata = nodata;
  }

  const std::string& name() const noexcept override { return name_; }
  const RasterInfo& info() const noexcept override { return info_; }
  Georeference georeference() const override { return {}; }
  void read(std::span<const int> bands, const Window& window, std::span<std::byte> out) const override {
    check_read(info_, name_, bands, window, out.size());
    for (const int band : bands) {
      for (int64_t y = window.y; y < window.y + window.height; ++y) {
        const auto from = ((band - 1) * info_.height + y) * info_.width + window.x;
        const auto size = static_cast<std::size_t>(window.width) * sizeof(T);
        std::memcpy(out.data(), pixels_.data() + from, size);
        out = out.subspan(size);
      }
    }
  }

 private:
  std::string name_ = "memory";
  RasterInfo info_ = {};
  std::vector<T> pixels_;
};

/// A TIFF of one uncompressed strip for each band; `pixels` as above, one to four bytes each, unsigned.
template <class T>
Bytes tiff_of(uint16_t width, uint16_t height, const std::vector<T>& pixels) {
  const auto size = static_cast<uint32_t>(pixels.size() * sizeof(T));
  const auto band_size = static_cast<uint32_t>(sizeof(T) * width * height);
  const uint32_t num_bands = size / band_size;
  Bytes out;
  const auto put = [&out](auto value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof(value));
  };
  const auto put_each = [&](auto value_of) {
    for (uint32_t band = 0; band < num_bands; ++band) put(static_cast<uint32_t>(value_of(band)));
  };
  // Head, strips, and the lists that do not fit the directory (they do where there is one band).
  put(uint32_t{0x002a4949});
  const uint32_t lists = 8 + size, directory = lists + 8 * num_bands;
  put(directory);
  const Bytes strips = bytes_of_values(pixels);
  out.insert(out.end(), strips.begin(), strips.end());
  put_each([&](uint32_t band) { return 8 + band * band_size; });
  put_each([&](uint32_t) { return band_size; });
  const auto entry = [&](int tag, int type, uint32_t count, uint32_t value) {
    put(static_cast<uint16_t>(tag));
    put(static_cast<uint16_t>(type));
    put(count);
    put(value);
  };
  put(uint16_t{9});
  entry(256, 4, 1, width);
  entry(257, 4, 1, height);
  entry(258, 3, 1, 8 * sizeof(T));  // of all bands alike
  entry(259, 3, 1, 1);
  entry(273, 4, num_bands, num_bands == 1 ? 8 : lists);
  entry(277, 3, 1, num_bands);
  entry(278, 4, 1, height);
  entry(279, 4, num_bands, num_bands == 1 ? band_size : lists + 4 * num_bands);
  entry(284, 3, 1, 2);
  put(uint32_t{0});
  return out;
}

}  // namespace tacore
