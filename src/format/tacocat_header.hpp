#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_range.hpp"

/// The header of a `__TACOCAT__` file (§6.5; docs/format.md): 128 bytes, little-endian.
namespace tacore::tacocat_header {

inline constexpr uint64_t kSize = 128;

struct Header {
  std::vector<ByteRange> levels = {};  ///< max_depth + 1 of them
  ByteRange collection = {};
};

/// True when the bytes start with the magic.
bool is_header(std::span<const std::byte> bytes) noexcept;

/// Parses the first kSize bytes of a file of `file_size` bytes. Throws FormatError: too short,
/// other magic, version other than 1, max_depth above 5, a level up to max_depth or a collection
/// that is absent, a range that goes beyond the end of the file or starts inside the header.
Header parse(std::span<const std::byte> bytes, uint64_t file_size);

/// The kSize bytes, as parse() reads them. Throws FormatError: no level or more than six, or an empty range.
std::vector<std::byte> encode(const Header& header);

}  // namespace tacore::tacocat_header
