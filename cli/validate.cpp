#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tacore/dataset.hpp>
#include <tacore/extensions/conventions.hpp>
#include <tacore/ops/export.hpp>
#include <tacore/ops/report.hpp>
#include <tacore/ops/validate.hpp>
#include <tacore/plumbing/secrets.hpp>
#include <tacore/verbose.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "layout.hpp"
#include "loaded_library.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

const char* word(Severity severity) { return severity == Severity::Error ? "error" : "warning"; }

/// "error ZIP-3 a.tacozip level 1 byte 512: message".
std::string line(const Issue& issue, const std::string& path) {
  const ErrorContext& where = issue.where;
  std::string out = std::string(" ") + issue.rule + " " + (where.path.empty() ? path : where.path);
  if (where.level) out += " level " + std::to_string(*where.level);
  if (where.offset) out += " byte " + std::to_string(*where.offset);
  const Colour colour = issue.severity == Severity::Error ? Colour::Red : Colour::Yellow;
  return coloured(colour, word(issue.severity), STDOUT_FILENO) + printable(redact(out) + ": " + issue.message) + "\n";
}

/// Before the dataset is read, which may take long.
void check_reports(const ValidateCommandOptions& options) {
  for (const std::string& file : options.reports) {
    if (!is_html(file) && !file.ends_with(".sarif") && !file.ends_with(".json"))
      throw UsageError("--report: '" + file + "' does not end in .html, .sarif or .json");
    check_output(file, options.overwrite);
  }
}

void write_reports(const ValidateCommandOptions& options, const std::vector<Issue>& issues) {
  for (const std::string& file : options.reports) {
    with_output({file, options.overwrite}, {options.path}, [&](tabular::Output& to) {
      if (is_html(file)) {
        ReportOptions how{
            .sample_size = options.how.sample_size, .transformer = transformer(), .fallback = raster_opener()};
        how.load.base_path = options.how.base_path;
        to.write(issues2html(issues, options.path, how));
      } else {
        to.write(file.ends_with(".sarif") ? issues2sarif(issues, options.path) : issues2json(issues));
      }
    });
  }
}

std::optional<extensions::Convention> convention_of(const std::string& name) {
  using enum extensions::Convention;
  if (name == "land-cover") return LandCover;
  if (name == "change") return Change;
  if (name == "methane") return Methane;
  if (name == "flood") return Flood;
  return std::nullopt;
}

/// What a dataset lacks of a convention, of whatever version it is.
void add_faults(std::vector<Issue>& to, extensions::Convention convention, const std::string& name,
                const std::string& path) {
  for (auto& fault : extensions::check_convention(convention, to_taco(load(path))))
    to.push_back({.rule = name, .severity = Severity::Error, .message = std::move(fault), .where = {.path = path}});
}

}  // namespace

int run_validate(const ValidateCommandOptions& options) {
  check_reports(options);
  ValidateOptions how = options.how;
  std::vector<Issue> unconventional;
  for (const auto& profile : options.profiles) {
    if (const auto convention = convention_of(profile)) add_faults(unconventional, *convention, profile, options.path);
    else how.profiles.push_back(profile);
  }
  how.transformer = transformer();
  if (how.pixels) how.fallback = raster_opener();
  std::vector<Issue> issues;
  run_copy(
      how.task, [&] { issues = tacore::validate(options.path, how); }, "files");
  issues.insert(issues.end(), unconventional.begin(), unconventional.end());
  if (!options.reports.empty()) run_interruptibly([&] { write_reports(options, issues); });
  std::string lines;
  for (const Issue& issue : issues) lines += line(issue, options.path);
  print(options.json ? issues2json(issues) : lines);

  const auto errors = static_cast<uint64_t>(std::count_if(
      issues.begin(), issues.end(), [](const Issue& issue) { return issue.severity == Severity::Error; }));
  if (log_level() != LogLevel::Off) {
    complain(options.path + ": " + count_of(errors, "error") + ", " + count_of(issues.size() - errors, "warning"));
    if ((how.assets || how.pixels) && how.sample_size > 0) {
      // The rule of three: the upper bound of a share of which none was seen.
      char percent[32];
      std::snprintf(percent, sizeof percent, "%.2g", std::min(100.0, 300.0 / static_cast<double>(how.sample_size)));
      complain("a fault of the files that was not found is in less than " + std::string(percent) +
               " % of the samples, with a confidence of 95 %");
    }
  }
  return errors > 0 ? 1 : 0;
}

}  // namespace tacore::cli
