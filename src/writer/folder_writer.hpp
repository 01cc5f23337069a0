#pragma once

#include <string>
#include <string_view>

#include "tacore/collection.hpp"
#include "writer/tree.hpp"
#include "writer/write_options.hpp"

namespace tacore {

/// Writes `tree`, which check_tree() has passed, as a FOLDER (§6.4; dossier 2). The folder is made beside `target` and
/// renamed when it is whole and synced; an older one that is replaced goes after that. `collection` is COLLECTION.json.
/// Throws IoError.
void write_folder(const Tree& tree, std::string_view collection, const std::string& target,
                  const WriteOptions& options);

}  // namespace tacore
