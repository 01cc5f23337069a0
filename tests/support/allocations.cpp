#include "support/allocations.hpp"

#include <atomic>

// glibc lets an executable define malloc: then Arrow and DuckDB call these too. DuckDB's own allocator (jemalloc) takes
// large pieces from mmap; Arrow's (mimalloc) sets a gigabyte aside at once, so main() has Arrow use malloc.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::atomic<uint64_t> largest{0};

void note(uint64_t size) noexcept {
  uint64_t known = largest.load(std::memory_order_relaxed);
  while (size > known && !largest.compare_exchange_weak(known, size, std::memory_order_relaxed)) {
  }
}

uint64_t product(std::size_t count, std::size_t size) noexcept {
  uint64_t out;
  return __builtin_mul_overflow(count, size, &out) ? UINT64_MAX : out;
}
}  // namespace

#pragma GCC visibility push(default)
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  note(size);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  note(product(count, size));
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  note(size);
  return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  note(size);
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  *out = memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}

void* mmap(void* where, std::size_t size, int protection, int flags, int file, off_t offset) {
  if ((protection & PROT_WRITE) != 0) note(size);
  static const auto next =
      reinterpret_cast<void* (*)(void*, std::size_t, int, int, int, off_t)>(dlsym(RTLD_NEXT, "mmap"));
  return next(where, size, protection, flags, file, offset);
}
}
#pragma GCC visibility pop

namespace tacore::mutate {
void forget_allocations() { largest = 0; }
uint64_t largest_allocation() { return largest; }
}  // namespace tacore::mutate
#else
namespace tacore::mutate {
void forget_allocations() {}
uint64_t largest_allocation() { return 0; }
}  // namespace tacore::mutate
#endif
