#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "io/copy_range.hpp"
#include "tacore/plumbing/temporary.hpp"

namespace tacore {

/// Direct writes begin and end at multiples of this, in the file and in memory.
inline constexpr std::size_t kDiskBlock = 4096;

/// A file that appears under its name whole or not at all: it is written beside it, under a name of its own, synced and
/// renamed by commit(). Without that it is removed when this goes.
class OutputFile {
 public:
  /// Throws IoError: `target` is a folder, exists and may not be replaced, or nothing can be created beside it or in
  /// `temp_dir`, which stands for that and must be on the same file system.
  OutputFile(std::string target, bool overwrite, const std::string& temp_dir = {});
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes all of `bytes` at `offset`, or throws IoError. Safe from several threads. A large piece whose address
  /// leaves the same remainder by kDiskBlock as `offset` goes straight to the disk, where the file system can: new
  /// pages of the cache can cost more than the disk.
  void write(uint64_t offset, std::span<const std::byte> bytes) const;
  /// Copies `size` bytes of an open file, from `from` on, to `offset`, as copy_range() does.
  void copy(const OpenFile& source, uint64_t from, uint64_t offset, uint64_t size,
            const std::function<void(uint64_t num_bytes)>& tell) const;
  /// Gives it the permissions of what it is to replace, where that can be. Throws IoError when they are not known.
  void take_permissions(const OpenFile& source) const;
  /// Waits until what was written, which must be all, is on the disk. commit() does so unless it was done: between the
  /// two is the last moment to stop. Throws IoError.
  void sync();
  /// Throws IoError, also when something appeared at `target` meanwhile and may not be replaced.
  void commit();

 private:
  void write_direct(uint64_t offset, std::span<const std::byte> bytes) const;
  void write_cached(uint64_t offset, std::span<const std::byte> bytes) const;

  std::string target_;
  std::string temporary_ = {};
  bool overwrite_;
  int descriptor_ = -1;
  int direct_ = -1;  ///< the same file without the page cache, or -1
  bool is_synced_ = false;
};

/// Tells the disk to begin with these bytes, which were just written, instead of waiting for the sync. Small pieces are
/// left to it. A hint: nothing depends on it.
void start_writeback(int descriptor, uint64_t offset, uint64_t size) noexcept;

/// A new file that is open for writing, or a folder, under a temporary name (temporary.hpp).
struct Temporary {
  std::string path = {};
  int descriptor = -1;  ///< holds it; to be closed
};
/// Throws IoError.
Temporary make_temporary(const std::string& target, const std::string& temp_dir, bool is_folder);

/// Swaps what two names lead to, in one step. Throws IoError.
void exchange_names(const std::string& a, const std::string& b);

/// Memory of this thread, `size` bytes of any content, which its next call reuses: new pages for each piece cost more
/// than copying it. It lies as OutputFile wants it for what is written at `offset`. Throws std::bad_alloc.
std::span<std::byte> scratch(std::size_t size, uint64_t offset = 0);

}  // namespace tacore
