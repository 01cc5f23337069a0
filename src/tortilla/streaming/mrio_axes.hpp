#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tacore {

/// The lengths of the axes that were folded into `bands` bands, outermost first, as the metadata item `MD_METADATA` of
/// a TIFF says (dossier v1 4.5); empty where it has none, and where its pattern reorders them. `gdal_metadata` is tag
/// 42112. Throws FormatError for lengths that are not those of the bands, SchemaError for bands that are folded into
/// space, too.
std::vector<int64_t> mrio_axes(std::string_view gdal_metadata, int bands);

}  // namespace tacore
