#pragma once

#include <cstdint>
#include <string>

#include "raster/tiff_directory.hpp"
#include "tortilla/chunk_table.hpp"

/// A chunk of a raster is itself a raster, with one block for each band, or for all bands.
namespace tacore {

/// The block number `number` of `whole`, row by row, with the byte ranges of all its bands; `keep_padding`: all pixels
/// of the block, else only those of the image. Throws QueryError when there is no such block.
TiffLayout chunk_layout(const TiffLayout& whole, uint64_t number, bool keep_padding, const std::string& name);

/// The layout of a chunk from its row in the chunk table of a raster of `file_size` bytes, checked. Throws FormatError.
TiffLayout chunk_layout(const v1::Chunk& chunk, bool keep_padding, uint64_t file_size, const std::string& name);

/// What is wrong in a row of a chunk table, for chunk `number` of its raster, whose directory is `file`: "chunk:dtype
/// is uint8, uint16 expected"; "" when all of it is right. Values that readers do not need may be absent: row and
/// column, axes, and the no-data value of a chunk that is stored. Throws as mrio_axes().
std::string why_wrong_chunk(const v1::Chunk& chunk, const TiffDirectory& file, uint64_t number);

/// Throws FormatError, before memory is allocated for a chunk, unless its blocks can hold their pixels; and for more
/// than 1 GiB where no block is stored.
void check_chunk_bytes(const TiffLayout& chunk, const std::string& name);

}  // namespace tacore
