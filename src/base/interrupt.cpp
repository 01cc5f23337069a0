#include "tacore/interrupt.hpp"

#include <atomic>

namespace tacore {
namespace {

std::atomic<InterruptCheck> current = nullptr;

}  // namespace

void set_interrupt_check(InterruptCheck check) noexcept { current = check; }

InterruptCheck interrupt_check() noexcept { return current; }

}  // namespace tacore
