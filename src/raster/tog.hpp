#pragma once

#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/raster/tog.hpp"

namespace tacore {

/// check_tacotiff() of bytes.
std::vector<std::string> check_tacotiff(const ByteSource& source);

}  // namespace tacore
