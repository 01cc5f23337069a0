#pragma once

#include <string>
#include <vector>

#include "tacore/visibility.hpp"

/// Protection of inputs from being overwritten by outputs.
namespace tacore {

/// The paths that a description of a dataset must neither replace nor lie inside of. `files` is the result of
/// files_of(). For a FOLDER dataset, which `files` names by its folder or its COLLECTION.json, the paths are
/// COLLECTION.json, METADATA/, DATA/ and .tacocat/ in that folder: a description may lie beside them, since its links
/// are relative.
TACORE_EXPORT std::vector<std::string> described_files(const std::vector<std::string>& files);

/// Throws ValidationError when writing `output` would destroy or change an input: when it is one of `inputs`, contains
/// one, or lies inside of one that is a folder. Files and folders are compared by device and inode, so links are
/// followed. Remote paths and paths that do not exist are ignored; for a /vsisubfile/ path its file is compared.
/// create(), export_dataset() and all other functions that write a new dataset call this before they write.
TACORE_EXPORT void require_apart(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace tacore
