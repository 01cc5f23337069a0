#include "base/interrupt.hpp"

#include <mutex>

#include "tacore/error.hpp"

namespace tacore {
namespace {

std::mutex interruption_mutex;
Interruption of_process;
thread_local Interruption of_thread;

}  // namespace

void set_interrupt_check(InterruptCheck check, void* user) noexcept {
  const std::lock_guard lock(interruption_mutex);
  of_process = {check, user};
}

InterruptScope::InterruptScope(InterruptCheck check, void* user) noexcept
    : outer_check_(of_thread.check), outer_user_(of_thread.user) {
  of_thread = {check, user};
}

InterruptScope::~InterruptScope() { of_thread = {outer_check_, outer_user_}; }

Interruption current_interruption() noexcept {
  if (of_thread.is_possible()) return of_thread;
  const std::lock_guard lock(interruption_mutex);
  return of_process;
}

void throw_if_interrupted() {
  if (current_interruption().is_wanted()) throw QueryError("the call was stopped");
}

}  // namespace tacore
