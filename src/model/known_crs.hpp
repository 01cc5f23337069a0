#pragma once

#include <string>

#include "tacore/crs.hpp"

namespace tacore {

/// Whether coordinates of `crs` are longitudes and latitudes. Throws SchemaError for a system that is not known:
/// without a transformer, all but WGS 84.
bool is_geographic(const std::string& crs, const CrsTransformer* transformer);

}  // namespace tacore
