#pragma once

#include <string>
#include <vector>

#include "manual.hpp"

/// Completion of the command line. The scripts of the shells are short: they ask the tool itself, which knows commands,
/// options, and the ids and columns of the dataset that the line names.
namespace tacore::cli {

/// A script for "bash", "zsh" or "fish". Throws UsageError for another shell.
std::string completion_script(const std::string& shell);

/// A word that can stand at the end of a command line.
struct Candidate {
  std::string text = {};  ///< the whole word; the id of a FOLDER ends with '/', as its children can follow
  std::string about = {};
};
/// The candidates for the last of `words`, which follow the name of the tool; none where a file is expected. Only local
/// datasets are read, of which at most 100,000 ids. Throws as load().
std::vector<Candidate> candidates(const std::vector<CommandManual>& commands, std::vector<std::string> words);

}  // namespace tacore::cli
