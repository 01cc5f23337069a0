#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "support/support.hpp"
#include "tacore/ops/validate.hpp"

/// Datasets of the tests of validate(), good and patched.
namespace tacore::validator {

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
