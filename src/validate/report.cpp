#include "validate/report.hpp"

#include <algorithm>
#include <cstdio>

#include "tacore/plumbing/secrets.hpp"

namespace tacore::validator {
namespace {

const Rule& find_rule(std::string_view id) {
  const auto all = rules();
  return *std::find_if(all.begin(), all.end(), [&](const Rule& rule) { return rule.id == id; });
}

void cut_prefix(std::string& text, const std::string& prefix) {
  if (text.starts_with(prefix)) text.erase(0, prefix.size());
}

}  // namespace

std::string message_of(const Error& error) {
  const ErrorContext& where = error.context();
  std::string out = error.what();
  if (!where.path.empty()) cut_prefix(out, redact(where.path) + ": ");
  if (where.level) cut_prefix(out, "level " + std::to_string(*where.level) + ": ");
  if (where.offset) {
    const std::string suffix = " (byte " + std::to_string(*where.offset) + ")";
    if (out.ends_with(suffix)) out.erase(out.size() - suffix.size());
  }
  return out;
}

std::string hex(uint32_t crc) {
  char out[9];
  std::snprintf(out, sizeof out, "%08X", static_cast<unsigned>(crc));
  return out;
}

std::string counted(uint64_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

void Report::add(std::string_view id, const std::string& message, const ErrorContext& where) {
  const Rule& rule = find_rule(id);
  if (rule.severity == Severity::Error) ++num_errors_;
  Count& count = counts_[std::string(id)];
  ++count.total;
  if (count.told == kMostOfOne) return;
  ++count.told;
  count.path = where.path;
  issues_.push_back({.rule = std::string(id), .severity = rule.severity, .message = message, .where = where});
}

void Report::add(std::string_view id, const Error& error, const ErrorContext& where) {
  ErrorContext at = error.context();
  if (at.path.empty()) at.path = where.path;
  if (!at.offset) at.offset = where.offset;
  if (!at.level) at.level = where.level;
  add(id, message_of(error), at);
}

void Report::add_more(std::string_view id, std::size_t num_more, const ErrorContext& where) {
  if (num_more == 0) return;
  if (find_rule(id).severity == Severity::Error) num_errors_ += num_more;
  Count& count = counts_[std::string(id)];
  count.total += num_more;
  count.path = where.path;
}

std::vector<Issue> Report::finish() {
  for (const auto& [id, count] : counts_) {
    if (count.total == count.told) continue;
    issues_.push_back({.rule = id,
                       .severity = find_rule(id).severity,
                       .message = "and " + counted(count.total - count.told, "more issue") + " of this rule",
                       .where = {.path = count.path}});
  }
  return std::move(issues_);
}

}  // namespace tacore::validator
