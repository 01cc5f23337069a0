#pragma once

#include <string>

namespace tacore::cli {

/// A file that is written under a name of its own, beside the final one, which commit() gives it. Without commit(), and
/// on SIGINT, SIGTERM and SIGHUP, it is removed. One at a time.
class NewFile {
 public:
  /// Throws IoError when `target` is a folder, when it exists and `overwrite` is false, and when nothing can be
  /// created there. A symbolic link is followed when overwriting.
  NewFile(const std::string& target, bool overwrite);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  int descriptor() const noexcept { return descriptor_; }

  /// Syncs and renames. Throws IoError, also when `target` appeared meanwhile and `overwrite` is false.
  void commit();

 private:
  [[noreturn]] void refuse() const;
  [[noreturn]] void fail(const std::string& what, int error_number) const;

  std::string target_;
  bool overwrite_;
  std::string temporary_ = {};
  int descriptor_ = -1;
};

}  // namespace tacore::cli
