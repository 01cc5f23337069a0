#pragma once

#include <string>
#include <string_view>

#include "tacore/collection.hpp"
#include "writer/tree.hpp"
#include "writer/write_options.hpp"

namespace tacore {

/// Writes `tree`, which check_tree() has passed, as a FOLDER (§6.4). The folder is made beside `target`, synced, and
/// renamed when it is complete; a folder that it replaces is removed after that. `collection` is COLLECTION.json.
/// Throws IoError.
void write_folder(const Tree& tree, std::string_view collection, const std::string& target,
                  const WriteOptions& options);

}  // namespace tacore
