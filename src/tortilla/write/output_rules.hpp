#pragma once

#include <string>

#include "tacore/collection.hpp"
#include "tortilla/header.hpp"

namespace tacore::v1 {

/// Throws ValidationError unless `path` ends in `.tortilla` or `.taco`, as `kind` says.
void check_name(const std::string& path, Kind kind);
/// Throws ValidationError when `path` exists and may not be replaced, IoError when it is remote.
void check_absent(const std::string& path, bool overwrite);

/// The text of COLLECTION for writing. Throws ValidationError with all rules that it breaks.
std::string collection_text(const Collection& collection);

}  // namespace tacore::v1
