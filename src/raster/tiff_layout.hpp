#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_range.hpp"
#include "io/byte_source.hpp"
#include "tacore/raster/raster.hpp"

namespace tacore {

enum class Compression : uint8_t { None, Zstd, Deflate, Lzw };

/// The layout of the pixels of a TIFF in its bytes: what decoding needs, and nothing else. It comes from the directory
/// of the file (tiff_directory.hpp) or from metadata beside it (tacotiff_header.hpp); every number of it is checked.
struct TiffLayout {
  int64_t width = 0, height = 0;
  int bands = 0;
  DataType type = DataType::UInt8;
  bool is_big_endian = false;
  Compression compression = Compression::None;
  int predictor = 1;
  bool is_planar = false;            ///< a block holds one band; else all of them, pixel by pixel
  bool is_tiled = false;             ///< blocks at the edges are whole; strips end with the image
  bool is_tile_interleaved = false;  ///< GDAL says that the bands of a tile are interleaved (BandInterleave=TILE)
  int64_t block_width = 0, block_height = 0;
  std::optional<double> nodata = {};
  std::optional<uint64_t> nodata_bits = {};  ///< of 64-bit integers: the same, to the last digit
  bool is_nodata_known = true;               ///< else it has to be looked up in the file
  /// The bytes of each block, band after band when planar, else row by row; {0, 0} is not stored. All lie in the file.
  std::vector<ByteRange> blocks = {};

  int64_t blocks_across() const { return (width + block_width - 1) / block_width; }
  int64_t blocks_down() const { return (height + block_height - 1) / block_height; }
  int64_t blocks_per_band() const { return blocks_across() * blocks_down(); }
  /// The number of blocks that the sizes require.
  uint64_t num_blocks() const {
    return static_cast<uint64_t>(blocks_per_band()) * static_cast<uint64_t>(is_planar ? bands : 1);
  }
  /// The number of values that a block stores for each of its pixels.
  std::size_t values_per_pixel() const { return is_planar ? 1 : static_cast<std::size_t>(bands); }
  /// The size of a whole block, decoded. Throws FormatError when it does not fit 64 bits.
  uint64_t block_bytes() const;
};

/// Throws FormatError unless all numbers of `layout` agree: at least one band, pixel and block; as many blocks as the
/// sizes require; blocks inside `file_size`; a block of at most 2 GiB decoded.
void check_layout(const TiffLayout& layout, uint64_t file_size, const std::string& name);

}  // namespace tacore
