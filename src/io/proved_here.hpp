#pragma once

#include <sys/stat.h>

#include <optional>
#include <span>
#include <string>

/// Facts about local files that this user has proved on this machine, remembered for later processes: one empty file
/// for each in the folder `proved` of user_cache() (`tacore` in XDG_CACHE_HOME, else in ~/.cache), named by a hash.
/// There is nothing in it that could be damaged or outdated: of other facts, or of files that changed, there is no such
/// file.
namespace tacore {

/// The folder of tacore in the user's cache; "" where the user has none.
std::string user_cache();

/// A text that is another one after the file was written, replaced or moved: from device, number, size and the times of
/// its last changes, of which no program can set the last.
std::string stamp_of(const struct stat& file);
/// The same for all of these files; nullopt where one is not a local file.
std::optional<std::string> stamp_of(std::span<const std::string> files);

/// Remembers `fact`, a text of any length, which should contain the stamp_of() the files that prove it. Returns false
/// if the cache cannot be written.
bool remember_proved(const std::string& fact);
/// True when this user remembered `fact`.
bool is_proved_here(const std::string& fact);

}  // namespace tacore
