#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/write/extension.hpp"

namespace tacore::extensions {

/// The limits of a group; at least one is needed.
struct SpatialGroupingOptions {
  std::optional<int64_t> target_count = {};     ///< the most samples in a group; > 0
  std::optional<std::string> target_size = {};  ///< the most bytes in a group: `4GB`, `512MiB`, powers of 1024
};

/// The Z-order (Morton) code of a position: 21 bits for each axis, longitude in the even bits. A position beyond the
/// globe is moved to its edge.
TACORE_EXPORT uint64_t zorder(const LonLat& at) noexcept;

/// Groups of neighbours: `sg0000`, `sg0001`, ... A group is filled along the Z-order curve until one sample more would
/// break a limit (a sample larger than the limit is a group by itself); equal positions stay in their order. null for a
/// sample without a position. `sizes` are bytes, one for each position. Throws SchemaError for limits that are none or
/// not positive, and when no sample has a position.
TACORE_EXPORT std::vector<std::optional<std::string>> spatial_groups(std::span<const std::optional<LonLat>> positions,
                                                                     std::span<const uint64_t> sizes,
                                                                     const SpatialGroupingOptions& options);

/// `spatialgroup:code`: the group of each sample, made by its centroid (`stac:centroid`, or else `istac:centroid`).
/// Throws SchemaError when there is neither column.
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
