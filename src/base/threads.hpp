#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/interrupt.hpp"

namespace tacore {

/// How often a thread that waits looks whether its caller wants to stop.
inline constexpr std::chrono::milliseconds kInterruptPeriod{20};

/// The threads that `jobs` of options asks for: 0 is one for each processor.
inline int num_threads(int jobs) noexcept {
  return jobs > 0 ? jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Runs `task(0)` to `task(count - 1)` on `jobs` threads (at least 1, and fewer where the system has no more), in about
/// this order. The first exception stops the others after their current task, or while they wait for the network, and
/// is rethrown. Throws QueryError when the caller wants to stop.
void run_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& task);

/// Runs `work` on a thread of its own, and meanwhile calls `watch` on this one every kInterruptPeriod; rethrows what
/// `work` throws. The thread is kept for the next call: one that starts or ends while the process forks can leave
/// memory in the child that the C library frees twice.
void run_watched(const std::function<void()>& work, const std::function<void()>& watch);

/// Makes items on several threads and hands them out in order to one consumer thread, which makes items itself instead
/// of waiting. The items that wait for the consumer are bounded, by a limit that does not depend on `jobs`.
template <class T>
class OrderedWork {
 public:
  /// `make(0)` to `make(count - 1)` on `jobs` threads, the caller's among them (at least 1, and fewer where the system
  /// has no more). `weights` are the memory sizes of the items; those that wait have at most `limit` together, or
  /// there is only one.
  OrderedWork(std::vector<uint64_t> weights, uint64_t limit, int jobs, std::function<T(std::size_t)> make)
      : weights_(std::move(weights)), limit_(limit), make_(std::move(make)) {
    try {
      const Interruption caller = current_interruption();
      for (int i = 1; i < jobs && threads_.size() + 1 < weights_.size(); ++i) {
        threads_.emplace_back([this, caller] {
          const WorkerInterruption interruption(caller, is_stopped_);
          run();
        });
      }
    } catch (const std::system_error&) {  // no more threads: the existing ones do the work
    }
  }
  ~OrderedWork() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;

  /// The next one; nullopt at the end. Throws what making it threw, and QueryError when the caller wants to stop.
  std::optional<T> next() {
    std::unique_lock lock(mutex_);
    if (num_taken_ == weights_.size()) return std::nullopt;
    while (waiting_.empty() || !waiting_.front().is_done) {
      if (may_begin()) {
        make_one(lock);
      } else if (changed_.wait_for(lock, kInterruptPeriod) == std::cv_status::timeout) {
        lock.unlock();
        throw_if_interrupted();
        lock.lock();
      }
    }
    Item item = std::move(waiting_.front());
    waiting_.pop_front();
    weight_ -= weights_[num_taken_++];
    lock.unlock();
    changed_.notify_all();
    if (item.failure) std::rethrow_exception(item.failure);
    return std::move(item.value);
  }

 private:
  struct Item {
    bool is_done = false;
    std::optional<T> value = {};
    std::exception_ptr failure = {};
  };

  bool may_begin() const {
    const std::size_t number = num_taken_ + waiting_.size();
    return number < weights_.size() && (waiting_.empty() || weight_ + weights_[number] <= limit_);
  }

  void make_one(std::unique_lock<std::mutex>& lock) {
    const std::size_t number = num_taken_ + waiting_.size();
    weight_ += weights_[number];
    waiting_.emplace_back();
    lock.unlock();
    Item made{.is_done = true};
    try {
      made.value = make_(number);
    } catch (...) {
      made.failure = std::current_exception();
    }
    lock.lock();
    waiting_[number - num_taken_] = std::move(made);  // it cannot have been taken
    changed_.notify_all();
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!is_stopped_ && num_taken_ + waiting_.size() < weights_.size()) {
      if (may_begin()) {
        make_one(lock);
      } else {
        changed_.wait(lock);
      }
    }
  }

  const std::vector<uint64_t> weights_;
  const uint64_t limit_;
  const std::function<T(std::size_t)> make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> waiting_;  ///< begun and not handed out yet, in order
  std::size_t num_taken_ = 0;
  uint64_t weight_ = 0;  ///< of those waiting
  std::atomic<bool> is_stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tacore
