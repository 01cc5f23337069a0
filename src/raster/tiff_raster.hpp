#pragma once

#include <memory>
#include <string>

#include "io/byte_source.hpp"
#include "raster/tiff_layout.hpp"
#include "tacore/raster/raster.hpp"

namespace tacore {

/// A raster that decodes blocks of `source` by `layout`, which check_layout() has passed. `name` is for messages. What
/// the layout lacks (georeference()) is read from the file on first use.
std::shared_ptr<const Raster> make_tiff_raster(std::shared_ptr<const ByteSource> source, TiffLayout layout,
                                               std::string name);

/// The sizes, pixel type and storage that a layout describes.
RasterInfo info_of(const TiffLayout& layout);

/// Whether make_tiff_raster() has made it.
bool is_tiff_raster(const Raster& raster) noexcept;

}  // namespace tacore
