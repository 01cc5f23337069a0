#pragma once

#include <string>
#include <vector>

#include <tacore/write/sample.hpp>

namespace tacore::cli {

/// The help of --extensions.
inline constexpr const char* kExtensionHelp =
    "Columns to add, separated by commas: stac[=TIME] and istac[=TIME] (place and time, from columns or the rasters), "
    "geotiff_stats and stats (statistics of the bands), header (TIFF index), majortom[=KM] (grid cells), "
    "spatialgrouping=SIZE|COUNT (groups of neighbours)";

/// Throws UsageError for an extension or a parameter that is not known.
void check_extensions(const std::vector<std::string>& names);

/// The samples with the columns of these extensions, in their order. Throws SchemaError.
Tortilla extend(Tortilla samples, const std::vector<std::string>& names);

}  // namespace tacore::cli
