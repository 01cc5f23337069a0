#pragma once

#include <cstdint>
#include <string_view>

#include "tacore/visibility.hpp"

namespace tacore {

/// Bytes as a person writes them: `4GB`, `1.5 TiB`, `512m`, `1000`; B, KB, MB, GB and TB in powers of 1024, with or
/// without an i, in any case. Throws ValidationError for anything else, 0 and 2^63 bytes or more.
TACORE_EXPORT uint64_t parse_size(std::string_view text);

}  // namespace tacore
