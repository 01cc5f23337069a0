#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tacore/error.hpp"
#include "tacore/raster/raster.hpp"

namespace tacore {

/// The size of an array in bytes; a length of 0 makes it empty.
inline std::size_t size_of_tensor(DataType type, const std::vector<int64_t>& shape) {
  int64_t size = static_cast<int64_t>(size_of(type));
  bool fits = true;
  for (const int64_t length : shape) {
    if (length < 0) throw QueryError("a tensor has no axis of length " + std::to_string(length));
    fits = fits && !__builtin_mul_overflow(size, length, &size);
  }
  if (!fits) throw QueryError("a tensor of more than 2^63 bytes");
  if (static_cast<uint64_t>(size) > std::numeric_limits<std::size_t>::max())
    throw QueryError("a tensor of " + std::to_string(size) + " bytes, which is more than there can be memory");
  return static_cast<std::size_t>(size);
}

}  // namespace tacore
