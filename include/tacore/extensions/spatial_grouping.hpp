#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/write/extension.hpp"

namespace tacore::extensions {

/// The limits of a spatial group; at least one is required.
struct SpatialGroupingOptions {
  std::optional<int64_t> target_count = {};     ///< maximal number of samples in a group, > 0
  std::optional<std::string> target_size = {};  ///< maximal bytes in a group: `4GB`, `512MiB`, powers of 1024
};

/// The Z-order (Morton) code of a position: 21 bits for each axis, longitude in the even bits. A position beyond the
/// globe is clamped to its edge.
TACORE_EXPORT uint64_t zorder(const LonLat& at) noexcept;

/// Assigns neighbouring positions to groups named `sg0000`, `sg0001` and so on. A group is filled along the Z-order
/// curve until one more sample would exceed a limit (a sample larger than the limit is a group by itself); equal
/// positions keep their order. A sample without a position has no group. `sizes` are bytes, one for each position.
/// Throws SchemaError when no limit is set or one is not positive, and when no sample has a position.
TACORE_EXPORT std::vector<std::optional<std::string>> spatial_groups(std::span<const std::optional<LonLat>> positions,
                                                                     std::span<const uint64_t> sizes,
                                                                     const SpatialGroupingOptions& options);

/// The column `spatialgroup:code`: the spatial group of each sample, from its centroid (`stac:centroid`, or else
/// `istac:centroid`). Throws SchemaError when neither column exists.
///
///     tortilla = tortilla.extend_with(SpatialGrouping({.target_count = 1000, .target_size = "4GB"}));
class TACORE_EXPORT SpatialGrouping : public TortillaExtension {
 public:
  explicit SpatialGrouping(const SpatialGroupingOptions& options);
  std::vector<FieldDescription> schema() const override;
  std::vector<std::vector<Value>> compute(const Tortilla& tortilla) const override;

 private:
  SpatialGroupingOptions options_;
};

}  // namespace tacore::extensions
