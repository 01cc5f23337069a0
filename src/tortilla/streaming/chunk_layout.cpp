#include "tortilla/streaming/chunk_layout.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/checked_math.hpp"
#include "base/text.hpp"
#include "raster/codecs.hpp"
#include "raster/tiff_fields.hpp"
#include "tacore/error.hpp"
#include "tortilla/streaming/mrio_axes.hpp"

namespace tacore {
namespace {

constexpr uint64_t kMostUnstored = uint64_t{1} << 30;

Compression compression_of(int64_t code, const std::string& name) {
  constexpr int64_t kOldDeflate = 32946;
  if (code == kOldDeflate) return Compression::Deflate;
  for (const auto known : {Compression::None, Compression::Zstd, Compression::Deflate, Compression::Lzw}) {
    if (tiff_compression(known) == code) return known;
  }
  throw FormatError("chunk: compression " + std::to_string(code) + "; 1, 5, 8, 32946 or 50000 expected",
                    {.path = name});
}

DataType type_of(const std::string& dtype, const std::string& name) {
  try {
    return parse_data_type(dtype);
  } catch (const QueryError& error) {
    throw FormatError("chunk: " + error.message(), {.path = name});
  }
}

bool same_nodata(std::optional<double> a, std::optional<double> b) {
  return a == b || (a && b && std::isnan(*a) && std::isnan(*b));
}

}  // namespace

TiffLayout chunk_layout(const TiffLayout& whole, uint64_t number, bool keep_padding, const std::string& name) {
  const auto num_chunks = static_cast<uint64_t>(whole.blocks_per_band());
  if (number >= num_chunks) {
    throw QueryError(
        "there is no chunk " + std::to_string(number) + "; chunks 0 to " + std::to_string(num_chunks - 1) + " expected",
        {.path = name});
  }
  TiffLayout out = whole;
  const auto row = static_cast<int64_t>(number) / whole.blocks_across();
  const auto column = static_cast<int64_t>(number) % whole.blocks_across();
  out.width = std::min(whole.block_width, whole.width - column * whole.block_width);
  out.height = std::min(whole.block_height, whole.height - row * whole.block_height);
  if (!whole.is_tiled) out.block_height = out.height;  // strips end with the image
  if (keep_padding) {
    out.width = out.block_width;
    out.height = out.block_height;
  }
  out.blocks.clear();
  for (uint64_t plane = 0; plane < (whole.is_planar ? static_cast<uint64_t>(whole.bands) : 1); ++plane)
    out.blocks.push_back(whole.blocks[plane * num_chunks + number]);
  return out;
}

TiffLayout chunk_layout(const v1::Chunk& chunk, bool keep_padding, uint64_t file_size, const std::string& name) {
  const auto refuse = [&](const std::string& why) { throw FormatError("chunk: " + why, {.path = name}); };
  if (chunk.shape.size() != 3 || chunk.valid.size() != 2) refuse("3 numbers in shape and 2 in valid expected");
  if (chunk.interleave != "tile" && chunk.interleave != "band" && chunk.interleave != "pixel")
    refuse("interleave " + quoted(chunk.interleave) + "; tile, band or pixel expected");
  if (chunk.predictor < 1 || chunk.predictor > 3)
    refuse("predictor " + std::to_string(chunk.predictor) + "; 1, 2 or 3 expected");
  if (chunk.valid[0] > chunk.shape[1] || chunk.valid[1] > chunk.shape[2]) refuse("valid is larger than shape");
  if (chunk.band_offsets.size() != chunk.band_lengths.size()) refuse("as many band offsets as lengths expected");
  TiffLayout out{.width = chunk.valid[1],
                 .height = chunk.valid[0],
                 .bands = narrow<int>(chunk.shape[0], "chunk: bands"),
                 .type = type_of(chunk.dtype, name),
                 .compression = compression_of(chunk.compression, name),
                 .predictor = static_cast<int>(chunk.predictor),
                 .is_planar = chunk.interleave != "pixel",
                 .is_tiled = true,
                 .block_width = chunk.shape[2],
                 .block_height = chunk.shape[1],
                 .nodata = chunk.nodata};
  if (keep_padding) {
    out.width = out.block_width;
    out.height = out.block_height;
  }
  for (std::size_t i = 0; i < chunk.band_offsets.size(); ++i) {
    if (chunk.band_offsets[i] < 0 || chunk.band_lengths[i] < 0) refuse("a negative offset or length");
    const int64_t offset = checked_add(chunk.offset, chunk.band_offsets[i], "chunk: offset of a band");
    const auto size = static_cast<uint64_t>(chunk.band_lengths[i]);
    out.blocks.push_back(size == 0 ? ByteRange{} : ByteRange{static_cast<uint64_t>(offset), size});
  }
  check_layout(out, file_size, name);
  return out;
}

std::string why_wrong_chunk(const v1::Chunk& chunk, const TiffDirectory& file, uint64_t number) {
  if (!file.unsupported.empty()) return "the raster is a TIFF with " + file.unsupported;
  const TiffLayout& whole = file.layout;
  if (number >= static_cast<uint64_t>(whole.blocks_per_band()))
    return "its number is " + std::to_string(number) + ", 0 to " + std::to_string(whole.blocks_per_band() - 1) +
           " expected";
  const TiffLayout expected = chunk_layout(whole, number, false, "");
  const auto numbers = [](const std::vector<int64_t>& values) {
    std::vector<std::string> texts;
    for (const int64_t value : values) texts.push_back(std::to_string(value));
    return "[" + join(texts, ", ") + "]";
  };
  const auto differs = [](const char* column, const std::string& found, const std::string& right) {
    return std::string(column) + " is " + found + ", " + right + " expected";
  };
  if (whole.is_big_endian) return "the raster is big-endian, but chunks are little-endian";
  if (chunk.dtype != to_string(whole.type))
    return differs(v1::chunk::kDtype, quoted(chunk.dtype), to_string(whole.type));
  if (compression_of(chunk.compression, "") != whole.compression)
    return differs(v1::chunk::kCompression, std::to_string(chunk.compression),
                   std::to_string(tiff_compression(whole.compression)));
  if (chunk.predictor != whole.predictor)
    return differs(v1::chunk::kPredictor, std::to_string(chunk.predictor), std::to_string(whole.predictor));
  if ((chunk.interleave != "pixel") != whole.is_planar)
    return differs(v1::chunk::kInterleave, quoted(chunk.interleave), whole.is_planar ? "tile or band" : "pixel");
  const std::vector<int64_t> shape{whole.bands, whole.block_height, whole.block_width},
      valid{expected.height, expected.width};
  if (chunk.shape != shape) return differs(v1::chunk::kShape, numbers(chunk.shape), numbers(shape));
  if (chunk.valid != valid) return differs(v1::chunk::kValid, numbers(chunk.valid), numbers(valid));
  if (chunk.band_lengths.size() != expected.blocks.size() || chunk.band_offsets.size() != expected.blocks.size())
    return differs(v1::chunk::kBandLengths, std::to_string(chunk.band_lengths.size()) + " numbers",
                   std::to_string(expected.blocks.size()));
  const auto wrong_place = [&](const std::optional<int64_t>& found, const char* column, int64_t right) {
    return found.value_or(right) == right ? "" : differs(column, std::to_string(*found), std::to_string(right));
  };
  const auto place = static_cast<int64_t>(number);
  if (auto why = wrong_place(chunk.row, v1::chunk::kRow, place / whole.blocks_across()); !why.empty()) return why;
  if (auto why = wrong_place(chunk.col, v1::chunk::kCol, place % whole.blocks_across()); !why.empty()) return why;
  if (!chunk.axes.empty()) {
    const auto axes = mrio_axes(file.gdal_metadata, whole.bands);
    if (chunk.axes != axes) return differs(v1::chunk::kAxes, numbers(chunk.axes), numbers(axes));
  }
  bool is_stored = true;
  int64_t end = chunk.offset;
  for (std::size_t i = 0; i < expected.blocks.size(); ++i) {
    const std::string band = " of band " + std::to_string(i + 1);
    const ByteRange& block = expected.blocks[i];
    if (static_cast<uint64_t>(chunk.band_lengths[i]) != block.size)
      return differs(v1::chunk::kBandLengths, std::to_string(chunk.band_lengths[i]) + band, std::to_string(block.size));
    is_stored = is_stored && block.size > 0;
    const int64_t offset = checked_add(chunk.offset, chunk.band_offsets[i], "chunk: offset of a band");
    if (block.size > 0 && static_cast<uint64_t>(offset) != block.offset)
      return differs(v1::chunk::kBandOffsets, "byte " + std::to_string(offset) + band, std::to_string(block.offset));
    if (block.size > 0) end = std::max(end, static_cast<int64_t>(block.offset + block.size));
  }
  if (chunk.length != end - chunk.offset)
    return differs("tortilla:length", std::to_string(chunk.length), std::to_string(end - chunk.offset));
  if ((chunk.nodata || !is_stored) && !same_nodata(chunk.nodata, whole.nodata) && whole.is_nodata_known)
    return "chunk:nodata is not that of the raster";
  return "";
}

void check_chunk_bytes(const TiffLayout& chunk, const std::string& name) {
  const uint64_t needed = chunk.block_bytes();
  uint64_t unstored = 0;
  for (const ByteRange& block : chunk.blocks) {
    if (block.size == 0) {
      unstored = checked_add(unstored, needed, "size of a chunk");
    } else if (most_decompressed(chunk.compression, block.size) < needed) {
      throw FormatError("chunk: " + std::to_string(block.size) + " bytes cannot hold " + std::to_string(needed),
                        {.path = name, .offset = block.offset});
    }
  }
  if (unstored > kMostUnstored) {
    throw FormatError(
        "chunk: " + std::to_string(unstored) + " bytes of pixels that are not stored, at most 1 GiB expected",
        {.path = name});
  }
}

}  // namespace tacore
