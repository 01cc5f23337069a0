#pragma once

#include <cstdint>
#include <string_view>

namespace tacore {

/// Bytes from text such as `4GB`, `1.5 mb`, `512KiB`, `2g` or `1000`: a decimal number and a unit of B, K, M, G or T,
/// with or without B or iB, in any case, blanks around either. Units are powers of 1024, with and without the i. A
/// fraction of a byte is cut off. Throws QueryError for other text, zero, and what does not fit into 64 bits.
uint64_t parse_byte_size(std::string_view text);

}  // namespace tacore
