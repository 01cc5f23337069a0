#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/num_threads.hpp"

namespace tacore {

/// Memory of this thread, `size` bytes of any content, which its next call reuses: new pages for each piece cost more
/// than copying it. It lies as OutputFile wants it for what is written at `offset`. Throws std::bad_alloc.
std::span<std::byte> scratch(std::size_t size, uint64_t offset = 0);

/// Runs `task(0)` to `task(count - 1)` on `jobs` threads (at least 1, and fewer where the system has no
/// more), in about this order. The first exception stops
/// the others after their current task and is rethrown.
void run_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& task);

}  // namespace tacore
