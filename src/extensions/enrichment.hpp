#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/crs.hpp"
#include "tacore/extensions/geo_layers.hpp"

/// The computation of RAI and GeoEnrich from given footprints.
namespace tacore::extensions {

/// The columns of a sample that locate it; null for absent ones.
struct PlaceColumns {
  const Value* stac_crs = nullptr;
  const Value* stac_tensor_shape = nullptr;
  const Value* stac_geotransform = nullptr;
  const Value* istac_crs = nullptr;
  const Value* istac_geometry = nullptr;
};

/// Throws SchemaError that names the sample when these columns do not locate it.
Footprint footprint_of(const PlaceColumns& columns, const std::string& sample_id);
/// The square with sides of `scale_m` metres around a position.
Footprint square_around(const LonLat& at, double scale_m);

/// Throws SchemaError as the constructor of RAI.
void check_rai_layers(const GeoLayers& layers);
std::vector<FieldDescription> rai_schema(const GeoLayers& layers);
std::vector<Value> rai_values(const GeoLayers& layers, const Footprint& footprint);

/// Throws SchemaError as the constructor of GeoEnrich.
void check_geo_enrich(const GeoLayers& layers, double scale_m);
std::vector<FieldDescription> geo_enrich_schema(const GeoLayers& layers);
std::vector<std::vector<Value>> geo_enrich_columns(const GeoLayers& layers, double scale_m,
                                                   std::span<const std::optional<LonLat>> positions);

}  // namespace tacore::extensions
