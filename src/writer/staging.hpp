#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/copy_range.hpp"

namespace tacore {

/// A new folder beside `target`, or in `temp_dir` on the same file system, in which something is made that gets its own
/// name when it is whole. Removed, with what is left in it, when this goes. Errors name what becomes of it.
class StagingDir {
 public:
  /// Throws IoError.
  StagingDir(const std::string& target, const std::string& temp_dir);
  ~StagingDir();
  StagingDir(const StagingDir&) = delete;
  StagingDir& operator=(const StagingDir&) = delete;

  const std::string& path() const { return path_; }
  /// Of `name` in it, and what that is called in the end.
  std::string path(const std::string& name) const;
  std::string target(const std::string& name) const;
  /// Throws IoError, also when it is there.
  void make_folder(const std::string& name) const;
  /// A new file of these bytes. Throws IoError.
  void write_file(const std::string& name, std::span<const std::byte> bytes) const;
  /// Waits until all of it is on the disk. Throws IoError.
  void sync() const;

 private:
  std::string target_;
  std::string path_ = {};
  int descriptor_ = -1;
};

/// A new file of a staging directory directory, written from its start. Closing tells of late errors; the sync of all comes at the end.
/// Throws IoError.
class StagedFile {
 public:
  StagedFile(const StagingDir& staging, const std::string& name);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  void write(std::span<const std::byte> bytes);
  /// Instead of that: pieces in any order, safe from several threads.
  void write(uint64_t offset, std::span<const std::byte> bytes) const;
  /// The bytes of another file, as copy_range() copies them.
  void copy(const OpenFile& source, uint64_t size, const std::function<void(uint64_t num_bytes)>& tell);
  /// Keeps the time of the sample's own file, as copies of the published writers do.
  void set_time(int64_t seconds);
  void set_permissions(uint32_t mode);
  void close();

 private:
  std::string target_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

/// What is made in `temp_dir` ("": beside `output`) gets its name in one step, which no file system does for another:
/// throws IoError or ValidationError when it is no folder of the same one.
void check_temp_dir(const std::string& output, const std::string& temp_dir);

/// Throws IoError, also when there is something at `path`.
void make_folder(const std::string& path);

/// Moves what is called `names` in the folder `staging` to `folder`: all of it, or nothing when one has to stay. With
/// `overwrite` files take the place of files and folders that of folders, and the old ones are in `staging` then. Throws
/// IoError.
void publish(const std::string& staging, const std::string& folder, const std::vector<std::string>& names,
             bool overwrite);

}  // namespace tacore
