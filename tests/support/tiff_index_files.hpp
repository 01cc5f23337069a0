#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "tacore/collection.hpp"
#include "raster/tiff_fields.hpp"

/// For tests of headers and TOGs: TIFFs without compression, and what a dataset needs.
namespace tacore {

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
