#pragma once

#include <string>
#include <vector>

#include "tacore/write/extension.hpp"
#include "tacore/extensions/geo_layer.hpp"

namespace tacore::extensions {

/// What GeoEnrich can tell, in the order of its columns: elevation, cisi, precipitation, temperature, soil_clay,
/// soil_sand, soil_carbon, soil_bulk_density, soil_ph, gdp, human_modification, population, admin_countries,
/// admin_states, admin_districts.
TACORE_EXPORT std::vector<std::string> geo_enrich_variables();

/// `geoenrich:<variable>`, of each sample in the square around its centroid (`stac:centroid`, or else
/// `istac:centroid`): the mean as float, or for admin_* the name of the largest part. null where the layer has no data
/// or there is no centroid. The descriptions of the columns tell source and version.
class TACORE_EXPORT GeoEnrich : public TortillaExtension {
 public:
  /// A column for each layer, in the order of geo_enrich_variables(). `scale_m` is the side of the square in metres, at
  /// least 1. Throws SchemaError for other variables, no variable, and layers without source or version.
  explicit GeoEnrich(GeoLayers layers, double scale_m = 5120);
  std::vector<FieldDescription> schema() const override;
  /// Throws SchemaError when there is neither column, and for a layer of the wrong kind.
  std::vector<std::vector<Value>> compute(const Tortilla& tortilla) const override;

 private:
  GeoLayers layers_;
  double scale_m_;
};

}  // namespace tacore::extensions
