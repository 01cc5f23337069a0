#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tacore {

/// CRC-32 as ZIP defines it (APPNOTE 4.4.7), continued from `crc` (0 to start).
uint32_t crc32(std::span<const std::byte> bytes, uint32_t crc = 0) noexcept;

/// CRC-32 of `count` zero bytes, continued from `crc`, without reading any.
uint32_t crc32_zeros(uint64_t count, uint32_t crc) noexcept;

}  // namespace tacore
