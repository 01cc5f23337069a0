#pragma once

#include "tacore/visibility.hpp"

namespace tacore {

/// Returns true to stop a query. Called about fifty times a second, from the thread that needs the rows, while the
/// query runs; must not throw.
using InterruptCheck = bool (*)();

/// Sets the function that can stop queries, for programs that handle signals; nullptr, the initial value, for none. The
/// call that waits for a stopped query throws QueryError. Safe from any thread.
TACORE_EXPORT void set_interrupt_check(InterruptCheck check) noexcept;

/// The current function.
TACORE_EXPORT InterruptCheck interrupt_check() noexcept;

}  // namespace tacore
