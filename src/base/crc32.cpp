#include "base/crc32.hpp"

#include <libdeflate.h>

namespace tacore {

uint32_t crc32(std::span<const std::byte> bytes, uint32_t crc) noexcept {
  // An empty span may have a null pointer, for which libdeflate returns its start value.
  if (bytes.empty()) return crc;
  return libdeflate_crc32(crc, bytes.data(), bytes.size());
}

}  // namespace tacore
