#pragma once

#include "tacore/visibility.hpp"

namespace tacore {

/// Returns true to stop the running call. Called about fifty times a second while a call waits for a query, for the
/// network or for its own threads, from the thread that waits and from threads that work for it; must not throw.
using InterruptCheck = bool (*)(void* user);

/// Sets the function that can stop every call of the process, for programs that handle signals; nullptr, the initial
/// value, for none. `user` is passed to it. A stopped call throws QueryError. Safe from any thread.
TACORE_EXPORT void set_interrupt_check(InterruptCheck check, void* user = nullptr) noexcept;

/// Throws QueryError when the call that this thread works for shall stop. For a RasterOpener or a callback that waits.
TACORE_EXPORT void throw_if_interrupted();

/// The function that can stop the calls that this thread makes while the object lives: loads, queries, reads and
/// batches too. The function of set_interrupt_check() is not called for them. Scopes nest; the innermost counts.
///
///     std::atomic<bool> stop = false;  // another thread sets it
///     const InterruptScope scope([](void* user) { return static_cast<std::atomic<bool>*>(user)->load(); }, &stop);
///     const DataFrame rows = load("s3://bucket/chips.tacozip").data();
class TACORE_EXPORT InterruptScope {
 public:
  explicit InterruptScope(InterruptCheck check, void* user = nullptr) noexcept;
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  InterruptCheck outer_check_;
  void* outer_user_;
};

}  // namespace tacore
