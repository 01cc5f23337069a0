#pragma once

#include <atomic>

#include "tacore/interrupt.hpp"

namespace tacore {

/// The function that can stop the calls of a thread.
struct Interruption {
  InterruptCheck check = nullptr;
  void* user = nullptr;

  bool is_possible() const noexcept { return check != nullptr; }
  bool is_wanted() const noexcept { return check != nullptr && check(user); }
};

/// The interruption of the calling thread: that of its InterruptScope, else that of the process.
Interruption current_interruption() noexcept;

/// Makes a thread that works for a call stop with it: when `caller` wants to stop, or when `stop` is set.
class WorkerInterruption {
 public:
  WorkerInterruption(Interruption caller, const std::atomic<bool>& stop) noexcept
      : caller_(caller), stop_(stop), scope_(&WorkerInterruption::check, this) {}

 private:
  static bool check(void* user) {
    const auto& self = *static_cast<const WorkerInterruption*>(user);
    return self.stop_ || self.caller_.is_wanted();
  }

  const Interruption caller_;
  const std::atomic<bool>& stop_;
  const InterruptScope scope_;
};

}  // namespace tacore
