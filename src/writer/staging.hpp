#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/copy_range.hpp"

namespace tacore {

/// A temporary folder beside `target`, or in `temp_dir` on the same file system: output is written into it and renamed
/// when it is complete. The destructor removes it with its remaining files. Errors refer to the final names.
class StagingDir {
 public:
  /// Throws IoError.
  StagingDir(const std::string& target, const std::string& temp_dir);
  ~StagingDir();
  StagingDir(const StagingDir&) = delete;
  StagingDir& operator=(const StagingDir&) = delete;

  const std::string& path() const { return path_; }
  /// The path of `name` in the folder, and its final path.
  std::string path(const std::string& name) const;
  std::string target(const std::string& name) const;
  /// Creates a folder. Throws IoError, also when it exists.
  void make_folder(const std::string& name) const;
  /// Creates a file of these bytes. Throws IoError.
  void write_file(const std::string& name, std::span<const std::byte> bytes) const;
  /// Waits until the folder and its files are on the disk. Throws IoError.
  void sync() const;

 private:
  std::string target_;
  std::string path_ = {};
  int descriptor_ = -1;
};

/// A new file in a staging directory, written from its start. Closing reports delayed errors; syncing happens at the
/// end for all files. Throws IoError.
class StagedFile {
 public:
  StagedFile(const StagingDir& staging, const std::string& name);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  void write(std::span<const std::byte> bytes);
  /// Writes a piece at an offset, instead of sequentially; safe from several threads.
  void write(uint64_t offset, std::span<const std::byte> bytes) const;
  /// Appends the bytes of another file, as copy_range() does.
  void copy(const OpenFile& source, uint64_t size, const std::function<void(uint64_t num_bytes)>& tell);
  /// Sets the modification time to that of the sample's own file, as the published writers do.
  void set_time(int64_t seconds);
  void set_permissions(uint32_t mode);
  void close();

 private:
  std::string target_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

/// Output in `temp_dir` ("": beside `output`) is renamed in one step, which requires one file system: throws IoError or
/// ValidationError when it is no folder, or on another one.
void check_temp_dir(const std::string& output, const std::string& temp_dir);

/// Creates a folder. Throws IoError, also when `path` exists.
void make_folder(const std::string& path);

/// Moves `names` from the folder `staging` to `folder`: all of them, or none when one fails. With `overwrite`, files
/// replace files and folders replace folders, and the old ones are in `staging` afterwards. Throws IoError.
void publish(const std::string& staging, const std::string& folder, const std::vector<std::string>& names,
             bool overwrite);

}  // namespace tacore
