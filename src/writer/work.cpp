#include "writer/work.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "io/output_file.hpp"

namespace tacore {

namespace {

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};

}  // namespace

std::span<std::byte> scratch(std::size_t size, uint64_t offset) {
  thread_local std::unique_ptr<std::byte[], Free> memory;
  thread_local std::size_t capacity = 0;
  const std::size_t lead = offset % kDiskBlock;
  const std::size_t needed = (lead + size + kDiskBlock - 1) / kDiskBlock * kDiskBlock;
  if (capacity < needed) {
    memory.reset(static_cast<std::byte*>(std::aligned_alloc(kDiskBlock, needed)));
    if (!memory) throw std::bad_alloc();
    capacity = needed;
  }
  return {memory.get() + lead, size};
}

void run_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& task) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> threads;
  const auto wanted = std::min<std::size_t>(static_cast<std::size_t>(std::max(jobs, 1)), count);
  try {
    while (threads.size() + 1 < wanted) threads.emplace_back(work);
  } catch (const std::system_error&) {  // no more threads: those there are do the work
  }
  work();
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tacore
