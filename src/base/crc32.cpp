#include "base/crc32.hpp"

#include <libdeflate.h>

namespace tacore {
namespace {

/// The product of two polynomials modulo the polynomial of the CRC; the highest bit is the coefficient of 1.
uint32_t product(uint32_t a, uint32_t b) {
  uint32_t out = 0;
  for (; a != 0; a <<= 1) {
    if ((a & 0x80000000) != 0) out ^= b;
    b = (b & 1) != 0 ? (b >> 1) ^ 0xEDB88320 : b >> 1;
  }
  return out;
}

}  // namespace

uint32_t crc32(std::span<const std::byte> bytes, uint32_t crc) noexcept {
  // An empty span may have a null pointer, for which libdeflate returns its start value.
  if (bytes.empty()) return crc;
  return libdeflate_crc32(crc, bytes.data(), bytes.size());
}

uint32_t crc32_zeros(uint64_t count, uint32_t crc) noexcept {
  // A zero byte multiplies the register by x^8, and the register is the complement of the CRC.
  uint32_t out = ~crc;
  for (uint32_t power = 0x00800000; count != 0; count >>= 1, power = product(power, power)) {
    if ((count & 1) != 0) out = product(out, power);
  }
  return ~out;
}

}  // namespace tacore
