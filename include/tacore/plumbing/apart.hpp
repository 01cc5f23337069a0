#pragma once

#include <string>
#include <vector>

#include "tacore/visibility.hpp"

/// No output destroys what is read.
namespace tacore {

/// The files and folders, among those of files_of(), that a description must not replace and must not lie in. A
/// description may lie in the folder of a dataset, since its links are relative to it: beside COLLECTION.json,
/// METADATA/, DATA/ and .tacocat/ of a FOLDER, whose path, or that of its COLLECTION.json, is in `files`.
TACORE_EXPORT std::vector<std::string> described_files(const std::vector<std::string>& files);

/// Throws ValidationError where writing `output` would destroy or change what is read: where it is one of `inputs`,
/// contains one, or lies inside one that is a folder. Files and folders are told by what they are, not by their names,
/// so links lead nowhere else. What is remote, or not there, is passed over; of /vsisubfile/ paths the file counts.
/// create(), export_dataset() and all else that makes something of datasets ask this before anything is made, unless
/// their work is to change the input.
TACORE_EXPORT void require_apart(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace tacore
