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

/// A file that is written atomically: under a temporary name in the same folder, then synced and renamed by commit().
/// Without commit() the destructor removes it.
class OutputFile {
 public:
  /// The temporary file is in the folder of `target`, or in `temp_dir` on the same file system. `is_private`: no other
  /// user may read it, from the first moment. Throws IoError: `target` is a folder, exists and may not be replaced, or
  /// no file can be created there.
  OutputFile(std::string target, bool overwrite, const std::string& temp_dir = {}, bool is_private = false);
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
  /// Takes over the permissions of the file to be replaced, where possible. Throws IoError when they cannot be read.
  void take_permissions(const OpenFile& source) const;
  /// Waits until all bytes are on the disk, after the last write. commit() does so unless it was done: the last moment
  /// to cancel is between the two. Throws IoError.
  void sync();
  /// Renames the file to `target`. Throws IoError, also when `target` was created meanwhile and may not be replaced.
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

/// Starts the write-back of bytes that were just written, instead of leaving it to the sync. Small pieces are left to
/// the sync. A hint: nothing depends on it.
void start_writeback(int descriptor, uint64_t offset, uint64_t size) noexcept;

/// A new file that is open for writing, or a folder, under a temporary name (tacore/plumbing/temporary.hpp).
struct Temporary {
  std::string path = {};
  int descriptor = -1;  ///< holds its lock; the caller closes it
};
/// `is_private`: a file that no other user may read. Throws IoError.
Temporary make_temporary(const std::string& target, const std::string& temp_dir, bool is_folder,
                         bool is_private = false);

/// Exchanges two files or folders atomically. Throws IoError.
void exchange_names(const std::string& a, const std::string& b);

/// A buffer of this thread: `size` bytes of any content, which its next call reuses, as new memory pages for each piece
/// cost more than copying it. It is aligned as OutputFile::write() wants it at `offset`. Throws std::bad_alloc.
std::span<std::byte> scratch(std::size_t size, uint64_t offset = 0);

}  // namespace tacore
