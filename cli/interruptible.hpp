#pragma once

#include <cstdint>

namespace tacore::cli {

/// While this lives, Ctrl-C and its like only ask the work to stop, so that it can clean up. Ended by the same signal
/// afterwards.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  static bool interrupted() noexcept;
};

/// For `progress` of options whose `user` is a ProgressBar: false after Ctrl-C.
bool show_unless_interrupted(uint64_t num_done, uint64_t num_bytes, void* bar);

}  // namespace tacore::cli
