#pragma once

#include <cstdint>
#include <string>

#include "raster/tiff_directory.hpp"
#include "tortilla/chunk_table.hpp"

/// A chunk of a raster is a raster of one block for each band, or for all (dossier v1 3.3).
namespace tacore {

/// The block at place `number`, row by row, of `whole`, with the ranges of all its bands; `keep_padding`: all pixels
/// that it holds, else those of the image. Throws QueryError when there is no such place.
TiffLayout chunk_layout(const TiffLayout& whole, uint64_t number, bool keep_padding, const std::string& name);

/// The same from a row of a chunk table of a raster of `file_size` bytes, every number checked. Throws FormatError.
TiffLayout chunk_layout(const v1::Chunk& chunk, bool keep_padding, uint64_t file_size, const std::string& name);

/// What a row of a chunk table says wrongly of the chunk `number` of its raster, whose directory is `file`:
/// "chunk:dtype is uint8, uint16 expected"; "" when all of it is right. What readers need not be told may be left out:
/// row and column, axes, and the no-data value of a chunk that is stored. Throws what mrio_axes() throws.
std::string why_wrong_chunk(const v1::Chunk& chunk, const TiffDirectory& file, uint64_t number);

/// Before memory is taken for what a chunk claims to hold: throws FormatError unless its blocks can hold their pixels,
/// and for more than 1 GiB where none is stored.
void check_chunk_bytes(const TiffLayout& chunk, const std::string& name);

}  // namespace tacore
