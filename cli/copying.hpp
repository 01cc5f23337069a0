#pragma once

#include <functional>

#include <tacore/write/create.hpp>

#include "commands.hpp"

namespace tacore::cli {

/// Throws ValidationError, which names --overwrite, when something is there that may not be replaced.
void check_output(const std::string& output, const Writing& writing);

/// Throws UsageError for a name whose ending is that of no dataset: a typo would make a folder of this name. A folder may
/// have any name with a slash behind it, or one that is there.
void check_ending(const std::string& output);

/// Calls `copy` with what `options` and `writing` say, while a bar shows how far it is; functions with options of their
/// own take theirs from these. Ctrl-C and its like ask it to stop and clean up, and end the process when it has.
void run_copy(CreateOptions options, const Writing& writing, const std::function<void(const CreateOptions&)>& copy);

/// Calls `work`, which looks at interrupt_check(). Ctrl-C and its like stop it there, and end the process when it has
/// cleaned up.
void run_interruptibly(const std::function<void()>& work);

}  // namespace tacore::cli
