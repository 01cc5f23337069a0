#pragma once

#include <cstdint>

namespace tacore {

/// [offset, offset + size)
struct ByteRange {
  uint64_t offset = 0;
  uint64_t size = 0;

  bool operator==(const ByteRange&) const = default;
};

constexpr bool lies_in(ByteRange inner, ByteRange outer) noexcept {
  return inner.offset >= outer.offset && inner.size <= outer.size &&
         inner.offset - outer.offset <= outer.size - inner.size;
}

}  // namespace tacore
