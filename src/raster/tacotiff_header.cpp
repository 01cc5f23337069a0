#include "raster/tacotiff_header.hpp"

#include <algorithm>
#include <utility>

#include "base/checked_math.hpp"
#include "base/little_endian.hpp"
#include "base/text.hpp"
#include "raster/tiff_fields.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr uint32_t kMagic = 0x45564F4C;  // "LOVE"
constexpr uint16_t kVersion = 1;
constexpr std::size_t kFixedSize = 35;
/// A tile is followed by 4 bytes that repeat its last ones, and the next begins with 4 that hold its size.
constexpr uint64_t kGap = 8;

DataType type_of(uint8_t bits, uint8_t format) {
  for (int i = 0; i <= static_cast<int>(DataType::Float64); ++i) {
    const auto type = static_cast<DataType>(i);
    if (size_of(type) * 8 == bits && tiff_sample_format(type) == format) return type;
  }
  throw FormatError("TacoTIFF header: unsupported pixel type, " + std::to_string(bits) + " bits of sample format " +
                    std::to_string(format));
}

/// The block that is number `number` in the file.
std::size_t block_at(const TiffLayout& layout, std::size_t number) {
  const auto bands = static_cast<std::size_t>(layout.bands);
  return number % bands * static_cast<std::size_t>(layout.blocks_per_band()) + number / bands;
}

/// Why tiles are not where decoding would look for them.
std::string why_misplaced(const TiffLayout& layout) {
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    const ByteRange& block = layout.blocks[block_at(layout, i)];
    if (block.size == 0) return "leaves tiles out";
    if (!std::in_range<uint32_t>(block.size)) return "has tiles of 4 GiB and more";
    if (i == 0) continue;
    const ByteRange& before = layout.blocks[block_at(layout, i - 1)];
    const uint64_t expected = before.offset + before.size + kGap;
    if (block.offset != expected) {
      return "has tile " + std::to_string(block_at(layout, i)) + " at byte " + std::to_string(block.offset) +
             ", and not at " + std::to_string(expected) + ", 8 bytes behind tile " +
             std::to_string(block_at(layout, i - 1));
    }
  }
  return {};
}

/// Parses everything but the tiles.
TiffLayout decode_fixed(Cursor& in) {
  if (const uint32_t magic = in.u32(); magic != kMagic)
    throw FormatError("is not a TacoTIFF header: it does not start with \"LOVE\"");
  if (const uint16_t version = in.u16(); version != kVersion) {
    throw FormatError("TacoTIFF header: version " + std::to_string(version) + ", expected 1");
  }
  TiffLayout out{.compression = Compression::Zstd,
                 .is_planar = true,
                 .is_tiled = true,
                 .is_tile_interleaved = true,
                 .is_nodata_known = false};
  out.width = in.u32();
  out.height = in.u32();
  out.block_width = in.u16();
  out.block_height = in.u16();
  out.bands = in.u16();
  const uint8_t bits = in.u8();
  out.type = type_of(bits, in.u8());
  out.predictor = in.u8();
  if (out.predictor < 1 || out.predictor > 3) {
    throw FormatError("TacoTIFF header: predictor " + std::to_string(out.predictor) + ", 1 to 3 expected");
  }
  return out;
}

/// Checks that there are as many tiles as the sizes require, before memory is allocated for them.
void check_count(const TiffLayout& layout, uint32_t count, uint64_t present) {
  if (layout.width < 1 || layout.height < 1 || layout.block_width < 1 || layout.block_height < 1 || layout.bands < 1) {
    throw FormatError("TacoTIFF header: an image without pixels");
  }
  const uint64_t places = checked_multiply(static_cast<uint64_t>(layout.blocks_across()),
                                           static_cast<uint64_t>(layout.blocks_down()), "TacoTIFF header: tiles");
  const uint64_t expected =
      checked_multiply(places, static_cast<uint64_t>(layout.bands), "TacoTIFF header: number of tiles");
  if (count != expected || present != expected * sizeof(uint32_t)) {
    throw FormatError("TacoTIFF header: " + std::to_string(count) + " tiles and " + std::to_string(present) +
                      " bytes for their sizes, expected " + std::to_string(expected) + " tiles of 4 bytes");
  }
}

TiffLayout decode(std::string_view header, uint64_t file_size) {
  Cursor in(std::as_bytes(std::span(header)), "TacoTIFF header");
  TiffLayout out = decode_fixed(in);
  uint64_t offset = in.u64();
  const uint32_t count = in.u32();
  check_count(out, count, in.remaining());
  out.blocks.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const uint32_t size = in.u32();
    if (size == 0) throw FormatError("TacoTIFF header: tile " + std::to_string(i) + " has no bytes");
    const uint64_t end = checked_add<uint64_t>(offset, size, "TacoTIFF header: a tile");
    if (end > file_size) {
      throw FormatError("TacoTIFF header: tile " + std::to_string(i) + " ends at byte " + std::to_string(end) + " of " +
                        std::to_string(file_size));
    }
    out.blocks[block_at(out, i)] = {offset, size};
    offset = checked_add(end, kGap, "TacoTIFF header: a tile");
  }
  return out;
}

}  // namespace

std::vector<std::string> why_no_tacotiff_header(const TiffLayout& layout) {
  std::vector<std::string> out;
  const auto refuse = [&](bool is_wrong, const char* why) {
    if (is_wrong) out.emplace_back(why);
  };
  refuse(layout.is_big_endian, "is big-endian");
  refuse(layout.compression != Compression::Zstd, "is not compressed with ZSTD");
  refuse(!layout.is_tiled, "is not tiled");
  refuse(layout.bands > 1 && !layout.is_planar, "has planar configuration 1 (pixel-interleaved), not 2");
  refuse(!std::in_range<uint32_t>(layout.width) || !std::in_range<uint32_t>(layout.height),
         "is larger than 2^32 - 1 pixels");
  refuse(!std::in_range<uint16_t>(layout.block_width) || !std::in_range<uint16_t>(layout.block_height),
         "has tiles larger than 65535 pixels");
  refuse(!std::in_range<uint16_t>(layout.bands), "has more than 65535 bands");
  refuse(!std::in_range<uint32_t>(layout.blocks.size()), "has more than 2^32 - 1 tiles");
  if (layout.is_tiled && (layout.is_planar || layout.bands == 1)) {
    if (auto why = why_misplaced(layout); !why.empty()) out.push_back(std::move(why));
  }
  return out;
}

std::string encode_tacotiff_header(const TiffLayout& layout) {
  if (const auto why = why_no_tacotiff_header(layout); !why.empty()) {
    throw ValidationError("has no TacoTIFF header: " + join(why, "; "));
  }
  FieldWriter out;
  out.u32(kMagic);
  out.u16(kVersion);
  out.u32(static_cast<uint32_t>(layout.width));
  out.u32(static_cast<uint32_t>(layout.height));
  out.u16(static_cast<uint16_t>(layout.block_width));
  out.u16(static_cast<uint16_t>(layout.block_height));
  out.u16(static_cast<uint16_t>(layout.bands));
  out.u8(static_cast<uint8_t>(size_of(layout.type) * 8));
  out.u8(static_cast<uint8_t>(tiff_sample_format(layout.type)));
  out.u8(static_cast<uint8_t>(layout.predictor));
  out.u64(layout.blocks[0].offset);
  out.u32(static_cast<uint32_t>(layout.blocks.size()));
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    out.u32(static_cast<uint32_t>(layout.blocks[block_at(layout, i)].size));
  }
  const auto bytes = out.take();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TiffLayout decode_tacotiff_header(std::string_view header, uint64_t file_size, const std::string& name) {
  try {
    TiffLayout out = decode(header, file_size);
    check_layout(out, file_size, name);
    return out;
  } catch (const FormatError& error) {
    if (!error.context().path.empty()) throw;
    throw FormatError(error.message(), {.path = name});
  }
}

}  // namespace tacore
