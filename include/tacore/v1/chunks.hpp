#pragma once

#include <string_view>
#include <variant>

#include "tacore/dataframe.hpp"
#include "tacore/raster/tensor.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"

/// Chunks of rasters, as ids of TACO 0.2.0 name them.
namespace tacore::v1 {

struct ChunkOptions {
  bool keep_padding = false;  ///< the whole tile where the image ends inside of it; what lies beyond is unspecified
};

/// Reads a chunk of a raster: the tiles of all its bands at one position. `id` is the id of the raster, or a path of
/// ids, then `::` and the number of the position, counted row by row: "lrf::2", "img1/lrf::2". The shape is (bands,
/// height, width), cut at the edge of the image; the bands of a MRIO file may unfold into several axes. Tiles that the
/// file leaves out are no data, or 0 where none is set.
///
/// In a streaming TACO the footer locates the chunk, and one range is read. Otherwise the directory of the TIFF is read
/// first.
///
/// Throws QueryError for an id of another form and for a number that the raster does not have; NavigationError as
/// DataFrame::read, and for a FOLDER; FormatError for a damaged footer or file and for pixels that cannot be decoded;
/// IoError.
TACORE_EXPORT Tensor read_chunk(const DataFrame& frame, std::string_view id, const ChunkOptions& options = {});

/// The data that an id of TACO 0.2.0 names: a path for GDAL, the children of a Tortilla, the bytes of a BYTES, or a
/// chunk.
using Datum = std::variant<VsiPath, DataFrame, Bytes, Tensor>;

/// DataFrame::read or read_chunk(), as the id says; an existing id wins over a chunk of the same name. Throws as they
/// do.
TACORE_EXPORT Datum read(const DataFrame& frame, std::string_view id);

}  // namespace tacore::v1
