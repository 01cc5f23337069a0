#pragma once

#include <string>

#include "commands.hpp"

namespace tacore::cli {

/// The password of a secret key. `again`: one that is typed for a new key is asked for twice. Throws UsageError when
/// there is no terminal to ask at, and when both differ; IoError for a file that cannot be read.
std::string read_password(const PasswordOptions& from, const std::string& key, bool again);

}  // namespace tacore::cli
