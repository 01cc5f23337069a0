#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"

/// The collection and the profiles of Tortilla 0.5.0 (`.tortilla`) and TACO 0.2.0 (`.taco`), which are read as any
/// dataset is.
namespace tacore::v1 {

/// A collection for create(), parsed from JSON text in the form of TACO 0.2.0 or TACO 2 in which any member may be
/// missing. Unknown members are kept; members with unusable values are dropped with a warning. `path` is used in
/// messages. Throws FormatError.
TACORE_EXPORT Collection parse_draft_collection(std::string_view json, const std::string& path);

/// The profiles of Tortilla 0.5.0, `stac-tortilla` and `rai-tortilla`, whose fields are all among `columns`, the
/// columns of level 0, whatever their values. `stac:tensor_shape` and `rai:ele` count as `stac:raster_shape` and
/// `rai:elevation`.
TACORE_EXPORT std::vector<std::string> profiles(std::span<const Column> columns);

}  // namespace tacore::v1
