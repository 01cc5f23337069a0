#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "tacore/ops/validate.hpp"

/// Datasets of the tests of validate(), good and patched.
namespace tacore::validator {

namespace fs = std::filesystem;

inline std::string golden(const std::string& name) { return std::string(TACORE_SOURCE_DIR) + "/tests/golden/" + name; }

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

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
