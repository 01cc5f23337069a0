#pragma once

#include <string>
#include <vector>

#include <tacore/write/sample.hpp>

namespace tacore::cli {

/// What --extensions may name.
inline constexpr const char* kExtensionHelp =
    "stac[=TIME], istac[=TIME] (from columns, else rasters), geotiff_stats, stats, header, majortom[=KM], "
    "spatialgrouping=SIZE|COUNT; comma between";

/// Throws UsageError for an extension or a parameter that is not known.
void check_extensions(const std::vector<std::string>& names);

/// The samples with the columns of these extensions, in their order. Throws SchemaError.
Tortilla extend(Tortilla samples, const std::vector<std::string>& names);

}  // namespace tacore::cli
