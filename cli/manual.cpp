#include "manual.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "commands.hpp"

namespace tacore::cli {
namespace {

std::string replaced(std::string text, char from, std::string_view to) {
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) text.replace(at, 1, to);
  return text;
}

/// Text of a manual page: a backslash, and a dot or quote at the start of a line, have a meaning there.
std::string roff(const std::string& text) {
  std::string out = replaced(replaced(text, '\\', "\\e"), '-', "\\-");
  for (std::size_t at = 0; at != out.npos && at < out.size(); at = out.find('\n', at)) {
    if (out[at] == '\n') ++at;
    if (at < out.size() && (out[at] == '.' || out[at] == '\'')) out.insert(at, "\\&");
  }
  return out;
}

std::string full_name(const CommandManual& command) { return command.name.empty() ? "taco" : "taco " + command.name; }

std::string roff_option(const OptionManual& option) {
  std::string out = ".TP\n";
  for (const auto& name : option.names) {
    if (&name != &option.names.front()) out += ", ";
    out += (option.is_argument ? "\\fI" : "\\fB") + roff(name) + "\\fR";
  }
  if (!option.value.empty()) out += " \\fI" + roff(option.value) + "\\fR";
  return out + "\n" + roff(option.text) + "\n";
}

/// The groups of its options, in order.
std::vector<std::string> groups_of(const CommandManual& command) {
  std::vector<std::string> groups;
  for (const auto& option : command.options) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  return groups;
}

/// Lines of a shell; "" where there are none.
std::string examples_of(const CommandManual& command) {
  const auto end = command.footer.find('\n');
  const bool has_examples = command.footer.starts_with("Examples:") && end != command.footer.npos;
  std::string out = has_examples ? command.footer.substr(end) : "";
  for (auto at = out.find("\n  "); at != out.npos; at = out.find("\n  ", at)) out.erase(at + 1, 2);
  return out.substr(std::min<std::size_t>(out.size(), 1));
}

}  // namespace

std::string markdown_page(const CommandManual& command) {
  // Angle brackets and pipes have a meaning in tables.
  const auto cell = [](const std::string& text) { return replaced(replaced(text, '|', "\\|"), '<', "&lt;"); };
  std::string out = "# " + full_name(command) + "\n\n" + command.text + ".\n\n```text\n" + full_name(command);
  for (const auto& option : command.options) {
    if (!option.is_argument) continue;
    const std::string& argument = option.names.front();
    out += option.is_required ? " " + argument : " [" + argument + "]";
  }
  out += " [OPTION]...\n```\n";
  for (const auto& group : groups_of(command)) {
    out += "\n## " + group + "\n\n| | Meaning |\n|---|---|\n";
    for (const auto& option : command.options) {
      if (option.group != group) continue;
      std::string names;
      for (const auto& name : option.names) names += (names.empty() ? "" : ", ") + name;
      out += "| `" + names + (option.value.empty() ? "" : " " + replaced(option.value, '|', "\\|")) + "` | " +
             cell(option.text) + " |\n";
    }
  }
  if (!examples_of(command).empty()) out += "\n## Examples\n\n```bash\n" + examples_of(command) + "\n```\n";
  return out;
}

std::string manual_page(const std::vector<CommandManual>& commands, const CommandManual& command,
                        const std::string& version) {
  const std::string name = full_name(command);
  std::string out = ".TH \"" + replaced(name, ' ', "-") + "\" 1 \"\" \"taco " + version + "\" \"TACO datasets\"\n";
  out += ".SH NAME\n" + roff(replaced(name, ' ', "-")) + " \\- " + roff(command.text) + "\n.SH SYNOPSIS\n\\fB" +
         roff(name) + "\\fR";
  if (command.name.empty()) out += " \\fICOMMAND\\fR ...";
  for (const auto& option : command.options) {
    if (!option.is_argument) continue;
    const std::string argument = "\\fI" + roff(option.names.front()) + "\\fR";
    out += option.is_required ? " " + argument : " [" + argument + "]";
  }
  out += " [\\fIOPTION\\fR]...\n";
  if (command.name.empty()) {
    out += ".SH COMMANDS\n";
    for (const auto& other : commands) {
      if (!other.name.empty()) out += ".TP\n\\fBtaco\\-" + roff(other.name) + "\\fR(1)\n" + roff(other.text) + "\n";
    }
  }
  for (const auto& group : groups_of(command)) {
    std::string heading = replaced(group, '"', "");
    std::transform(heading.begin(), heading.end(), heading.begin(), [](unsigned char c) { return std::toupper(c); });
    out += ".SH \"" + heading + "\"\n";
    for (const auto& option : command.options) {
      if (option.group == group) out += roff_option(option);
    }
  }
  if (const std::string examples = examples_of(command); !examples.empty()) {
    out += ".SH EXAMPLES\n.nf\n" + roff(examples) + "\n.fi\n";
  } else if (!command.footer.empty()) {
    out += ".SH NOTES\n" + roff(command.footer) + "\n";
  }
  return out + ".SH \"EXIT STATUS\"\n0: success. 1: an error, or a difference that was found. 2: wrong usage.\n";
}

}  // namespace tacore::cli
