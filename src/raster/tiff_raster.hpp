#pragma once

#include <memory>
#include <string>

#include "io/byte_source.hpp"
#include "tacore/raster/raster.hpp"
#include "raster/tiff_layout.hpp"

namespace tacore {

/// Decodes blocks of `source` as `layout` says, which has been checked (check_layout). `name` is for messages. What is
/// not in the layout (georeference()) is read from the file when it is asked for.
std::shared_ptr<const Raster> make_tiff_raster(std::shared_ptr<const ByteSource> source, TiffLayout layout,
                                               std::string name);

}  // namespace tacore
