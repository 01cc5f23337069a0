#pragma once

#include <string>
#include <vector>

#include <tacore/write/create.hpp>

namespace tacore::cli {

/// The help of --extensions.
inline constexpr const char* kExtensionHelp =
    "Columns or keys of COLLECTION.json to add, separated by commas: NAME, NAME=VALUE, NAME={\"PARAMETER\": VALUE, "
    "...} "
    "or NAME=@FILE.json, such as stac=2024-06-01,geotiff_stats,split=train; taco extensions lists all";

/// The names of all extensions.
std::vector<std::string> known_extensions();

/// The extensions of several options `--extensions A,B=VALUE`, one text each. Commas in brackets separate nothing.
std::vector<std::string> separate_extensions(const std::vector<std::string>& options);

/// Throws UsageError for an extension or a parameter that is not known, and for a key of COLLECTION.json where
/// `output` has none.
void check_extensions(const std::vector<std::string>& extensions, const std::string& output);

/// True when one of `extensions` takes the places of samples from their rasters.
bool state_places(const std::vector<std::string>& extensions);

/// The samples with the columns of these extensions, in their order. `jobs` is the number of threads. Throws
/// SchemaError.
Tortilla extend(Tortilla samples, const std::vector<std::string>& extensions, int jobs);

/// Adds the keys of COLLECTION.json.
void extend_collection(Taco& taco, const std::vector<std::string>& extensions);

}  // namespace tacore::cli
