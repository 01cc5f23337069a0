#include "base/threads.hpp"

#include <unistd.h>

#include "base/fork.hpp"

namespace tacore {

void run_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& task) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> is_stopped = false;
  std::mutex mutex;
  std::exception_ptr failure;
  std::condition_variable ended;
  std::size_t num_running = 0;
  const auto fail = [&](std::exception_ptr why) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::move(why);
    next = count;
    is_stopped = true;
  };
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        fail(std::current_exception());
      }
    }
  };
  const Interruption caller = current_interruption();
  std::vector<std::thread> threads;
  const auto wanted = std::min<std::size_t>(static_cast<std::size_t>(std::max(jobs, 1)), count);
  try {
    while (threads.size() + 1 < wanted) {
      threads.emplace_back([&, caller] {
        const WorkerInterruption interruption(caller, is_stopped);
        work();
        const std::lock_guard lock(mutex);
        --num_running;
        ended.notify_one();
      });
      const std::lock_guard lock(mutex);
      ++num_running;
    }
  } catch (const std::system_error&) {  // no more threads: the existing ones do the work
  }
  {
    const WorkerInterruption interruption(caller, is_stopped);  // of this thread, too: another may fail meanwhile
    work();
  }
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, kInterruptPeriod, [&] { return num_running == 0; })) {
    lock.unlock();
    try {
      if (!is_stopped) throw_if_interrupted();
    } catch (...) {
      fail(std::current_exception());
    }
    lock.lock();
  }
  lock.unlock();
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

namespace {

/// A thread that runs one task after the other.
class KeptThread {
 public:
  KeptThread() : thread_([this] { run(); }) {}
  ~KeptThread() {
    start({});
    thread_.join();
  }
  KeptThread(const KeptThread&) = delete;
  KeptThread& operator=(const KeptThread&) = delete;

  /// Runs the task after the one before; an empty task ends the thread. Tasks do not throw.
  void start(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !tasks_.empty(); });
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      if (!task) return;
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_;
};

/// The threads that wait for work, of the process that started them: a forked child has none of them.
class KeptThreads {
 public:
  ~KeptThreads() {
    if (process_ != ::getpid()) abandon();
  }

  std::unique_ptr<KeptThread> take() {
    const std::lock_guard lock(mutex_);
    if (process_ != ::getpid()) abandon();
    if (idle_.empty()) return std::make_unique<KeptThread>();
    auto out = std::move(idle_.back());
    idle_.pop_back();
    return out;
  }
  void give_back(std::unique_ptr<KeptThread> thread) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(thread));
  }

 private:
  void abandon() {
    for (auto& thread : idle_) static_cast<void>(thread.release());
    idle_.clear();
    process_ = ::getpid();
  }

  ForkSafeMutex mutex_;
  std::vector<std::unique_ptr<KeptThread>> idle_;
  pid_t process_ = ::getpid();
};

KeptThreads kept_threads;

}  // namespace

void run_watched(const std::function<void()>& work, const std::function<void()>& watch) {
  std::exception_ptr failure;  // here, so that this thread, which throws it, is also the one that frees it
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
  auto thread = kept_threads.take();
  thread->start([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    has_ended = true;
    ended.notify_one();  // with the lock: after it, all of this is gone
  });
  for (std::unique_lock lock(mutex); !ended.wait_for(lock, kInterruptPeriod, [&] { return has_ended; });) {
    lock.unlock();
    watch();
    lock.lock();
  }
  kept_threads.give_back(std::move(thread));
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tacore
