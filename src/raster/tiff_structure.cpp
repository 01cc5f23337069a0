#include "raster/tiff_structure.hpp"

#include <algorithm>
#include <cstring>

#include "raster/tacotiff_header.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_fields.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// A file of which only the beginning is known. The rest reads as zeros, which the caller detects.
class KnownHead : public ByteSource {
 public:
  KnownHead(std::string_view head, uint64_t size, const std::string& name) : head_(head), size_(size), name_(name) {}

  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return size_; }
  bool is_local() const noexcept override { return true; }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    std::fill(out.begin(), out.end(), std::byte{0});
    if (offset < head_.size()) {
      std::memcpy(out.data(), head_.data() + offset, std::min<std::size_t>(out.size(), head_.size() - offset));
    }
  }

 private:
  std::string_view head_;
  uint64_t size_;
  const std::string& name_;
};

void add_blocks(TiffFields& out, const TiffLayout& layout) {
  std::vector<uint64_t> offsets, sizes;
  for (const ByteRange& block : layout.blocks) {
    offsets.push_back(block.offset);
    sizes.push_back(block.size);
  }
  out.long8s(layout.is_tiled ? TiffTag::TileOffsets : TiffTag::StripOffsets, offsets);
  const TiffTag tag = layout.is_tiled ? TiffTag::TileByteCounts : TiffTag::StripByteCounts;
  if (std::all_of(sizes.begin(), sizes.end(), [](uint64_t size) { return size <= UINT32_MAX; })) {
    out.longs(tag, std::vector<uint32_t>(sizes.begin(), sizes.end()));
  } else {
    out.long8s(tag, sizes);
  }
}

}  // namespace

std::string encode_tiff_structure(const TiffLayout& layout) {
  TiffFields out(layout.is_big_endian);
  out.number(TiffTag::Width, static_cast<uint64_t>(layout.width));
  out.number(TiffTag::Height, static_cast<uint64_t>(layout.height));
  out.number(TiffTag::BitsPerSample, size_of(layout.type) * 8);
  out.number(TiffTag::Compression, tiff_compression(layout.compression));
  out.number(TiffTag::SamplesPerPixel, static_cast<uint64_t>(layout.bands));
  out.number(TiffTag::PlanarConfiguration, layout.is_planar ? 2 : 1);
  if (layout.predictor != 1) out.number(TiffTag::Predictor, static_cast<uint64_t>(layout.predictor));
  if (layout.is_tiled) {
    out.number(TiffTag::TileWidth, static_cast<uint64_t>(layout.block_width));
    out.number(TiffTag::TileHeight, static_cast<uint64_t>(layout.block_height));
  } else {
    out.number(TiffTag::RowsPerStrip, static_cast<uint64_t>(layout.block_height));
  }
  out.number(TiffTag::SampleFormat, tiff_sample_format(layout.type));
  if (layout.is_tile_interleaved) out.text(TiffTag::GdalMetadata, kTileInterleaveItem);
  if (layout.nodata) out.text(TiffTag::GdalNodata, nodata_text(*layout.nodata));
  add_blocks(out, layout);

  const Bytes header = big_tiff_header(kBigTiffHeader, layout.is_big_endian);
  const Bytes fields = out.encode(kBigTiffHeader);
  std::string bytes(reinterpret_cast<const char*>(header.data()), header.size());
  return bytes.append(reinterpret_cast<const char*>(fields.data()), fields.size());
}

TiffLayout layout_from_header(std::string_view header, uint64_t file_size, const std::string& name) {
  if (!is_tiff(std::as_bytes(std::span(header)))) return decode_tacotiff_header(header, file_size, name);
  // A file may be smaller than its description states; its blocks are checked against its own size.
  TiffDirectory directory = read_tiff_directory(KnownHead(header, std::max<uint64_t>(file_size, header.size()), name));
  if (directory.directory_end > header.size()) {
    throw FormatError("the header of " + std::to_string(header.size()) + " bytes refers to byte " +
                          std::to_string(directory.directory_end),
                      {.path = name});
  }
  if (!directory.unsupported.empty()) {
    throw UnsupportedError("the header states " + directory.unsupported, {.path = name});
  }
  check_layout(directory.layout, file_size, name);
  return std::move(directory.layout);
}

}  // namespace tacore
