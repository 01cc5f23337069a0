#pragma once

#include <cstdint>
#include <string_view>

#include "tacore/visibility.hpp"

namespace tacore {

/// Parses a size in bytes as people write it: `4GB`, `1.5 TiB`, `512m`, `1000`. The units B, KB, MB, GB and TB are
/// powers of 1024, with or without an i, in any case. Throws ValidationError for other text, 0 and 2^63 bytes or more.
TACORE_EXPORT uint64_t parse_size(std::string_view text);

}  // namespace tacore
