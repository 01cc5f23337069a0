#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"

/// Collection and profiles of Tortilla 0.5.0 (`.tortilla`) and TACO 0.2.0 (`.taco`). Both are read with load(), like
/// any dataset.
namespace tacore::v1 {

/// Parses JSON text in the form of TACO 0.2.0 or TACO 2, in which any member may be missing, as a collection for
/// create_taco(). Unknown members are kept; members with unusable values are dropped with a warning. `path` is the name
/// of the text in messages. Throws FormatError.
TACORE_EXPORT Collection parse_collection(std::string_view json, const std::string& path);

/// The profiles of Tortilla 0.5.0 that a dataset has: those of `stac-tortilla` and `rai-tortilla` whose fields are all
/// among `columns`, the columns of level 0, whatever their values. `stac:tensor_shape` and `rai:ele` count as
/// `stac:raster_shape` and `rai:elevation`.
TACORE_EXPORT std::vector<std::string> profiles(std::span<const Column> columns);

}  // namespace tacore::v1
