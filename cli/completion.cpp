#include "completion.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <variant>

#include <tacore/dataset.hpp>

#include "commands.hpp"
#include "extensions.hpp"

namespace tacore::cli {
namespace {

constexpr int64_t kMostRows = 100'000;
constexpr std::size_t kMostIds = 1000;

// Bash divides words at colons, too, as in stac:crs: they are taken from the line, and a candidate is given without
// what stands before its last colon, which bash keeps.
constexpr const char* kBash =
    R"(# Completion of taco for bash: source it, or put it into share/bash-completion/completions/taco.
_taco() {
  local line=${COMP_LINE:0:COMP_POINT} candidate before
  local -a words
  read -ra words <<<"$line"
  [[ $line != *' ' ]] || words+=('')
  before=${words[-1]%"${words[-1]##*[:=]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    COMPREPLY+=("${candidate#"$before"}")
  done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
  [[ ${COMPREPLY[0]-} != */ ]] || compopt -o nospace 2>/dev/null
}
complete -o bashdefault -o default -F _taco taco
)";

constexpr const char* kZsh = R"(#compdef taco
# Completion of taco for zsh: put it as _taco into a folder of $fpath.
_taco() {
  local line
  local -a names folders shown
  for line in "${(@f)$("$words[1]" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    if [[ ${line%%$'\t'*} == */ ]]; then folders+=("${line%%$'\t'*}"); continue; fi
    names+=("${line%%$'\t'*}")
    shown+=("${line//$'\t'/  -- }")
  done
  [[ -n $names || -n $folders ]] || { _files; return; }
  compadd -l -d shown -a names
  compadd -S '' -a folders
}
compdef _taco taco
[[ $funcstack[1] != _taco ]] || _taco "$@"
)";

constexpr const char* kFish =
    R"(# Completion of taco for fish: put it as taco.fish into share/fish/vendor_completions.d.
complete -c taco -a '(set -l words (commandline -opc) (commandline -ct | string collect --allow-empty); $words[1] complete -- $words[2..] 2>/dev/null)'
)";

bool is_local(const std::string& path) { return path.find("://") == path.npos && !path.starts_with("/vsi"); }

/// "raise|skip" is a choice of values.
std::vector<Candidate> choices(const std::string& value) {
  std::vector<Candidate> out;
  if (value.find('|') == value.npos) return out;
  for (std::size_t at = 0; at <= value.size();) {
    const std::size_t end = std::min(value.find('|', at), value.size());
    out.push_back({value.substr(at, end - at)});
    at = end + 1;
  }
  return out;
}

std::vector<Candidate> columns_of(const std::string& path) {
  const Dataset dataset = load(path);
  std::vector<Candidate> out;
  std::set<std::string> seen;
  for (int level = 0; level <= dataset.pit_schema().max_depth(); ++level) {
    for (const Column& column : dataset.level_columns(level)) {
      if (seen.insert(column.name).second) out.push_back({column.name, column.type});
    }
  }
  return out;
}

/// The ids that begin with `typed`, which may be a path such as a/b: then the children of a.
std::vector<Candidate> ids_of(const std::string& path, const std::string& typed) {
  const std::size_t slash = typed.rfind('/');
  const std::string folder = slash == typed.npos ? "" : typed.substr(0, slash);
  const std::string before = slash == typed.npos ? "" : folder + "/";
  DataFrame rows = load(path).data();
  if (!folder.empty()) {
    const Node node = rows.read(folder);
    const auto* children = std::get_if<DataFrame>(&node);
    if (children == nullptr) return {};
    rows = *children;
  }
  std::vector<Candidate> out;
  for (int64_t row = 0; row < std::min(rows.num_rows(), kMostRows) && out.size() < kMostIds; ++row) {
    const std::string id = before + rows.text(row, "id").value_or("");
    if (!id.starts_with(typed)) continue;
    const std::string type = rows.text(row, "type").value_or("");
    out.push_back({id + (type == "FOLDER" ? "/" : ""), type});
  }
  return out;
}

std::vector<Candidate> names_of(const std::vector<CommandManual>& commands) {
  std::vector<Candidate> out;
  for (const auto& command : commands) {
    if (!command.name.empty()) out.push_back({command.name, command.text});
  }
  return out;
}

const OptionManual* find_option(const CommandManual& command, const std::string& name) {
  for (const auto& option : command.options) {
    if (!option.is_argument && std::ranges::find(option.names, name) != option.names.end()) return &option;
  }
  return nullptr;
}

/// A command line, but for its last word.
struct Line {
  const CommandManual* command;             ///< the tool itself where none is named
  const OptionManual* open = nullptr;       ///< the option whose value is the last word
  std::vector<std::string> arguments = {};  ///< of the command
};

Line parse(const std::vector<CommandManual>& commands, const std::vector<std::string>& words) {
  Line out{.command = &commands.front()};
  for (const auto& word : words) {
    if (out.open != nullptr) {
      out.open = nullptr;
    } else if (word.starts_with('-')) {
      const OptionManual* option = find_option(*out.command, word);
      if (option != nullptr && !option->value.empty()) out.open = option;
    } else if (out.command == &commands.front() && out.arguments.empty()) {
      const auto named = std::ranges::find(commands, word, &CommandManual::name);
      if (named != commands.end() && !word.empty()) out.command = &*named;
      else out.arguments.push_back(word);
    } else {
      out.arguments.push_back(word);
    }
  }
  return out;
}

/// Candidates for a value that the help calls `kind`: ID, COLUMN, COMMAND, SHELL, NAME[=VALUE]
/// (an extension), or a choice.
std::vector<Candidate> values(const std::vector<CommandManual>& commands, const Line& line, const std::string& kind,
                              const std::string& typed) {
  if (kind == "COMMAND") return names_of(commands);
  if (kind == "SHELL") return choices("bash|zsh|fish");
  // The last name of a list: what stands before it stays.
  const std::string before = typed.substr(0, typed.rfind(',') + 1);
  if (kind == "NAME[=VALUE]") {
    std::vector<Candidate> out;
    for (const auto& name : known_extensions()) out.push_back({before + name});
    return out;
  }
  const bool is_dataset = !line.arguments.empty() && is_local(line.arguments.front());
  if (kind == "ID") return is_dataset ? ids_of(line.arguments.front(), typed) : std::vector<Candidate>();
  if (kind == "COLUMN") {
    auto out = is_dataset ? columns_of(line.arguments.front()) : std::vector<Candidate>();
    for (auto& each : out) each.text.insert(0, before);
    return out;
  }
  return choices(kind);
}

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  throw UsageError("no completion for the shell '" + shell + "'; known are bash, zsh and fish");
}

std::vector<Candidate> candidates(const std::vector<CommandManual>& commands, std::vector<std::string> words) {
  if (words.empty()) return {};
  const std::string typed = words.back();
  words.pop_back();
  const Line line = parse(commands, words);
  std::vector<Candidate> out;
  if (line.open != nullptr) {
    out = values(commands, line, line.open->value, typed);
  } else if (typed.starts_with('-')) {
    for (const auto& option : line.command->options) {
      if (option.is_argument) continue;
      for (const auto& name : option.names) out.push_back({name, option.text});
    }
  } else if (line.command == &commands.front()) {
    if (line.arguments.empty()) out = names_of(commands);
  } else {
    std::vector<std::string> arguments;
    for (const auto& option : line.command->options) {
      if (option.is_argument) arguments.push_back(option.names.front());
    }
    if (line.arguments.size() < arguments.size()) out = values(commands, line, arguments[line.arguments.size()], typed);
  }
  std::erase_if(out, [&](const Candidate& each) { return !each.text.starts_with(typed); });
  return out;
}

}  // namespace tacore::cli
