#include "io/copy_range.hpp"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <vector>

#include "base/checked_math.hpp"
#include "io/output_file.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr uint64_t kPiece = 16 << 20;  // copied between two calls of `tell`
constexpr uint64_t kBuffer = 1 << 20;

class Copy {
 public:
  Copy(const OpenFile& from, uint64_t from_offset, const OpenFile& to, uint64_t to_offset, uint64_t size)
      : from_(from), to_(to), source_(from_offset), target_(to_offset), left_(size) {
    narrow<off_t>(checked_add(from_offset, size, "offset"), "offset");
    narrow<off_t>(checked_add(to_offset, size, "offset"), "offset");
  }

  void run(const std::function<void(uint64_t)>& tell) {
    if (const uint64_t shared = share(); shared > 0) tell(advance(shared));
    while (left_ > 0) {
      const uint64_t begin = target_, size = std::min(left_, kPiece);
      const uint64_t end = begin + size;
      while (target_ < end && in_kernel_) copy_in_kernel(end - target_);
      while (target_ < end) copy_through_memory(end - target_);
      start_writeback(to_.descriptor, begin, size);
      tell(size);
    }
  }

 private:
  uint64_t advance(uint64_t size) {
    source_ += size;
    target_ += size;
    left_ -= size;
    return size;
  }

  /// Shares whole blocks where both offsets are at the start of one; returns the number of bytes.
  uint64_t share() const {
    if (source_ % kDiskBlock != 0 || target_ % kDiskBlock != 0) return 0;
    const uint64_t size = left_ / kDiskBlock * kDiskBlock;
    if (size == 0) return 0;
    const struct file_clone_range range = {
        .src_fd = from_.descriptor, .src_offset = source_, .src_length = size, .dest_offset = target_};
    return ::ioctl(to_.descriptor, FICLONERANGE, &range) == 0 ? size : 0;
  }

  /// Errors are ignored: reading and writing reports them better.
  void copy_in_kernel(uint64_t size) {
    auto from = static_cast<off_t>(source_), to = static_cast<off_t>(target_);
    const ssize_t count = ::copy_file_range(from_.descriptor, &from, to_.descriptor, &to, size, 0);
    if (count > 0) {
      advance(static_cast<uint64_t>(count));
    } else if (count == 0 || errno != EINTR) {
      in_kernel_ = false;
    }
  }

  void copy_through_memory(uint64_t size) {
    buffer_.resize(kBuffer);
    const ssize_t count =
        ::pread(from_.descriptor, buffer_.data(), std::min(size, kBuffer), static_cast<off_t>(source_));
    if (count < 0 && errno == EINTR) return;
    if (count < 0) throw IoError("cannot read", {.path = from_.name, .offset = source_}, errno);
    if (count == 0) throw IoError("the file shrank while it was read", {.path = from_.name, .offset = source_});
    std::span<const std::byte> rest(buffer_.data(), static_cast<std::size_t>(count));
    while (!rest.empty()) {
      const ssize_t written = ::pwrite(to_.descriptor, rest.data(), rest.size(), static_cast<off_t>(target_));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw IoError("cannot be written", {.path = to_.name, .offset = target_}, errno);
      rest = rest.subspan(advance(static_cast<uint64_t>(written)));
    }
  }

  const OpenFile& from_;
  const OpenFile& to_;
  uint64_t source_, target_, left_;
  bool in_kernel_ = true;
  std::vector<std::byte> buffer_;
};

}  // namespace

void copy_range(const OpenFile& from, uint64_t from_offset, const OpenFile& to, uint64_t to_offset, uint64_t size,
                const std::function<void(uint64_t num_bytes)>& tell) {
  Copy(from, from_offset, to, to_offset, size).run(tell);
}

}  // namespace tacore
