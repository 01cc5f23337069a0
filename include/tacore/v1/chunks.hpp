#pragma once

#include <string_view>
#include <variant>

#include "tacore/dataframe.hpp"
#include "tacore/raster/tensor.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"

/// Chunks of rasters, which TACO 0.2.0 names by ids such as "lrf::2".
namespace tacore::v1 {

/// Options of read_chunk().
struct ChunkOptions {
  /// Return whole tiles at the edge of the image; the values beyond the edge are unspecified.
  bool keep_padding = false;
};

/// Reads a chunk of a raster: the tiles of all its bands at one position. `id` is the id of the raster, or a path of
/// ids, then `::` and the number of the position, counted row by row from 0: "lrf::2", "img1/lrf::2". The shape is
/// (bands, height, width), cut at the edge of the image; the bands of a MRIO file may unfold into several axes. Tiles
/// that a sparse file does not contain are no data, or 0 when no value is set.
///
///     const Tensor chunk = v1::read_chunk(load("stream.taco").data(), "lrf::2");
///
/// In a streaming TACO the footer locates the chunk, and one byte range is read. Otherwise the directory of the TIFF is
/// read first.
///
/// Throws QueryError for an id of another form and for a number that the raster does not have; NavigationError as
/// DataFrame::read(), and for a FOLDER; FormatError for a damaged footer or file and for pixels that cannot be decoded;
/// IoError.
TACORE_EXPORT Tensor read_chunk(const DataFrame& frame, std::string_view id, const ChunkOptions& options = {});

/// What v1::read() returns: a path for GDAL, the children of a nested Tortilla, the bytes of a FILE of format BYTES, or
/// a chunk.
using Datum = std::variant<VsiPath, DataFrame, Bytes, Tensor>;

/// Reads the data that an id of TACO 0.2.0 names, with DataFrame::read() or read_chunk(). An existing id takes
/// precedence over a chunk of the same name. Throws as these functions.
TACORE_EXPORT Datum read(const DataFrame& frame, std::string_view id);

}  // namespace tacore::v1
