#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <utility>

#include "bind.hpp"
#include "tacore/task.hpp"

namespace tacore::python {

/// The progress callback of a Task: calls a Python function, and cancels the work when that returns False or raises,
/// and at Ctrl-C.
class Progress {
 public:
  /// `callback` is called with (done, total), or is None.
  explicit Progress(nb::handle callback) : callback_(callback) {}

  /// Sets the callback of `task`, whose work is then started by `run`.
  Progress(nb::handle callback, Task& task) : callback_(callback) {
    task.progress = &Progress::call;
    task.user = this;
  }

  /// Runs `work` in a thread of its own, so that this one can handle signals. Throws the exception of `work`, or the
  /// Python exception that cancelled it.
  template <class Work>
  auto run(Work&& work) {
    std::optional<nb::python_error> stopped;
    auto result = [&] {
      const nb::gil_scoped_release release;
      auto future = std::async(std::launch::async, std::forward<Work>(work));
      while (future.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
        const nb::gil_scoped_acquire acquire;
        if (!stop_ && PyErr_CheckSignals() != 0) {
          stopped.emplace();
          stop_ = true;
        }
      }
      return future;
    }();
    try {
      if (!stopped && !failed_) return result.get();
      result.wait();
      result.get();  // the work may be complete already; the exception of the signal is raised nevertheless
    } catch (...) {
      if (!stopped && !failed_) throw;
    }
    if (stopped) throw std::move(*stopped);
    throw std::move(*failed_);
  }

 private:
  static bool call(uint64_t num_done, uint64_t total, void* user) {
    auto& self = *static_cast<Progress*>(user);
    if (self.stop_) return false;
    if (self.callback_.is_none()) return true;
    const nb::gil_scoped_acquire acquire;
    try {
      const nb::object answer = self.callback_(num_done, total);
      if (answer.is(nb::handle(Py_False))) self.stop_ = true;
    } catch (nb::python_error& error) {
      self.failed_.emplace(std::move(error));
      self.stop_ = true;
    }
    return !self.stop_;
  }

  nb::handle callback_;
  std::atomic<bool> stop_ = false;
  std::optional<nb::python_error> failed_;
};

}  // namespace tacore::python
