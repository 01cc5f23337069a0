#pragma once

#include <string>

#include "tacore/visibility.hpp"

/// What is written has a temporary name, `.NAME.TOKEN.part`, until it is whole.
namespace tacore {

/// A new temporary name of `target`, beside it or in the folder `temp_dir`. First removes what killed runs left there
/// of the same target: whatever has such a name and is not held by hold_temporary(). Throws IoError.
TACORE_EXPORT std::string temporary_for(const std::string& target, const std::string& temp_dir = {});

/// To be called with the open file or folder as soon as it is made under that name. Locks it for as long as the
/// descriptor is open: the system lets go of a process that ends in whatever way. False when another process has
/// removed it before it was locked: make another. Where a file system has no locks, what is left of killed runs stays.
/// Throws IoError.
TACORE_EXPORT bool hold_temporary(int descriptor, const std::string& temporary, const std::string& target);

}  // namespace tacore
