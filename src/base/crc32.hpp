#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tacore {

/// CRC-32 as ZIP defines it (APPNOTE 4.4.7), continued from `crc` (0 to start).
uint32_t crc32(std::span<const std::byte> bytes, uint32_t crc = 0) noexcept;

}  // namespace tacore
