#pragma once

#include <mutex>

namespace tacore {

/// A mutex that no other thread holds while the process forks, so that the child can lock it. Only for objects that
/// live as long as the process; whoever holds it must not wait for what another thread may hold while it forks, such as
/// the lock of a Python interpreter.
class ForkSafeMutex {
 public:
  ForkSafeMutex();
  ForkSafeMutex(const ForkSafeMutex&) = delete;
  ForkSafeMutex& operator=(const ForkSafeMutex&) = delete;

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace tacore
