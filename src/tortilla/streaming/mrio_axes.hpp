#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tacore {

/// The lengths of the axes that were folded into `bands` bands, outermost first, from the metadata item `MD_METADATA`
/// of a TIFF; empty without this item, and where its pattern reorders axes. `gdal_metadata` is tag 42112. Throws
/// FormatError for lengths whose product is not the number of bands, SchemaError for bands that are also folded into
/// space.
std::vector<int64_t> mrio_axes(std::string_view gdal_metadata, int bands);

}  // namespace tacore
