#pragma once

#include <cstdint>

namespace tacore {

/// [offset, offset + size)
struct ByteRange {
  uint64_t offset = 0;
  uint64_t size = 0;

  bool operator==(const ByteRange&) const = default;
};

}  // namespace tacore
