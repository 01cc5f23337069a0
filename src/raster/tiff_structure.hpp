#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "raster/tiff_layout.hpp"

namespace tacore {

/// Encodes the structure of any TIFF that tacore decodes, for what a TacoTIFF header cannot express: a BigTIFF of one
/// directory with the fields that decoding needs, without pixels, whose offsets are those of the original file.
std::string encode_tiff_structure(const TiffLayout& layout);

/// The layout that `header` states of a file of `file_size` bytes: a TacoTIFF header, or the result of
/// encode_tiff_structure(). Throws FormatError that names `name`.
TiffLayout layout_from_header(std::string_view header, uint64_t file_size, const std::string& name);

}  // namespace tacore
