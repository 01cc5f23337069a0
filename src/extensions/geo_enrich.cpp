#include "tacore/extensions/geo_enrich.hpp"

#include "extensions/enrichment.hpp"
#include "extensions/tortilla_centroids.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::extensions {

GeoEnrich::GeoEnrich(GeoLayers layers, double scale_m) : layers_(std::move(layers)), scale_m_(scale_m) {
  check_geo_enrich(layers_, scale_m_);
}

std::vector<FieldDescription> GeoEnrich::schema() const { return geo_enrich_schema(layers_); }

std::vector<std::vector<Value>> GeoEnrich::compute(const Tortilla& tortilla) const {
  return geo_enrich_columns(layers_, scale_m_, centroids_of(tortilla));
}

}  // namespace tacore::extensions
