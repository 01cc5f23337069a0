#pragma once

#include <string>
#include <vector>

#include "tacore/visibility.hpp"

/// Protection of inputs from outputs.
namespace tacore {

/// The files and folders, among those of files_of(), that a description must not replace and must not lie in. A
/// description may lie in the folder of a dataset, since its links are relative to it: beside COLLECTION.json,
/// METADATA/, DATA/ and .tacocat/ of a FOLDER, whose path, or that of its COLLECTION.json, is in `files`.
TACORE_EXPORT std::vector<std::string> described_files(const std::vector<std::string>& files);

/// Throws ValidationError when writing `output` would destroy or change an input: when it is one of `inputs`, contains
/// one, or lies inside of one that is a folder. Files and folders are compared by device and inode, so links are
/// followed. Remote paths and paths that do not exist are ignored; of a /vsisubfile/ path the file counts. create(),
/// export_dataset() and all other functions that write a new dataset call this before they write.
TACORE_EXPORT void require_apart(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace tacore
