#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "raster/tiff_layout.hpp"

namespace tacore {

/// The structure of any TIFF that tacore decodes, for what a TacoTIFF header cannot say: a BigTIFF with one directory
/// of the fields that decoding needs, whose offsets are those of the file it stands for, and without pixels.
std::string encode_tiff_structure(const TiffLayout& layout);

/// The layout that `header` states of a file of `file_size` bytes: a TacoTIFF header, or what encode_tiff_structure()
/// gave. Throws FormatError that names `name`.
TiffLayout layout_from_header(std::string_view header, uint64_t file_size, const std::string& name);

}  // namespace tacore
