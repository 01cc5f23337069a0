#pragma once

#include <cstdint>
#include <string>

#include "tacore/error.hpp"
#include "tacore/task.hpp"

namespace tacore {

/// Calls the progress callback of `task`, if there is one. Throws IoError, about `path`, when it cancels the work.
inline void report(const Task& task, uint64_t num_done, uint64_t num_total, const std::string& path = {}) {
  if (task.progress && !task.progress(num_done, num_total, task.user)) throw IoError("stopped", {.path = path});
}

}  // namespace tacore
