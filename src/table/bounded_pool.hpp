#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>

namespace tacore {

/// A memory pool for what is decoded from a file of this many bytes: it refuses single allocations that no honest file
/// of that size needs, so that a page header that lies about its size costs nothing. Lives as long as the process.
arrow::MemoryPool* bounded_pool(uint64_t file_size);

}  // namespace tacore
