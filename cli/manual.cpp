#include "manual.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "commands.hpp"

namespace tacore::cli {
namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : std::string(separator)) + part;
  return out;
}

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

// --- Shells ---

std::vector<std::string> flags(const CommandManual& command) {
  std::vector<std::string> out;
  for (const auto& option : command.options) {
    if (!option.is_argument) out.insert(out.end(), option.names.begin(), option.names.end());
  }
  return out;
}

std::vector<std::string> names(const std::vector<CommandManual>& commands) {
  std::vector<std::string> out;
  for (const auto& command : commands) {
    if (!command.name.empty()) out.push_back(command.name);
  }
  return out;
}

std::string bash(const std::vector<CommandManual>& commands) {
  std::string out = R"(# Completion of taco for bash: source it, or put it into share/bash-completion/completions/taco.
_taco() {
  local word=${COMP_WORDS[COMP_CWORD]} command= options i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi
  done
  case $command in
)";
  for (const auto& command : commands) {
    if (!command.name.empty()) out += "    " + command.name + ") options='" + joined(flags(command), " ") + "' ;;\n";
  }
  out += "    *) options='" + joined(flags(commands.front()), " ") + "' ;;\n  esac\n";
  out += "  local commands='" + joined(names(commands), " ") + "'\n";
  return out + R"(  COMPREPLY=()
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$word"))
  fi
}
complete -o bashdefault -o default -F _taco taco
)";
}

/// Inside of '...' of zsh's _arguments, where : and brackets have a meaning.
std::string zsh_text(std::string text) {
  text = replaced(std::move(text), '\'', "'\\''");
  for (const char special : {'[', ']', ':'}) text = replaced(std::move(text), special, "\\" + std::string(1, special));
  return text;
}

std::string zsh_options(const CommandManual& command) {
  std::string out;
  for (const auto& option : command.options) {
    if (option.is_argument) continue;
    for (const auto& name : option.names) {
      const std::string value = option.value.empty() ? "" : ":" + zsh_text(option.value) + ":_files";
      out += " \\\n        '" + name + "[" + zsh_text(option.text) + "]" + value + "'";
    }
  }
  return out;
}

std::string zsh(const std::vector<CommandManual>& commands) {
  std::string out = R"(#compdef taco
# Completion of taco for zsh: put it as _taco into a folder of $fpath.
local curcontext=$curcontext state line
local -a commands=(
)";
  for (const auto& command : commands) {
    if (!command.name.empty()) out += "  '" + command.name + ":" + zsh_text(command.text) + "'\n";
  }
  out += ")\n_arguments -C '1: :->first' '*:: :->rest'" + zsh_options(commands.front()) + "\n";
  out += R"(case $state in
  first) _describe command commands; _files ;;
  rest)
    case $words[1] in
)";
  for (const auto& command : commands) {
    if (!command.name.empty()) {
      out += "      " + command.name + ") _arguments" + zsh_options(command) + " \\\n        '*:file:_files' ;;\n";
    }
  }
  return out + "      *) _files ;;\n    esac ;;\nesac\n";
}

std::string fish(const std::vector<CommandManual>& commands) {
  const auto quoted = [](std::string text) {
    return "'" + replaced(replaced(std::move(text), '\\', "\\\\"), '\'', "\\'") + "'";
  };
  std::string out = "# Completion of taco for fish: put it as taco.fish into share/fish/vendor_completions.d.\n";
  for (const auto& command : commands) {
    const std::string when =
        command.name.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + command.name;
    if (!command.name.empty()) {
      out += "complete -c taco -n __fish_use_subcommand -a " + command.name + " -d " + quoted(command.text) + "\n";
    }
    for (const auto& option : command.options) {
      if (option.is_argument) continue;
      out += "complete -c taco -n " + quoted(when);
      for (const auto& name : option.names) {
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      out += (option.value.empty() ? "" : " -r") + std::string(" -d ") + quoted(option.text) + "\n";
    }
  }
  return out;
}

}  // namespace

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
  std::vector<std::string> groups;
  for (const auto& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  for (const auto& group : groups) {
    std::string heading = replaced(group, '"', "");
    std::transform(heading.begin(), heading.end(), heading.begin(), [](unsigned char c) { return std::toupper(c); });
    out += ".SH \"" + heading + "\"\n";
    for (const auto& option : command.options) {
      if (option.group == group) out += roff_option(option);
    }
  }
  // Examples are lines of a shell, which stay as they are.
  const auto end = command.footer.find('\n');
  if (command.footer.starts_with("Examples:") && end != command.footer.npos) {
    out += ".SH EXAMPLES\n.nf\n" + roff(command.footer.substr(end + 1)) + "\n.fi\n";
  } else if (!command.footer.empty()) {
    out += ".SH NOTES\n" + roff(command.footer) + "\n";
  }
  return out + ".SH \"EXIT STATUS\"\n0: success. 1: an error, or a difference that was found. 2: wrong usage.\n";
}

std::string completion_script(const std::vector<CommandManual>& commands, const std::string& shell) {
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  if (shell == "fish") return fish(commands);
  throw UsageError("no completion for the shell '" + shell + "'; known are bash, zsh and fish");
}

}  // namespace tacore::cli
