#include "tacore/extensions/spatial_grouping.hpp"

#include "extensions/grouping_limits.hpp"
#include "extensions/tortilla_centroids.hpp"
#include "extensions/value_of.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::extensions {

SpatialGrouping::SpatialGrouping(const SpatialGroupingOptions& options) : options_(options) {
  grouping_limits(options);  // a wrong option is told at once
}

std::vector<FieldDescription> SpatialGrouping::schema() const {
  return {{"spatialgroup:code", "string", "Group of neighbouring samples, numbered along a Z-order curve"}};
}

std::vector<std::vector<Value>> SpatialGrouping::compute(const Tortilla& tortilla) const {
  std::vector<std::vector<Value>> out(1);
  for (const auto& code : spatial_groups(centroids_of(tortilla), tortilla.sizes(), options_)) {
    out[0].push_back(value_of(code));
  }
  return out;
}

}  // namespace tacore::extensions
