#pragma once

#include <optional>
#include <span>
#include <string>

/// Facts about local files that this user has proved on this machine, remembered for later processes: one empty file
/// for each in the folder `tacore/proved` of the user's cache (XDG_CACHE_HOME, else ~/.cache), named by a hash. There
/// is nothing in it that could be damaged or outdated: of other facts, or of files that changed, there is no such file.
namespace tacore {

/// A text that is another one after any of these files was written, replaced or moved: from device, number, size and
/// the times of its last changes, of which no program can set the last. nullopt where one is not a local file.
std::optional<std::string> stamp_of(std::span<const std::string> files);

/// Remembers `fact`, a text of any length, which should contain the stamp_of() the files that prove it. Returns false
/// if the cache cannot be written.
bool remember_proved(const std::string& fact);
/// True when this user remembered `fact`.
bool is_proved_here(const std::string& fact);

}  // namespace tacore
