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

std::string number_or_null(std::optional<int64_t> number) { return number ? std::to_string(*number) : "null"; }

std::string counted(uint64_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

void Report::add(std::string_view id, const std::string& message, const ErrorContext& where,
                 std::vector<FaultySample> samples) {
  const Rule& rule = find_rule(id);
  if (rule.severity == Severity::Error) ++num_errors_;
  Count& count = counts_[std::string(id)];
  if (count.told == kMostOfOne) return add_further(count, 1, where, samples);
  ++count.told;
  issues_.push_back({.rule = std::string(id),
                     .severity = rule.severity,
                     .message = message,
                     .where = where,
                     .samples = std::move(samples)});
}

void Report::add(std::string_view id, const Error& error, const ErrorContext& where) {
  ErrorContext at = error.context();
  if (at.path.empty()) at.path = where.path;
  if (!at.offset) at.offset = where.offset;
  if (!at.level) at.level = where.level;
  add(id, message_of(error), at);
}

void Report::add(Report&& other) {
  for (Issue& issue : other.issues_) add(issue.rule, issue.message, issue.where, std::move(issue.samples));
  for (auto& [id, count] : other.counts_) {
    for (auto& [path, further] : count.further)
      add_more(id, further.count, {.path = path.empty() ? count.path : path}, further.samples);
  }
}

void Report::add_more(std::string_view id, std::size_t num_more, const ErrorContext& where,
                      const std::vector<FaultySample>& samples) {
  if (num_more == 0) return;
  if (find_rule(id).severity == Severity::Error) num_errors_ += num_more;
  add_further(counts_[std::string(id)], num_more, where, samples);
}

void Report::add_further(Count& count, std::size_t num_more, const ErrorContext& where,
                         const std::vector<FaultySample>& samples) {
  Further& further = count.further[samples.empty() ? std::string() : where.path];
  further.count += num_more;
  further.samples.insert(further.samples.end(), samples.begin(), samples.end());
  count.path = where.path;
}

std::vector<Issue> Report::finish() {
  for (auto& [id, count] : counts_) {
    for (auto& [path, further] : count.further) {
      issues_.push_back({.rule = id,
                         .severity = find_rule(id).severity,
                         .message = "and " + counted(further.count, "more issue") + " of this rule",
                         .where = {.path = path.empty() ? count.path : path},
                         .num_issues = static_cast<int64_t>(further.count),
                         .samples = std::move(further.samples)});
    }
  }
  return std::move(issues_);
}

}  // namespace tacore::validator
