#include "base/fork.hpp"

#include <pthread.h>

#include <vector>

namespace tacore {
namespace {

/// All ForkSafeMutexes of the process, in the order in which they are locked. It is never destroyed: a process may fork
/// while it ends.
std::vector<ForkSafeMutex*>& mutexes() {
  static auto& out = *new std::vector<ForkSafeMutex*>;
  return out;
}

void lock_all() {
  for (auto* mutex : mutexes()) mutex->lock();
}

void unlock_all() {
  for (auto* mutex : mutexes()) mutex->unlock();
}

}  // namespace

ForkSafeMutex::ForkSafeMutex() {
  if (mutexes().empty()) ::pthread_atfork(lock_all, unlock_all, unlock_all);
  mutexes().push_back(this);
}

}  // namespace tacore
