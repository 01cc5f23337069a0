#pragma once

#include <string>
#include <vector>

/// What the tool says of itself elsewhere: its commands as data, and manual pages.
namespace tacore::cli {

struct OptionManual {
  std::vector<std::string> names = {};  ///< "-o", "--output"; of an argument only "PATH"
  std::string value = {};               ///< "FILE"; empty for a flag
  std::string text = {};
  std::string group = {};
  bool is_argument = false;
  bool is_required = false;
};

struct CommandManual {
  std::string name = {};  ///< empty for the tool itself
  std::string text = {};
  std::string footer = {};  ///< examples
  std::vector<OptionManual> options = {};
};

/// The page as Markdown, for docs/commands.
std::string markdown_page(const CommandManual& command);

/// The page in the language of man(1). `commands` begins with the tool itself; `command` is one of them.
std::string manual_page(const std::vector<CommandManual>& commands, const CommandManual& command,
                        const std::string& version);

}  // namespace tacore::cli
