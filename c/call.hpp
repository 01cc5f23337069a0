#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "tacore.h"
#include "tacore/task.hpp"

/// What every function of the C interface does around its work: it catches exceptions, and polls.
namespace tacore::c {

/// Thrown for an argument that a caller must not pass: TACORE_E_ARGUMENT.
class ArgumentError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The call that runs: what its poll function is told, and whether it told to stop.
class Call {
 public:
  /// Sets the progress callback of `task`, for work that this call does.
  void watch(Task& task) noexcept {
    task.progress = &Call::progress;
    task.user = this;
  }

  std::atomic<uint64_t> num_done = 0;
  std::atomic<uint64_t> num_total = 0;
  std::atomic<bool> is_stopped = false;

 private:
  static bool progress(uint64_t num_done, uint64_t num_total, void* user) noexcept {
    auto& self = *static_cast<Call*>(user);
    self.num_done = num_done;
    self.num_total = num_total;
    return !self.is_stopped;
  }
};

/// Runs `work`, and translates its exception into a status and an error.
tacore_status run(tacore_error** error, const std::function<void()>& work) noexcept;

/// Runs `work`, which may wait for a query or a server: this thread polls where it waits.
tacore_status run_waiting(tacore_error** error, const std::function<void()>& work) noexcept;

/// Runs `work`, which may take long by itself. Where the thread has a poll function, another thread does the work, and
/// this one polls.
tacore_status run_polled(tacore_error** error, const std::function<void(Call&)>& work) noexcept;

/// Throws ArgumentError when a required pointer is NULL.
inline void require(const void* pointer, const char* name) {
  if (pointer == nullptr) throw ArgumentError(std::string(name) + " is NULL");
}

/// Sets a result to NULL before the work begins, so that it is NULL after a failure.
template <class T>
void clear(T** result) noexcept {
  if (result != nullptr) *result = nullptr;
}

/// A text argument that may be NULL.
inline std::string text_or(const char* text, const char* otherwise) { return text != nullptr ? text : otherwise; }

}  // namespace tacore::c
