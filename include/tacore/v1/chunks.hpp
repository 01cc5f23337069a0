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

/// A chunk of a raster: the tiles of all its bands at one place. `id` is that of the raster, or a path of ids from
/// here, then `::` and the number of the place, counted row by row: "lrf::2", "img1/lrf::2". Shape (bands, height,
/// width), as far as the image goes; bands that a mrio file unfolds into several axes have these instead. Tiles that
/// are left out hold no data, or 0 where none is set.
///
/// In a streaming TACO its footer says where the chunk is, and one range is read. Else the directory of the TIFF does.
///
/// Throws QueryError for an id of another form and for a number that the raster does not have; NavigationError as
/// DataFrame::read, and for a FOLDER; FormatError when the footer or the file lies, and for pixels that are not
/// decoded; IoError.
TACORE_EXPORT Tensor read_chunk(const DataFrame& frame, std::string_view id, const ChunkOptions& options = {});

/// What an id of TACO 0.2.0 leads to: a path for GDAL, the children of a Tortilla, the bytes of a BYTES, a chunk.
using Datum = std::variant<VsiPath, DataFrame, Bytes, Tensor>;

/// DataFrame::read and read_chunk() in one: an id that is there is read, though it may end like a chunk. Throws as they
/// do.
TACORE_EXPORT Datum read(const DataFrame& frame, std::string_view id);

}  // namespace tacore::v1
