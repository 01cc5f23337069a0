#pragma once

#include <cstddef>
#include <functional>

namespace tacore {

/// Runs `task(0)` to `task(count - 1)` on `jobs` threads (at least 1), in about this order. The first exception stops
/// the others after their current task and is rethrown.
void run_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& task);

}  // namespace tacore
