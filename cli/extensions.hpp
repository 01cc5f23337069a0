#pragma once

#include <string>
#include <vector>

#include <tacore/crs.hpp>
#include <tacore/sample.hpp>

namespace tacore::cli {

/// That of tacore_gdal (gdal.hpp), null where it is not built or installed: then EPSG:4326 alone is known.
const CrsTransformer* transformer();

/// What --extensions may name.
inline constexpr const char* kExtensionHelp =
    "stac, istac (from a table's columns), majortom[=KM], spatialgrouping=SIZE|COUNT; comma between";

/// Throws UsageError for an extension or a parameter that is not known.
void check_extensions(const std::vector<std::string>& names);

/// The samples with the columns of these extensions, in their order. Throws SchemaError.
Tortilla extend(Tortilla samples, const std::vector<std::string>& names);

}  // namespace tacore::cli
