#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tacore/validator.hpp"

/// Datasets of the tests of validate(), good and patched.
namespace tacore::validator {

namespace fs = std::filesystem;

inline std::string golden(const std::string& name) { return std::string(TACORE_SOURCE_DIR) + "/tests/golden/" + name; }

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A temporary folder of its own, gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tacore-validate-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  std::string path(const std::string& name) const { return name.empty() ? path_.string() : (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path(name);
  }
  /// A copy of a golden file or folder, writable.
  std::string copy(const std::string& name) const {
    const auto target = path_ / fs::path(name).filename();
    fs::copy(golden(name), target, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    fs::permissions(target, fs::perms::owner_write, fs::perm_options::add);
    return target.string();
  }

 private:
  fs::path path_;
};

/// Replaces the first `old` of a file, which must be there.
inline bool edit(const std::string& path, const std::string& old, const std::string& now) {
  std::string bytes = read_file(path);
  const auto at = bytes.find(old);
  if (at == std::string::npos) return false;
  bytes.replace(at, old.size(), now);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  return true;
}

inline bool find(const std::vector<Issue>& issues, const std::string& rule, const std::string& words) {
  for (const auto& issue : issues) {
    if (issue.rule == rule && issue.message.find(words) != std::string::npos) return true;
  }
  return false;
}

inline std::set<std::string> rules_of(const std::vector<Issue>& issues) {
  std::set<std::string> out;
  for (const auto& issue : issues) out.insert(issue.rule);
  return out;
}

}  // namespace tacore::validator
