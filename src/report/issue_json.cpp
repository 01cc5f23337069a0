#include "report/issue_json.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "tacore/ops/report.hpp"
#include "tacore/plumbing/secrets.hpp"
#include "tacore/version.hpp"
#include "validate/report.hpp"

namespace tacore {
namespace {

using descriptions::Json;

const char* level_of(Severity severity) { return severity == Severity::Error ? "error" : "warning"; }

/// A path or URL as the URI that SARIF asks for.
std::string uri_of(const std::string& path) {
  const std::string plain = redact(path);
  if (plain.find("://") != plain.npos) return plain;
  return (plain.starts_with('/') ? "file://" : "") + percent_encoded(plain, true);
}

Json rule_of(const validator::Rule& rule) {
  return {{"id", rule.id},
          {"shortDescription", {{"text", rule.sentence}}},
          {"defaultConfiguration", {{"level", level_of(rule.severity)}}},
          {"properties", {{"section", rule.section}}}};
}

}  // namespace

namespace report {

Json json_of(std::span<const Issue> issues) {
  Json out = Json::array();
  for (const Issue& issue : issues) {
    const ErrorContext& where = issue.where;
    Json rows = Json::array();
    for (const FaultySample& sample : issue.samples) rows.push_back(sample.row);
    out.push_back({{"rule", issue.rule},
                   {"severity", level_of(issue.severity)},
                   {"message", issue.message},
                   {"path", where.path.empty() ? Json() : Json(redact(where.path))},
                   {"offset", where.offset ? Json(*where.offset) : Json()},
                   {"level", where.level ? Json(*where.level) : Json()},
                   {"num_issues", issue.num_issues},
                   {"rows", std::move(rows)}});
  }
  return out;
}

}  // namespace report

std::string issues2json(std::span<const Issue> issues) {
  std::string out;
  for (const Json& each : report::json_of(issues)) {
    const std::string line = descriptions::dump(each, -1);
    out += (out.empty() ? "[\n" : ",\n") + line.substr(0, line.size() - 1);
  }
  return out.empty() ? "[]\n" : out + "\n]\n";
}

std::string issues2sarif(std::span<const Issue> issues, std::string_view path) {
  Json rules = Json::array(), results = Json::array();
  std::map<std::string, std::size_t> numbers;  // of rules in the list
  for (const validator::Rule& rule : validator::rules()) {
    const std::string id(rule.id);
    if (std::ranges::find(issues, id, &Issue::rule) == issues.end()) continue;
    numbers.emplace(id, rules.size());
    rules.push_back(rule_of(rule));
  }
  for (const Issue& issue : issues) {
    const ErrorContext& where = issue.where;
    Json place = {{"artifactLocation", {{"uri", uri_of(where.path.empty() ? std::string(path) : where.path)}}}};
    if (where.offset) place["region"] = {{"byteOffset", *where.offset}, {"byteLength", 0}};
    Json result = {{"ruleId", issue.rule},
                   {"level", level_of(issue.severity)},
                   {"message", {{"text", issue.message}}},
                   {"locations", Json::array({{{"physicalLocation", std::move(place)}}})}};
    // Conventions (--profile) are no rules.
    if (const auto number = numbers.find(issue.rule); number != numbers.end()) result["ruleIndex"] = number->second;
    if (issue.num_issues > 1) result["occurrenceCount"] = issue.num_issues;
    if (where.level) result["properties"]["level"] = *where.level;
    for (const FaultySample& sample : issue.samples) result["properties"]["rows"].push_back(sample.row);
    results.push_back(std::move(result));
  }
  const Json driver = {{"name", "tacore"}, {"version", version()}, {"rules", std::move(rules)}};
  return dump(
      Json{{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
           {"version", "2.1.0"},
           {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"results", std::move(results)}}})}});
}

}  // namespace tacore
