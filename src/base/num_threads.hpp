#pragma once

#include <algorithm>
#include <thread>

namespace tacore {

/// The threads that `jobs` of options asks for: 0 is one for each processor.
inline int num_threads(int jobs) noexcept {
  return jobs > 0 ? jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace tacore
