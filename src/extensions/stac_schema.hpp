#pragma once

#include <vector>

#include "tacore/collection.hpp"

namespace tacore::extensions {

/// The columns of STAC and of ISTAC, which depend on no sample.
std::vector<FieldDescription> stac_schema();
std::vector<FieldDescription> istac_schema();

}  // namespace tacore::extensions
