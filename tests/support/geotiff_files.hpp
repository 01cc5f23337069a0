#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "raster/tiff_fields.hpp"

/// GeoTIFFs in memory.
namespace tacore {

/// What a GeoTIFF of a test says of itself.
struct TestGrid {
  uint16_t epsg = 32630;
  std::array<double, 6> geotransform = {500'000, 10, 0, 4'400'000, 0, -10};
  int64_t width = 8, height = 8;
  std::string time = {};    ///< tag 306
  std::string nodata = {};  ///< tag 42113
  uint8_t value = 1;        ///< of all pixels
};

/// A BigTIFF of one byte band.
inline Bytes geotiff(const TestGrid& grid) {
  constexpr uint64_t kPixels = 1024;
  const auto size = static_cast<std::size_t>(grid.width * grid.height);
  const bool is_geographic = grid.epsg < 5000;
  TiffFields fields;
  fields.number(TiffTag::Width, static_cast<uint64_t>(grid.width));
  fields.number(TiffTag::Height, static_cast<uint64_t>(grid.height));
  fields.shorts(TiffTag::BitsPerSample, std::array<uint16_t, 1>{8});
  fields.number(TiffTag::Compression, 1);
  fields.number(TiffTag::Photometric, 1);
  fields.long8s(TiffTag::StripOffsets, std::array<uint64_t, 1>{kPixels});
  fields.number(TiffTag::SamplesPerPixel, 1);
  fields.number(TiffTag::RowsPerStrip, static_cast<uint64_t>(grid.height));
  fields.long8s(TiffTag::StripByteCounts, std::array<uint64_t, 1>{size});
  if (!grid.time.empty()) fields.text(TiffTag::DateTime, grid.time);
  const auto& t = grid.geotransform;
  fields.doubles(TiffTag::ModelTransformation,
                 std::array<double, 16>{t[1], t[2], 0, t[0], t[4], t[5], 0, t[3], 0, 0, 0, 0, 0, 0, 0, 1});
  fields.shorts(TiffTag::GeoKeyDirectory,
                std::array<uint16_t, 16>{1, 1, 0, 3, 1024, 0, 1, static_cast<uint16_t>(is_geographic ? 2 : 1), 1025, 0,
                                         1, 1, static_cast<uint16_t>(is_geographic ? 2048 : 3072), 0, 1, grid.epsg});
  if (!grid.nodata.empty()) fields.text(TiffTag::GdalNodata, grid.nodata);
  Bytes out = big_tiff_header(kBigTiffHeader, false);
  const Bytes directory = fields.encode(kBigTiffHeader);
  out.insert(out.end(), directory.begin(), directory.end());
  out.resize(kPixels);
  out.resize(kPixels + size, static_cast<std::byte>(grid.value));
  return out;
}

/// The offset of the value of a tag in geotiff().
inline std::size_t tiff_tag_value(const Bytes& tiff, uint16_t tag) {
  for (std::size_t at = kBigTiffHeader + 8; at + 20 <= tiff.size(); at += 20) {
    if ((static_cast<uint16_t>(tiff[at]) | static_cast<uint16_t>(tiff[at + 1]) << 8) == tag) return at + 12;
  }
  return 0;
}

}  // namespace tacore
