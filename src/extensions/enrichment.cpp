#include "extensions/enrichment.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.hpp"
#include "extensions/tortilla_centroids.hpp"
#include "model/wkb_centroid.hpp"
#include "tacore/error.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::extensions {

namespace {

enum class Kind { Number, Metres, Index, Name };

struct Variable {
  const char* name;
  Kind kind;
  const char* description;
};

const Variable kRai[] = {
    {"elevation", Kind::Metres, "Mean elevation of the footprint, m"},
    {"cisi", Kind::Index, "Mean critical infrastructure spatial index of the footprint, 0 to 1"},
    {"gdp", Kind::Number, "Mean gross domestic product of the footprint, USD/year"},
    {"hdi", Kind::Index, "Mean human development index of the footprint, 0 to 1"},
    {"gmi", Kind::Index, "Mean human modification index of the footprint, 0 to 1"},
    {"pop", Kind::Number, "Mean population of the footprint"},
    {"admin0", Kind::Name, "Country with the largest part of the footprint"},
    {"admin1", Kind::Name, "District with the largest part of the footprint"},
    {"admin2", Kind::Name, "Municipality with the largest part of the footprint"},
};

const Variable kGeoEnrich[] = {
    {"elevation", Kind::Number, "Mean elevation around the centroid, m"},
    {"cisi", Kind::Number, "Mean critical infrastructure spatial index around the centroid"},
    {"precipitation", Kind::Number, "Mean precipitation around the centroid"},
    {"temperature", Kind::Number, "Mean temperature around the centroid"},
    {"soil_clay", Kind::Number, "Mean clay content of the soil around the centroid"},
    {"soil_sand", Kind::Number, "Mean sand content of the soil around the centroid"},
    {"soil_carbon", Kind::Number, "Mean organic carbon content of the soil around the centroid"},
    {"soil_bulk_density", Kind::Number, "Mean bulk density of the soil around the centroid"},
    {"soil_ph", Kind::Number, "Mean pH of the soil around the centroid"},
    {"gdp", Kind::Number, "Mean gross domestic product around the centroid"},
    {"human_modification", Kind::Number, "Mean human modification around the centroid"},
    {"population", Kind::Number, "Mean population around the centroid"},
    {"admin_countries", Kind::Name, "Country around the centroid"},
    {"admin_states", Kind::Name, "State around the centroid"},
    {"admin_districts", Kind::Name, "District around the centroid"},
};

void check_layers(std::span<const Variable> variables, const GeoLayers& layers) {
  std::vector<std::string> known;
  for (const Variable& each : variables) known.emplace_back(each.name);
  std::vector<std::string> unknown;
  for (const auto& [name, layer] : layers) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      unknown.push_back(name);
    } else if (!layer || layer->source().empty() || layer->version().empty()) {
      throw SchemaError("layer " + name + ": a layer with a source and a version expected, which are recorded");
    }
  }
  if (!unknown.empty()) {
    throw SchemaError("Invalid variables: [" + join(unknown, ", ") + "]\nValid options: [" + join(known, ", ") + "]");
  }
}

const GeoLayer* find_layer(const GeoLayers& layers, const Variable& variable) {
  const auto at = layers.find(variable.name);
  return at == layers.end() ? nullptr : at->second.get();
}

std::string description_of(const Variable& variable, const GeoLayer* layer) {
  return std::string(variable.description) +
         (layer ? ". Source: " + layer->source() + ", version " + layer->version() : ". Not computed");
}

/// The mean of an index, of numbers from 0 to 1, may be outside of that range by a rounding error.
constexpr double kRounding = 1e-9;

Value value_in(const GeoLayer& layer, const Variable& variable, const Footprint& footprint) {
  const Value value = layer.value(footprint);
  if (value.is_null()) return value;
  const auto fail = [&](const std::string& what) -> SchemaError {
    return SchemaError(std::string(variable.name) + " (" + layer.source() + ") is " + what);
  };
  if (variable.kind == Kind::Name) {
    if (!value.get<std::string>()) throw fail("not text; expected a layer of names");
    return value;
  }
  if (!value.get<double>()) throw fail("not a number; expected a layer of numbers");
  const double number = *value.get<double>();
  if (!std::isfinite(number)) throw fail("not finite");
  if (variable.kind == Kind::Metres) {
    if (std::abs(number) > 1e6) throw fail(std::to_string(number) + ", expected an elevation in metres");
    return Value(static_cast<int64_t>(std::llround(number)));
  }
  if (variable.kind == Kind::Number) return value;
  if (number < -kRounding || number > 1 + kRounding) throw fail(std::to_string(number) + ", expected 0 to 1");
  return std::clamp(number, 0., 1.);
}

template <class T>
std::vector<T> numbers(const Value& list, const char* name, const std::string& sample_id) {
  std::vector<T> out;
  const auto fail = [&] { return SchemaError("[" + sample_id + "] " + name + ": expected a list of numbers"); };
  const auto* values = list.get<Value::List>();
  if (!values) throw fail();
  for (const Value& value : *values) {
    if (!value.get<T>()) throw fail();
    out.push_back(*value.get<T>());
  }
  return out;
}

/// The corners of a grid, in its CRS.
Binary grid_outline(const std::vector<int64_t>& shape, const std::vector<double>& to_crs,
                    const std::string& sample_id) {
  if (shape.size() < 2 || to_crs.size() != 6) {
    throw SchemaError("[" + sample_id + "] expected at least 2 dimensions in stac:tensor_shape and 6 numbers in " +
                      "stac:geotransform, found " + std::to_string(shape.size()) + " and " +
                      std::to_string(to_crs.size()));
  }
  const auto columns = static_cast<double>(shape[shape.size() - 1]);
  const auto rows = static_cast<double>(shape[shape.size() - 2]);
  std::vector<Centroid> corners;
  for (const auto& [column, row] : {std::pair{0., 0.}, {columns, 0.}, {columns, rows}, {0., rows}}) {
    corners.push_back(
        {to_crs[0] + column * to_crs[1] + row * to_crs[2], to_crs[3] + column * to_crs[4] + row * to_crs[5]});
  }
  return {wkb_polygon(corners)};
}

template <class T>
const T* get(const Value* value) {
  return value ? value->get<T>() : nullptr;
}

}  // namespace

Footprint footprint_of(const PlaceColumns& in, const std::string& sample_id) {
  const auto* stac_crs = get<std::string>(in.stac_crs);
  if (stac_crs && in.stac_tensor_shape && in.stac_geotransform) {
    return {*stac_crs, grid_outline(numbers<int64_t>(*in.stac_tensor_shape, "stac:tensor_shape", sample_id),
                                    numbers<double>(*in.stac_geotransform, "stac:geotransform", sample_id), sample_id)};
  }
  const auto* istac_crs = get<std::string>(in.istac_crs);
  const auto* geometry = get<Binary>(in.istac_geometry);
  if (istac_crs && geometry) return {*istac_crs, *geometry};
  throw SchemaError("[" + sample_id +
                    "] RAI requires STAC: expected stac:crs, stac:tensor_shape and stac:geotransform, or istac:crs and "
                    "istac:geometry");
}

Footprint square_around(const LonLat& at, double scale_m) {
  constexpr double kRadius = 6'371'007.2;  // of the sphere with the area of WGS 84
  const double half = scale_m / 2 / kRadius * 180 / std::numbers::pi;
  const double half_lon = std::min(180., half / std::cos(at.lat * std::numbers::pi / 180));
  const double south = std::max(-90., at.lat - half);
  const double north = std::min(90., at.lat + half);
  const std::vector<Centroid> corners = {
      {at.lon - half_lon, south}, {at.lon + half_lon, south}, {at.lon + half_lon, north}, {at.lon - half_lon, north}};
  return {"EPSG:4326", {wkb_polygon(corners)}};
}

void check_rai_layers(const GeoLayers& layers) { check_layers(kRai, layers); }

std::vector<FieldDescription> rai_schema(const GeoLayers& layers) {
  std::vector<FieldDescription> out;
  for (const Variable& each : kRai) {
    const char* type = each.kind == Kind::Name ? "string" : each.kind == Kind::Metres ? "int64" : "double";
    out.push_back({std::string("rai:") + each.name, type, description_of(each, find_layer(layers, each))});
  }
  return out;
}

std::vector<Value> rai_values(const GeoLayers& layers, const Footprint& footprint) {
  std::vector<Value> out;
  for (const Variable& each : kRai) {
    const GeoLayer* layer = find_layer(layers, each);
    out.push_back(layer ? value_in(*layer, each, footprint) : Value());
  }
  return out;
}

std::vector<std::string> geo_enrich_variables() {
  std::vector<std::string> out;
  for (const Variable& each : kGeoEnrich) out.emplace_back(each.name);
  return out;
}

void check_geo_enrich(const GeoLayers& layers, double scale_m) {
  check_layers(kGeoEnrich, layers);
  if (layers.empty()) throw SchemaError("GeoEnrich: no layers, expected at least one");
  if (!(scale_m >= 1) || !std::isfinite(scale_m)) {
    throw SchemaError("scale_m " + std::to_string(scale_m) + ": expected at least 1");
  }
}

std::vector<FieldDescription> geo_enrich_schema(const GeoLayers& layers) {
  std::vector<FieldDescription> out;
  for (const Variable& each : kGeoEnrich) {
    const GeoLayer* layer = find_layer(layers, each);
    if (!layer) continue;
    out.push_back({std::string("geoenrich:") + each.name, each.kind == Kind::Name ? "string" : "float",
                   description_of(each, layer)});
  }
  return out;
}

std::vector<std::vector<Value>> geo_enrich_columns(const GeoLayers& layers, double scale_m,
                                                   std::span<const std::optional<LonLat>> positions) {
  std::vector<std::vector<Value>> out;
  for (const Variable& each : kGeoEnrich) {
    const GeoLayer* layer = find_layer(layers, each);
    if (!layer) continue;
    std::vector<Value>& column = out.emplace_back();
    for (const auto& at : positions) {
      column.push_back(at ? value_in(*layer, each, square_around(*at, scale_m)) : Value());
    }
  }
  return out;
}

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

GeoEnrich::GeoEnrich(GeoLayers layers, double scale_m) : layers_(std::move(layers)), scale_m_(scale_m) {
  check_geo_enrich(layers_, scale_m_);
}

std::vector<FieldDescription> GeoEnrich::schema() const { return geo_enrich_schema(layers_); }

std::vector<std::vector<Value>> GeoEnrich::compute(const Tortilla& tortilla) const {
  return geo_enrich_columns(layers_, scale_m_, centroids_of(tortilla));
}

}  // namespace tacore::extensions
