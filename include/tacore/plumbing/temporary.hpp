#pragma once

#include <string>

#include "tacore/visibility.hpp"

/// Temporary names, `.NAME.TOKEN.part`, of outputs that are not complete yet.
namespace tacore {

/// A new temporary name for `target`, beside it or in the folder `temp_dir`. First removes the temporary files that
/// killed runs left there for the same target: those that are not locked by hold_temporary(). Throws IoError.
TACORE_EXPORT std::string temporary_for(const std::string& target, const std::string& temp_dir = {});

/// Locks the file or folder that was just created under that name, for as long as the descriptor is open; the system
/// releases the lock when the process ends in whatever way. False when another process removed it before it was locked:
/// create another. Where a file system has no locks, leftovers of killed runs stay. Throws IoError.
TACORE_EXPORT bool hold_temporary(int descriptor, const std::string& temporary, const std::string& target);

/// Renames `from` to `to` in one step. Throws IoError, also when something exists at `to` and `overwrite` is false.
TACORE_EXPORT void rename_to(const std::string& from, const std::string& to, bool overwrite);

/// Makes names in the folder of `path` durable, where the folder can be opened and its file system can sync it. Throws
/// IoError.
TACORE_EXPORT void sync_folder_of(const std::string& path);

}  // namespace tacore
