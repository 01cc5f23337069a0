#pragma once

#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "raster/tiff_fields.hpp"
#include "raster/tiff_raster.hpp"
#include "tacore/collection.hpp"
#include "tacore/raster/raster.hpp"

/// Rasters in memory, TIFFs without compression, and what their datasets need.
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

inline Collection made_collection() {
  return {.id = "made",
          .dataset_version = "1.0.0",
          .description = "Made by a test",
          .licenses = {"CC-BY-4.0"},
          .providers = {{.name = "tacore"}},
          .tasks = {"other"}};
}

/// A BigTIFF of one strip with no data 7, whose bytes depend on `seed`. Returns `path`.
inline std::string write_plain_tiff(const std::string& path, int64_t width, int64_t height, uint16_t bands,
                                    int seed = 0, DataType type = DataType::UInt8) {
  constexpr uint64_t kPixels = 1000;
  const std::size_t size = static_cast<std::size_t>(width * height * bands) * size_of(type);
  TiffFields fields;
  fields.number(TiffTag::Width, static_cast<uint64_t>(width));
  fields.number(TiffTag::Height, static_cast<uint64_t>(height));
  fields.shorts(TiffTag::BitsPerSample, std::vector<uint16_t>(bands, static_cast<uint16_t>(size_of(type) * 8)));
  fields.number(TiffTag::Compression, 1);
  fields.number(TiffTag::Photometric, 1);
  fields.number(TiffTag::SamplesPerPixel, bands);
  fields.number(TiffTag::RowsPerStrip, static_cast<uint64_t>(height));
  fields.shorts(TiffTag::SampleFormat, std::vector<uint16_t>(bands, tiff_sample_format(type)));
  fields.text(TiffTag::GdalNodata, "7");
  fields.long8s(TiffTag::StripOffsets, std::vector<uint64_t>{kPixels});
  fields.long8s(TiffTag::StripByteCounts, std::vector<uint64_t>{size});
  Bytes bytes = big_tiff_header(kBigTiffHeader, false);
  const Bytes directory = fields.encode(kBigTiffHeader);
  bytes.insert(bytes.end(), directory.begin(), directory.end());
  bytes.resize(kPixels + size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[kPixels + i] = static_cast<std::byte>(i * 7 + i / 250 + static_cast<std::size_t>(seed) * i / 3);
  }
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path;
}

}  // namespace tacore
