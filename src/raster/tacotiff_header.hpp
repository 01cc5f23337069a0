#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "raster/tiff_layout.hpp"

/// The TacoTIFF header (spec/toolbox.md 2.5): the structure of a TIFF in 35 bytes and 4 for each tile, which a dataset
/// has in a column so that nothing needs to be read before the tiles. Encode beside decode; pure.
///
///     0 u32 magic "LOVE"    14 u16 tile width     21 u8  sample format: 1 unsigned, 2 signed, 3 floating point
///     4 u16 version 1       16 u16 tile height    22 u8  predictor
///     6 u32 width           18 u16 bands          23 u64 first byte of the first tile
///    10 u32 height          20 u8  bits           31 u32 number of tiles, then u32 bytes of each
///
/// Little-endian. Tiles are in the order in which they lie in the file, and 8 bytes lie between two, as in a COG whose
/// tiles are interleaved: for each place, row by row, the tile of each band. No data is not part of it.
namespace tacore {

/// What `layout` has that such a header cannot say ("is big-endian"), all of it; empty when it can be encoded.
std::vector<std::string> why_no_tacotiff_header(const TiffLayout& layout);

/// Throws ValidationError with all that why_no_tacotiff_header() finds.
std::string encode_tacotiff_header(const TiffLayout& layout);

/// The layout of a file of `file_size` bytes, checked; no data is not known. Throws FormatError that names `name`:
/// another magic or version, numbers that do not agree with each other, tiles that are empty or leave the file.
TiffLayout decode_tacotiff_header(std::string_view header, uint64_t file_size, const std::string& name);

}  // namespace tacore
