#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "raster/tiff_layout.hpp"

/// The TacoTIFF header: the structure of a TIFF in 35 bytes and 4 for each tile. A dataset stores it in a column, so
/// that a reader can fetch tiles without reading the TIFF directory first. Encoder and decoder; pure functions.
///
///     0 u32 magic "LOVE"    14 u16 tile width     21 u8  sample format: 1 unsigned, 2 signed, 3 floating point
///     4 u16 version 1       16 u16 tile height    22 u8  predictor
///     6 u32 width           18 u16 bands          23 u64 first byte of the first tile
///    10 u32 height          20 u8  bits           31 u32 number of tiles, then u32 bytes of each
///
/// Little-endian. Tiles are in file order with 8 bytes between two, as in a COG with interleaved tiles: for each tile
/// position, row by row, the tile of each band. The no-data value is not part of it.
namespace tacore {

/// Everything in `layout` that such a header cannot express ("is big-endian"); empty when it can be encoded.
std::vector<std::string> why_no_tacotiff_header(const TiffLayout& layout);

/// Encodes `layout`. Throws ValidationError with all reasons of why_no_tacotiff_header().
std::string encode_tacotiff_header(const TiffLayout& layout);

/// The layout of a file of `file_size` bytes, checked; its no-data value is unknown. Throws FormatError that names
/// `name`: another magic or version, inconsistent numbers, tiles that are empty or lie outside of the file.
TiffLayout decode_tacotiff_header(std::string_view header, uint64_t file_size, const std::string& name);

}  // namespace tacore
