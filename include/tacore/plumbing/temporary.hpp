#pragma once

#include <string>

#include "tacore/visibility.hpp"

/// Temporary names, `.NAME.TOKEN.part`, of unfinished outputs.
namespace tacore {

/// Makes a new temporary name for `target`, beside it or in the folder `temp_dir`. First removes the temporary files
/// that killed processes left there for the same target: those that hold_temporary() does not lock. Throws IoError.
TACORE_EXPORT std::string temporary_for(const std::string& target, const std::string& temp_dir = {});

/// Locks a temporary file or folder that was just created, for as long as `descriptor` is open; the system releases the
/// lock when the process ends in any way. False when another process removed it before it was locked: create another
/// one. On a file system without locks, leftovers of killed processes are not removed. Throws IoError.
TACORE_EXPORT bool hold_temporary(int descriptor, const std::string& temporary, const std::string& target);

/// Renames `from` to `to` in one step. Throws IoError, also when something exists at `to` and `overwrite` is false.
TACORE_EXPORT void rename_to(const std::string& from, const std::string& to, bool overwrite);

/// Makes names in the folder of `path` durable, where the folder can be opened and its file system can sync it. Throws
/// IoError.
TACORE_EXPORT void sync_folder_of(const std::string& path);

}  // namespace tacore
