#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>

namespace tacore {

/// A memory pool for decoding a file of this many bytes. It refuses any allocation that no valid file of that size
/// needs, so that a page header with a false size costs nothing. Lives as long as the process.
arrow::MemoryPool* bounded_pool(uint64_t file_size);

}  // namespace tacore
