#pragma once

#include <optional>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/value.hpp"

namespace tacore {
class Tortilla;
}

namespace tacore::extensions {

/// The centroid of each sample of level 0: of `stac:centroid`, or else `istac:centroid`; nullopt for null and for what
/// is no point. Throws SchemaError when there is neither column, and for bytes that are not WKB.
std::vector<std::optional<LonLat>> centroids_of(const Tortilla& tortilla);

}  // namespace tacore::extensions
