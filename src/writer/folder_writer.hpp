#pragma once

#include <string>

#include "tacore/collection.hpp"
#include "writer/tree.hpp"
#include "writer/write_options.hpp"

namespace tacore {

/// Writes `tree`, which check_tree() has passed, as a FOLDER (§6.4; dossier 2). The folder is made beside `target` and
/// renamed when it is whole and synced; an older one that is replaced goes after that. Throws IoError.
void write_folder(const Tree& tree, const Collection& collection, const std::string& target,
                  const WriteOptions& options);

}  // namespace tacore
