#include "tacore/extensions/rai.hpp"

#include "extensions/enrichment.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::extensions {

RAI::RAI(GeoLayers layers) : layers_(std::move(layers)) { check_rai_layers(layers_); }

std::vector<FieldDescription> RAI::schema() const { return rai_schema(layers_); }

std::vector<Value> RAI::compute(const Sample& sample) const {
  const PlaceColumns columns = {.stac_crs = sample.find("stac:crs"),
                                .stac_tensor_shape = sample.find("stac:tensor_shape"),
                                .stac_geotransform = sample.find("stac:geotransform"),
                                .istac_crs = sample.find("istac:crs"),
                                .istac_geometry = sample.find("istac:geometry")};
  return rai_values(layers_, footprint_of(columns, sample.id()));
}

}  // namespace tacore::extensions
