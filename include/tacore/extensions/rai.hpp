#pragma once

#include <vector>

#include "tacore/write/extension.hpp"
#include "tacore/extensions/geo_layer.hpp"

namespace tacore::extensions {

/// Who and what lives where a sample was taken, over its footprint: `rai:elevation` (int64, m), `rai:cisi`, `rai:gdp`
/// (USD/year), `rai:hdi`, `rai:gmi`, `rai:pop`, `rai:admin0`, `rai:admin1`, `rai:admin2`, for responsible AI. All nine
/// columns are always there; null where the layer has no data, or when there is no such layer. The descriptions of the
/// columns tell source and version.
///
/// The footprint is the grid of `stac:crs`, `stac:tensor_shape` and `stac:geotransform`, or else `istac:geometry` in
/// `istac:crs`; nothing else is read.
class TACORE_EXPORT RAI : public SampleExtension {
 public:
  /// Layers by `elevation`, `cisi`, `gdp`, `hdi`, `gmi`, `pop`, `admin0`, `admin1`, `admin2`; any may be missing.
  /// Throws SchemaError for other names and for layers without source or version.
  explicit RAI(GeoLayers layers);
  std::vector<FieldDescription> schema() const override;
  /// Throws SchemaError for a sample with neither STAC nor ISTAC, a layer of the wrong kind, and an index (cisi, hdi,
  /// gmi) outside 0 to 1.
  std::vector<Value> compute(const Sample& sample) const override;

 private:
  GeoLayers layers_;
};

}  // namespace tacore::extensions
