#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <tacore/error.hpp>
#include <tacore/ops/inspect.hpp>
#include <tacore/verbose.hpp>

#include "base/nearest.hpp"
#include "commands.hpp"
#include "copying.hpp"
#include "json.hpp"
#include "layout.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

std::string in_lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return text;
}

/// An SPDX identifier as the list spells it; other text stays as it is.
std::string spelled(const std::string& licence) {
  for (const auto& known : known_licences()) {
    if (in_lower_case(known) == in_lower_case(licence)) return known;
  }
  return licence;
}

/// Why SPDX does not know a licence, with the identifier that may be meant; "" for one that it knows.
std::string licence_fault(const std::string& licence) {
  const auto known = known_licences();
  const bool is_expression = licence.find(" OR ") != licence.npos || licence.find(" AND ") != licence.npos ||
                             licence.find(" WITH ") != licence.npos || licence.starts_with("LicenseRef-");
  if (is_expression || std::ranges::find(known, licence) != known.end()) return "";
  // "CC BY 4" and "cc-by" mean "CC-BY-4.0", not an older version.
  std::string meant = in_lower_case(licence);
  std::ranges::replace(meant, ' ', '-');
  std::string found;
  for (const auto& each : known) {
    if (in_lower_case(each).starts_with(meant) && each.size() <= meant.size() + 4) found = each;
  }
  if (found.empty()) found = nearest(licence, known);
  return in_quotes(licence) + " is not an SPDX identifier such as CC-BY-4.0, CC0-1.0 or MIT" +
         (found.empty() ? "" : "; did you mean '" + found + "'?");
}

/// A collection whose other members break no rule.
Collection valid_collection() {
  return {.id = "x",
          .dataset_version = "1.0.0",
          .description = "D",
          .licenses = {"MIT"},
          .providers = {{.name = "P"}},
          .tasks = {"other"}};
}

std::string first_of(const std::vector<std::string>& faults) { return faults.empty() ? "" : faults.front(); }

/// Writes to the terminal, whose standard output may be elsewhere.
void tell(const std::string& text) { std::fputs(text.c_str(), stderr); }

/// Asks until `fault_of` finds nothing wrong with the answer, or it is given twice where `may_insist`.
std::string ask(const std::string& question, const std::function<std::string(const std::string&)>& fault_of,
                bool may_insist = false) {
  std::string line, refused;
  for (;;) {
    tell(question + ": ");
    if (!std::getline(std::cin, line)) {
      tell("\n");
      throw UsageError("the answers end at the question '" + question + "'; nothing was written");
    }
    line.erase(0, line.find_first_not_of(" \t\r"));
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty()) continue;
    const std::string fault = fault_of(line);
    if (fault.empty() || (may_insist && line == refused)) return line;
    const std::string more = fault.ends_with('?') ? " Repeat it to keep it." : ". Repeat it to keep it.";
    tell("  " + fault + (may_insist ? more : "") + "\n");
    refused = line;
  }
}

/// Asks for the members that `options` does not give.
void ask_for_missing(CollectionOptions& options) {
  if (!options.id) {
    options.id = ask("Id (lowercase letters, digits, _ and -)", [](const std::string& answer) {
      Collection made = valid_collection();
      made.id = answer;
      return first_of(validation_errors(made));
    });
  }
  const auto any = [](const std::string&) { return std::string(); };
  if (!options.description) options.description = ask("Description (one sentence or more)", any);
  if (options.licenses.empty()) {
    const auto fault_of = [](const std::string& answer) { return licence_fault(spelled(answer)); };
    options.licenses = {spelled(ask("Licence (SPDX identifier, such as CC-BY-4.0, CC0-1.0 or MIT)", fault_of, true))};
  }
  if (options.providers.empty()) options.providers = {ask("Provider (person or organisation that made the data)", any)};
  if (!options.tasks.empty()) return;
  const auto tasks = known_tasks();
  std::string all;
  for (const auto& task : tasks) all += task + " ";
  tell("Tasks:\n");
  for (const auto& line : fill(words(all), 76)) tell("  " + line + "\n");
  options.tasks = {ask("Task of machine learning", [&](const std::string& answer) {
    if (std::ranges::find(tasks, answer) != tasks.end()) return std::string();
    return in_quotes(answer) + " is not one of these tasks" + did_you_mean(answer, tasks);
  })};
}

/// Throws UsageError for values that create would refuse, before anything is asked.
void check_given(const CollectionOptions& options) {
  Collection made = collection_of(options, "");
  const Collection valid = valid_collection();
  if (!options.id) made.id = valid.id;
  if (!options.dataset_version) made.dataset_version = valid.dataset_version;
  if (!options.description) made.description = valid.description;
  if (options.licenses.empty()) made.licenses = valid.licenses;
  if (options.providers.empty()) made.providers = valid.providers;
  if (options.tasks.empty()) made.tasks = valid.tasks;
  std::string faults;
  for (const auto& fault : validation_errors(made)) faults += (faults.empty() ? "" : "; ") + fault;
  if (!faults.empty()) throw UsageError(faults);
}

std::string json_of(const CollectionOptions& options) {
  const auto texts = [](const std::vector<std::string>& items) {
    std::vector<std::string> out;
    for (const auto& item : items) out.push_back(json_string(item));
    return json_array(out);
  };
  std::vector<std::string> providers;
  for (const auto& name : options.providers) providers.push_back(json_object({{"name", json_string(name)}}));
  std::vector<JsonField> members = {{"id", json_string(*options.id)},
                                    {"dataset_version", json_string(options.dataset_version.value_or("1.0.0"))}};
  if (options.title) members.emplace_back("title", json_string(*options.title));
  members.emplace_back("description", json_string(*options.description));
  members.emplace_back("licenses", texts(options.licenses));
  members.emplace_back("providers", json_array(providers));
  members.emplace_back("tasks", texts(options.tasks));
  if (!options.keywords.empty()) members.emplace_back("keywords", texts(options.keywords));
  if (options.published) members.emplace_back("published", json_string(*options.published));
  return json_object_lines(members);
}

}  // namespace

int run_init(const InitOptions& given) {
  InitOptions options = given;
  check_output(options.output.path, options.output.overwrite);
  for (auto& licence : options.licenses) licence = spelled(licence);
  check_given(options);
  if (::isatty(STDIN_FILENO) == 1 && is_terminal_error()) ask_for_missing(options);
  require_members(collection_of(options, options.output.path), options, true);
  for (const auto& licence : options.licenses) {
    if (const auto fault = licence_fault(licence); !fault.empty() && log_level() != LogLevel::Off)
      complain("warning: " + fault);
  }
  with_output(options.output, {}, [&](tabular::Output& to) { to.write(json_of(options)); });
  if (log_level() == LogLevel::Off) return 0;
  complain(options.output.path + ": written");
  complain("next: taco create FOLDER " + *options.id + ".tacozip --collection " + options.output.path);
  return 0;
}

}  // namespace tacore::cli
