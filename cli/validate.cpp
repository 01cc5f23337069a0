#include <algorithm>
#include <string>
#include <vector>

#include <tacore/secrets.hpp>
#include <tacore/validator.hpp>
#include <tacore/verbose.hpp>

#include "commands.hpp"
#include "json.hpp"
#include "layout.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

using validator::Issue;
using validator::Severity;

const char* word(Severity severity) { return severity == Severity::Error ? "error" : "warning"; }

/// "error ZIP-3 a.tacozip level 1 byte 512: message".
std::string line(const Issue& issue, const std::string& path) {
  const ErrorContext& where = issue.where;
  std::string out = std::string(word(issue.severity)) + " " + issue.rule + " ";
  out += where.path.empty() ? path : where.path;
  if (where.level) out += " level " + std::to_string(*where.level);
  if (where.offset) out += " byte " + std::to_string(*where.offset);
  return printable(without_secrets(out) + ": " + issue.message) + "\n";
}

std::string object(const Issue& issue) {
  const ErrorContext& where = issue.where;
  return json_object({
      {"rule", json_string(issue.rule)},
      {"severity", json_string(word(issue.severity))},
      {"message", json_string(issue.message)},
      {"path", where.path.empty() ? "null" : json_string(without_secrets(where.path))},
      {"offset", where.offset ? std::to_string(*where.offset) : "null"},
      {"level", where.level ? std::to_string(*where.level) : "null"},
  });
}

}  // namespace

int run_validate(const ValidateOptions& options) {
  const auto issues = validator::validate(
      options.path, {.deep = options.deep, .base_path = options.base_path, .profiles = options.profiles});
  std::string lines;
  std::vector<std::string> objects;
  for (const Issue& issue : issues) {
    if (options.json) objects.push_back(object(issue));
    else lines += line(issue, options.path);
  }
  print(options.json ? json_array_lines(objects) : lines);

  const auto errors = static_cast<uint64_t>(std::count_if(
      issues.begin(), issues.end(), [](const Issue& issue) { return issue.severity == Severity::Error; }));
  if (log_level() != LogLevel::Off) {
    complain(options.path + ": " + count_of(errors, "error") + ", " + count_of(issues.size() - errors, "warning"));
  }
  return errors > 0 ? 1 : 0;
}

}  // namespace tacore::cli
