#pragma once

#include <cstdint>
#include <limits>

#include "tacore/extensions/spatial_grouping.hpp"

namespace tacore::extensions {

struct GroupingLimits {
  int64_t count = std::numeric_limits<int64_t>::max();
  uint64_t bytes = std::numeric_limits<uint64_t>::max();
};

/// Throws SchemaError as spatial_groups.
GroupingLimits grouping_limits(const SpatialGroupingOptions& options);

}  // namespace tacore::extensions
