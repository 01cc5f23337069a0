#include "io/linux.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "io/open_uninterrupted.hpp"
#include "tacore/error.hpp"

namespace tacore {

void sync_file_system(int folder, const std::string& target) {
  if (::syncfs(folder) != 0) throw IoError("cannot be written to the disk", {.path = target}, errno);
}

void sync_file_system(const std::string& folder, const std::string& target) {
  const int descriptor = open_uninterrupted(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int error_number = descriptor >= 0 && ::syncfs(descriptor) == 0 ? 0 : errno;
  if (descriptor >= 0) ::close(descriptor);
  if (error_number != 0) throw IoError("cannot be written to the disk", {.path = target}, error_number);
}

void free_disk_space(int descriptor, uint64_t offset, uint64_t size) noexcept {
  ::fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
              static_cast<off_t>(size));
}

namespace {

int set_lock(int descriptor, short type, uint64_t offset, uint64_t size) noexcept {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(offset);
  range.l_len = static_cast<off_t>(size);
  return ::fcntl(descriptor, F_OFD_SETLK, &range) == 0 ? 0 : errno;
}

}  // namespace

std::optional<bool> try_to_lock_bytes(int descriptor, uint64_t offset, uint64_t size) noexcept {
  const int error = set_lock(descriptor, F_WRLCK, offset, size);
  if (error == 0) return true;
  return error == EAGAIN || error == EACCES ? std::optional(false) : std::nullopt;
}

void unlock_bytes(int descriptor, uint64_t offset, uint64_t size) noexcept {
  set_lock(descriptor, F_UNLCK, offset, size);
}

void prefer_large_pages(std::span<std::byte> memory) noexcept {
  constexpr std::size_t kWorthwhile = 4 << 20;
  if (memory.size() < kWorthwhile) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* begin = memory.data();
  std::size_t size = memory.size();
  if (std::align(page, page, begin, size)) ::madvise(begin, size / page * page, MADV_HUGEPAGE);
}

}  // namespace tacore
