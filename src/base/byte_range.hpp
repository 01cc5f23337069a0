#pragma once

#include <cstdint>

namespace tacore {

/// [offset, offset + size)
struct ByteRange {
  uint64_t offset = 0;
  uint64_t size = 0;

  bool operator==(const ByteRange&) const = default;
};

/// True when all bytes of `inner` are in `outer`, also where the end of a range exceeds 64 bits.
constexpr bool lies_in(ByteRange inner, ByteRange outer) noexcept {
  return inner.offset >= outer.offset && inner.size <= outer.size &&
         inner.offset - outer.offset <= outer.size - inner.size;
}

}  // namespace tacore
