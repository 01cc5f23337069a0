#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tacore/write/create.hpp>

#include "commands.hpp"

namespace tacore::cli {

/// Throws ValidationError, which names --overwrite, when `output` exists and may not be replaced.
void check_output(const std::string& output, bool overwrite);

/// Throws UsageError for a name whose ending is that of no dataset: a typo would make a folder of this name. A folder
/// may have any name with a slash behind it, or one that is there.
void check_ending(const std::string& output);

/// With what the command line says of all commands: the number of requests, and how places are transformed.
CreateOptions completed(CreateOptions options);

/// Calls `work`, whose options have `task`, while a bar shows its progress, in bytes or in `what`. SIGINT (Ctrl-C),
/// SIGTERM and SIGHUP cancel the work, even if it reports no progress; after it has cleaned up, the process ends.
void run_copy(Task& task, const std::function<void()>& work, const char* what = nullptr);

/// run_copy() for work that returns the paths of the dataset that it wrote. On a terminal, a first line then states the
/// number of samples, the size and the time, and a second line suggests the next commands. `work` may set `more`, which
/// ends the first line.
void run_writer(Task& task, const std::function<std::vector<std::string>()>& work, const std::string& more = {});

/// Calls `work`, which checks for an interruption. Ctrl-C and its like stop it there, and end the process when it has
/// cleaned up.
void run_interruptibly(const std::function<void()>& work);

}  // namespace tacore::cli
