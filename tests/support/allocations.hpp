#pragma once

#include <cstdint>

namespace tacore::mutate {

/// Forgets what was asked for so far.
void forget_allocations();
/// The largest piece of memory that anything in this process asked for since then, whether it got it or not. 0 under a
/// sanitizer, which counts by itself (ASAN_OPTIONS max_allocation_size_mb).
uint64_t largest_allocation();

}  // namespace tacore::mutate
