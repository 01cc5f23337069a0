#pragma once

#include "io/byte_source.hpp"

namespace tacore {

/// Bytes in memory, for small inputs, repaired tables and tests.
std::shared_ptr<const ByteSource> memory_source(std::string name, Bytes bytes);

}  // namespace tacore
