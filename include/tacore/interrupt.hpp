#pragma once

#include "tacore/visibility.hpp"

namespace tacore {

/// True when the thread that calls it should give up what it waits for. Called about fifty times a second, from the
/// thread that asked for rows, while their query runs; must not throw.
using InterruptCheck = bool (*)();

/// From now on `check` (nullptr, the start value: nothing) can stop queries: the call that waits for one throws
/// QueryError within a moment. For programs that must answer signals. Safe from any thread.
TACORE_EXPORT void set_interrupt_check(InterruptCheck check) noexcept;

/// The check in force.
TACORE_EXPORT InterruptCheck interrupt_check() noexcept;

}  // namespace tacore
