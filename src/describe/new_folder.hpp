#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "io/output_file.hpp"

/// A folder of several new files, written under a temporary name and renamed when it is complete.
namespace tacore::descriptions {

/// A new file in a NewFolder, which syncs all of them at the end.
class PlainFile {
 public:
  /// `target` is the final path, for messages. Throws IoError; so do the other calls.
  PlainFile(const std::string& path, std::string target);
  ~PlainFile();
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  void write(std::string_view bytes);
  void close();

 private:
  void flush();

  std::string target_;
  std::string buffer_ = {};
  int descriptor_ = -1;
};

/// A temporary folder beside `target`, which publish() renames to it. The destructor removes what was not published.
class NewFolder {
 public:
  /// With `overwrite`, an existing folder of which `is_ours` is true is replaced; `ours` says of what kind it is.
  /// Throws IoError when something else exists.
  NewFolder(std::string target, bool overwrite, const char* ours,
            const std::function<bool(const std::string&)>& is_ours);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void make_folder(const std::string& name) const;
  PlainFile file(const std::string& name) const;
  /// Removes a file or folder in it, if there is one of that name.
  void remove(const std::string& name) const;
  /// Throws IoError.
  void publish() const;

 private:
  std::string target_;
  Temporary draft_ = {};
  bool exists_ = false;
};

}  // namespace tacore::descriptions
