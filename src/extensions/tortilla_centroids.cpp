#include "extensions/tortilla_centroids.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "model/wkb_centroid.hpp"
#include "tacore/error.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::extensions {

namespace {

std::string centroid_column(const Tortilla& tortilla) {
  std::vector<std::string> names;
  for (const FieldDescription& field : tortilla.fields()) names.push_back(field.name);
  for (const char* name : {"stac:centroid", "istac:centroid"}) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  }
  throw SchemaError(
      "Column 'stac:centroid' not found in tortilla metadata, nor 'istac:centroid'.\nAvailable columns: [" +
      join(names, ", ") + "]\nEnsure samples have STAC extension applied.");
}

/// The position of a WKB Point; nullopt for null and other geometries. Throws FormatError for bytes that are not WKB.
std::optional<LonLat> position_of(const Value& centroid) {
  const auto* wkb = centroid.get<Binary>();
  if (!wkb) return std::nullopt;
  const auto at = point_of_wkb(std::as_bytes(std::span(wkb->bytes)));
  return at ? std::optional(LonLat{at->x, at->y}) : std::nullopt;
}

}  // namespace

std::vector<std::optional<LonLat>> centroids_of(const Tortilla& tortilla) {
  const std::string name = centroid_column(tortilla);
  std::vector<std::optional<LonLat>> out;
  for (const Value& value : tortilla.column(name)) {
    try {
      out.push_back(position_of(value));
    } catch (const FormatError& error) {
      throw SchemaError(name + " of sample " + std::to_string(out.size()) + ": " + error.what());
    }
  }
  return out;
}

}  // namespace tacore::extensions
