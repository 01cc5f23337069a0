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

/// An image in memory: rows from the top, the channels of a pixel interleaved. `channels` is 1 for grey, 2 for grey and
/// alpha, 3 for RGB, 4 for RGBA.
struct Picture {
  int64_t width = 0;
  int64_t height = 0;
  int channels = 1;
  DataType type = DataType::UInt8;  ///< or UInt16
  Bytes samples = {};               ///< in the byte order of this machine
};

/// Converts a tensor of shape (bands, height, width) to an image, one channel for each band, with unchanged values.
/// Throws QueryError for other shapes, more than four bands, and types other than uint8 and uint16.
TACORE_EXPORT Picture to_picture(const Tensor& pixels);

/// Options of preview().
struct PreviewOptions {
  /// Bands from 1: one for grey, three for red, green and blue; none: the first three, or the first.
  std::vector<int> bands = {};
  int64_t size = 512;  ///< maximal width and height in pixels
};

/// Makes a small 8-bit image of a raster: each pixel is the mean of the raster's pixels that it covers, stretched from
/// the 2nd to the 98th percentile of each band. No data and values that are not finite are left out; a pixel without
/// any other value is transparent. Reads the whole raster in bounded memory. Throws as Raster::read(), and QueryError
/// for another number of bands and a size below 1 or above 16384.
///
///     const Bytes png = encode_png(preview(*open_raster("image.tif"), {.bands = {3, 2, 1}}));
TACORE_EXPORT Picture preview(const Raster& raster, const PreviewOptions& options = {});

/// Encodes an image as PNG (ISO/IEC 15948). Throws ValidationError when its size does not match `samples` or exceeds
/// that of PNG (2^31 - 1 pixels on a side).
TACORE_EXPORT Bytes encode_png(const Picture& picture);

}  // namespace tacore
