#include "report/issue_page.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "describe/map.hpp"
#include "describe/page.hpp"
#include "describe/pit_tree.hpp"
#include "tacore/error.hpp"
#include "tacore/interrupt.hpp"
#include "tacore/plumbing/secrets.hpp"
#include "validate/report.hpp"

namespace tacore {
namespace {

using namespace descriptions;
using report::counted;

/// Calls `body`, which reads the dataset. That it cannot be read may be what the issues say, so the page is made
/// without.
template <class Body>
void if_readable(const Body& body) {
  throw_if_interrupted();
  try {
    body();
  } catch (const Error&) {
    throw_if_interrupted();
  }
}

/// A row of level 0 of the dataset at a path, and what is said of it.
struct WorstSample {
  std::string path = {};
  int64_t row = 0;
  std::optional<LonLat> place = {};
  std::set<std::string> errors = {}, warnings = {};  ///< rules
  std::vector<const Issue*> issues = {};             ///< those of this sample alone
};

std::string path_of(const Issue& issue, const std::string& path) {
  return issue.where.path.empty() ? path : issue.where.path;
}

/// The samples with a fault: those with most errors first, then those with most warnings, then by file and row.
std::vector<WorstSample> worst_samples(std::span<const Issue> issues, const std::string& path) {
  std::map<std::pair<std::string, int64_t>, WorstSample> found;
  for (const Issue& issue : issues) {
    for (const FaultySample& sample : issue.samples) {
      WorstSample& one = found[{path_of(issue, path), sample.row}];
      (issue.severity == Severity::Error ? one.errors : one.warnings).insert(issue.rule);
      if (!one.place) one.place = sample.place;
      if (issue.samples.size() == 1 && issue.num_issues == 1) one.issues.push_back(&issue);
    }
  }
  std::vector<WorstSample> out;
  for (auto& [key, one] : found) {
    std::tie(one.path, one.row) = key;
    out.push_back(std::move(one));
  }
  std::ranges::stable_sort(out, {}, [](const WorstSample& one) {
    return std::pair(-static_cast<int64_t>(one.errors.size()), -static_cast<int64_t>(one.warnings.size()));
  });
  return out;
}

/// What is found of one rule.
struct BrokenRule {
  std::string id = {};
  Severity severity = Severity::Warning;
  std::string sentence = {};  ///< "" of a convention
  int64_t count = 0;
  std::set<std::pair<std::string, int64_t>> samples = {};
  std::vector<const Issue*> issues = {};
};

/// Errors first, each in the order found.
std::vector<BrokenRule> broken_rules(std::span<const Issue> issues, const std::string& path) {
  std::vector<BrokenRule> out;
  for (const Issue& issue : issues) {
    auto rule = std::ranges::find(out, issue.rule, &BrokenRule::id);
    if (rule == out.end()) {
      const auto known = std::ranges::find(validator::rules(), issue.rule, &validator::Rule::id);
      rule = out.insert(out.end(),
                        {.id = issue.rule,
                         .severity = issue.severity,
                         .sentence = known == validator::rules().end() ? std::string() : std::string(known->sentence)});
    }
    rule->count += issue.num_issues;
    rule->issues.push_back(&issue);
    for (const FaultySample& sample : issue.samples) rule->samples.emplace(path_of(issue, path), sample.row);
  }
  std::ranges::stable_sort(out, {}, [](const BrokenRule& rule) { return rule.severity == Severity::Warning; });
  return out;
}

std::string severity_html(Severity severity) {
  return severity == Severity::Error ? "<span class=\"error\">error</span>" : "<span class=\"warning\">warning</span>";
}

/// Text in which names are between backticks.
std::string with_code(const std::string& text) {
  std::string out;
  bool is_code = false;
  for (const std::string& part : split(text, '`')) {
    out += is_code ? "<code>" + one_line(part) + "</code>" : one_line(part);
    is_code = !is_code;
  }
  return out;
}

std::string rules_html(const std::vector<BrokenRule>& rules) {
  if (rules.empty()) return "";
  std::string out =
      "<p class=\"dim\">Each rule says what holds in a dataset without fault. Errors contradict the specification or "
      "the files; warnings are patterns, with their evidence below.</p>"
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Rules\"><table><thead><tr>"
      "<th scope=\"col\">Rule</th><th scope=\"col\">Broken</th><th scope=\"col\">What has to hold</th>"
      "<th scope=\"col\" class=\"number\">Findings</th><th scope=\"col\" class=\"number\">Samples</th></tr></thead>"
      "<tbody>";
  for (const BrokenRule& rule : rules) {
    out += "<tr><td><a href=\"#rule-" + escape_html(rule.id) + "\"><code>" + one_line(rule.id) +
           "</code></a></td><td>" + severity_html(rule.severity) + "</td><td>" + with_code(rule.sentence) +
           "</td><td class=\"number\">" + grouped(static_cast<uint64_t>(rule.count)) + "</td><td class=\"number\">" +
           (rule.samples.empty() ? "" : grouped(rule.samples.size())) + "</td></tr>";
  }
  return out + "</tbody></table></div>";
}

std::string messages_html(const std::vector<BrokenRule>& rules) {
  std::string out;
  for (const BrokenRule& rule : rules) {
    out += "<h3 id=\"rule-" + escape_html(rule.id) + "\"><code>" + one_line(rule.id) + "</code> " +
           severity_html(rule.severity) + "</h3><ul>";
    for (const Issue* issue : rule.issues) {
      std::string where;
      if (!issue->where.path.empty()) where = redact(issue->where.path);
      if (issue->where.level) where += " level " + std::to_string(*issue->where.level);
      if (issue->where.offset) where += " byte " + std::to_string(*issue->where.offset);
      out += "<li>" + one_line(issue->message) +
             (where.empty() ? "" : " <span class=\"dim\">" + one_line(where) + "</span>") + "</li>";
    }
    out += "</ul>";
  }
  return out;
}

std::string sample_html(const WorstSample& sample, const PicturedSample* shown, bool has_parts) {
  std::string out = "<li>";
  if (shown) {
    out += "<div class=\"pair\">";
    for (const Thumbnail& picture : shown->pictures) out += html(picture, *shown);
    out += "</div>";
  }
  std::string about = "row " + grouped(static_cast<uint64_t>(sample.row));
  if (has_parts) about += " of " + redact(sample.path);
  if (shown && !shown->time.empty()) about += " · " + shown->time;
  out += "<p>" + (shown ? "<code>" + one_line(shown->id) + "</code><br>" : std::string()) + "<span class=\"dim\">" +
         one_line(about) + "</span><br>";
  for (const auto* rules : {&sample.errors, &sample.warnings}) {
    for (const std::string& rule : *rules) {
      const auto told = std::ranges::find(sample.issues, rule, [](const Issue* issue) { return issue->rule; });
      out += "<a href=\"#rule-" + escape_html(rule) + "\"" +
             (told == sample.issues.end() ? "" : " title=\"" + one_line((*told)->message) + "\"") + "><code>" +
             one_line(rule) + "</code></a> ";
    }
  }
  return out + "</p></li>";
}

/// The samples with the most faults, with pictures where they can be read.
std::string worst_html(std::span<const WorstSample> worst, std::size_t num_all, const std::string& path,
                       const ReportOptions& options) {
  if (worst.empty()) return "";
  std::map<std::string, std::vector<int64_t>> rows;
  for (const WorstSample& sample : worst) rows[sample.path].push_back(sample.row);
  std::map<std::pair<std::string, int64_t>, PicturedSample> pictures;
  for (const auto& [part, chosen] : rows) {
    if_readable([&] {
      const Dataset dataset = load(part, options.load);
      const DescribeOptions how{.transformer = options.transformer, .fallback = options.fallback};
      for (auto& one : pictured_samples(dataset, gather_stated(dataset, how), chosen, how))
        pictures.emplace(std::pair(part, one.row), std::move(one));
    });
  }
  std::string out = "<p class=\"dim\">" + (worst.size() == num_all ? "All " : grouped(worst.size()) + " of ") +
                    counted(num_all, "sample") +
                    " with a fault: those that break the most rules, errors first. Rows are counted from 0.</p>"
                    "<ul class=\"samples\">";
  for (const WorstSample& sample : worst) {
    const auto shown = pictures.find({sample.path, sample.row});
    out +=
        sample_html(sample, shown == pictures.end() ? nullptr : &shown->second, rows.size() > 1 || sample.path != path);
  }
  return out + "</ul>";
}

std::string map_html(std::span<const WorstSample> samples, const Dataset& dataset, const Facts& facts,
                     const DescribeOptions& options) {
  // Otherwise the places of all samples would be read in vain.
  if (std::ranges::none_of(samples, [](const WorstSample& sample) { return sample.place.has_value(); })) return "";
  MapData data = map_data(dataset, facts, options);
  for (const WorstSample& sample : samples) {
    if (sample.place)
      data.marks.push_back({static_cast<float>(sample.place->lon), static_cast<float>(sample.place->lat)});
  }
  data.about_marks = counted(data.marks.size(), "sample") + " with a fault, where " +
                     (data.marks.size() == 1 ? "its file lies" : "their files lie");
  return draw_map(data);
}

}  // namespace

namespace report {

IssueParts issue_parts(std::span<const Issue> issues, const std::string& path, const ReportOptions& options) {
  const auto rules = broken_rules(issues, path);
  const auto faulty = worst_samples(issues, path);
  const auto num_worst = std::min(faulty.size(), static_cast<std::size_t>(std::max(0, options.pictures)));
  const DescribeOptions how{.transformer = options.transformer, .fallback = options.fallback};
  IssueParts out{.title = redact(path)};
  for (const BrokenRule& rule : rules)
    (rule.severity == Severity::Error ? out.num_errors : out.num_warnings) += static_cast<uint64_t>(rule.count);
  std::string map, about = "<dl><dt>Path</dt><dd><code>" + one_line(redact(path)) + "</code></dd>";
  if_readable([&] {
    const Dataset dataset = load(path, options.load);
    const Facts facts = gather_stated(dataset, how);
    out.title = facts.title();
    about += "<dt>Id</dt><dd>" + one_line(dataset.id()) + "</dd><dt>Version</dt><dd>" + one_line(dataset.version()) +
             "</dd><dt>Samples</dt><dd>" + grouped(facts.collection.pit_schema.root_n) + "</dd>";
    map = map_html(faulty, dataset, facts, how);
  });
  if (options.sample_size > 0) {
    about += "<dt>Compared with their files</dt><dd>" + counted(static_cast<uint64_t>(options.sample_size), "sample") +
             ", drawn at random: with a confidence of 95 %, a fault that was not found is in less than " +
             rounded_number_text(std::min(100., 300. / static_cast<double>(options.sample_size)), 2) + " % of all</dd>";
  }
  about += "<dt>Errors</dt><dd>" + grouped(out.num_errors) + "</dd><dt>Warnings</dt><dd>" + grouped(out.num_warnings) +
           "</dd><dt>Samples with a fault</dt><dd>" + grouped(faulty.size()) + "</dd></dl>";
  const auto add = [&](const char* title, std::string content) {
    if (!content.empty()) out.parts.push_back({title, std::move(content)});
  };
  out.has_map = !map.empty();
  add("Summary", about);
  add("Rules", rules_html(rules));
  add("Map", std::move(map));
  add("Worst samples", worst_html(std::span(faulty).first(num_worst), faulty.size(), path, options));
  add("Findings", messages_html(rules));
  return out;
}

std::string counted(uint64_t number, const std::string& noun) {
  return grouped(number) + " " + noun + (number == 1 ? "" : "s");
}

}  // namespace report

std::string issues2html(std::span<const Issue> issues, std::string_view path, const ReportOptions& options) {
  report::IssueParts found = report::issue_parts(issues, std::string(path), options);
  const bool is_right = found.num_errors + found.num_warnings == 0;
  return write_page({.title = std::move(found.title),
                     .kicker = "Validation of a TACO dataset",
                     .lead = is_right ? "<p>Nothing is wrong with what was checked.</p>"
                                      : "<p>" + report::counted(found.num_errors, "error") + " and " +
                                            report::counted(found.num_warnings, "warning") + ".</p>",
                     .sections = std::move(found.parts),
                     .footer = found.has_map ? std::string(kAboutLand) : ""});
}

}  // namespace tacore
