#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacore/error.hpp"
#include "tacore/raster.hpp"

namespace tacore {

/// A raster in memory for tests: shape (bands, height, width), blocks as asked for.
template <class T>
class BlockRaster final : public Raster {
 public:
  BlockRaster(RasterInfo info, std::vector<T> values) : info_(std::move(info)), values_(std::move(values)) {
    if (info_.block_width == 0) info_.block_width = info_.width;
    if (info_.block_height == 0) info_.block_height = info_.height;
    info_.type = type();
  }
  const std::string& name() const noexcept override { return name_; }
  const RasterInfo& info() const noexcept override { return info_; }
  Georeference georeference() const override { return {}; }
  void read(std::span<const int> bands, const Window& window, std::span<std::byte> out) const override {
    ++num_reads;
    std::byte* to = out.data();
    for (const int band : bands) {
      if (band < 1 || band > info_.bands) throw QueryError("no band " + std::to_string(band));
      for (int64_t y = window.y; y < window.y + window.height; ++y) {
        const int64_t first = ((band - 1) * info_.height + y) * info_.width + window.x;
        const std::size_t size = static_cast<std::size_t>(window.width) * sizeof(T);
        std::memcpy(to, values_.data() + first, size);
        to += size;
      }
    }
    if (to != out.data() + out.size()) throw QueryError("a buffer of another size");
  }

  mutable int num_reads = 0;

 private:
  static DataType type() {
    if constexpr (std::is_same_v<T, float>) return DataType::Float32;
    if constexpr (std::is_same_v<T, double>) return DataType::Float64;
    constexpr bool is_signed = std::is_signed_v<T>;
    if (sizeof(T) == 1) return is_signed ? DataType::Int8 : DataType::UInt8;
    if (sizeof(T) == 2) return is_signed ? DataType::Int16 : DataType::UInt16;
    if (sizeof(T) == 4) return is_signed ? DataType::Int32 : DataType::UInt32;
    return is_signed ? DataType::Int64 : DataType::UInt64;
  }

  std::string name_ = "memory";
  RasterInfo info_;
  std::vector<T> values_;
};

}  // namespace tacore
