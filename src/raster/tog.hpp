#pragma once

#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/raster/tog.hpp"

namespace tacore {

/// The public check_tacotiff(), for the bytes of a file.
std::vector<std::string> check_tacotiff(const ByteSource& source);

}  // namespace tacore
