#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacore/dataframe.hpp"
#include "tacore/raster/raster.hpp"
#include "tacore/raster/tensor.hpp"
#include "tacore/visibility.hpp"

/// Previews and PNG files.
namespace tacore {

/// An image in memory: rows from the top, the channels of a pixel together. `channels`: 1 grey, 2 grey and alpha, 3
/// RGB, 4 RGBA.
struct Picture {
  int64_t width = 0;
  int64_t height = 0;
  int channels = 1;
  DataType type = DataType::UInt8;  ///< or UInt16
  Bytes samples = {};               ///< in the byte order of this machine
};

/// The values of a tensor of shape (bands, height, width), unchanged, with a channel for each band. Throws QueryError
/// for other shapes, more than four bands, and types other than uint8 and uint16.
TACORE_EXPORT Picture to_picture(const Tensor& pixels);

struct PreviewOptions {
  std::vector<int> bands =
      {};              ///< from 1: one for grey, three for red, green, blue; none: the first three, or the first
  int64_t size = 512;  ///< pixels of the longer side, at most
};

/// A small picture of a raster, 8 bits a channel: each pixel is the mean of the raster's pixels that it covers, and the
/// range from the 2nd to the 98th percentile of each band is stretched from dark to bright. No data and values that are
/// not finite are left out; where a pixel covers nothing else it is transparent. Reads the whole raster in bounded
/// memory. Throws as Raster::read, and QueryError for another number of bands and a size below 1 or above 16384.
TACORE_EXPORT Picture preview(const Raster& raster, const PreviewOptions& options = {});

/// PNG (ISO/IEC 15948). Throws ValidationError when the sizes do not fit the samples or PNG (2^31 - 1 pixels a side).
TACORE_EXPORT Bytes encode_png(const Picture& picture);

}  // namespace tacore
