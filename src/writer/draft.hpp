#pragma once

#include <string>
#include <vector>

namespace tacore {

/// A new folder beside `target`, or in `temp_dir` on the same file system, in which something is made that gets its own
/// name when it is whole. Removed, with what is left in it, when this goes. Errors name what becomes of it.
class Draft {
 public:
  /// Throws IoError.
  Draft(const std::string& target, const std::string& temp_dir);
  ~Draft();
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  const std::string& path() const { return path_; }
  /// Of `name` in it, and what that is called in the end.
  std::string path(const std::string& name) const;
  std::string target(const std::string& name) const;
  /// Throws IoError, also when it is there.
  void make_folder(const std::string& name) const;

 private:
  std::string target_;
  std::string path_;
};

/// Throws IoError, also when there is something at `path`.
void make_folder(const std::string& path);

/// Swaps what two names lead to, in one step. Throws IoError.
void exchange_names(const std::string& a, const std::string& b);

/// Moves what is called `names` in the folder `draft` to `folder`: all of it, or nothing when one has to stay. With
/// `overwrite` files take the place of files and folders that of folders, and the old ones are in `draft` then. Throws
/// IoError.
void publish(const std::string& draft, const std::string& folder, const std::vector<std::string>& names,
             bool overwrite);

}  // namespace tacore
