#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacore {

/// A feature of a FeatureCollection (RFC 7946).
struct GeoFeature {
  std::string line = {};  ///< its properties as a JSON object on one line, with `id` when the feature has one
  std::optional<std::vector<std::byte>> geometry = {};  ///< ISO WKB, little-endian; nullopt for null
};

/// Calls `take` with the features of `text` in order, one at a time. `path` is for messages. Throws FormatError, with
/// the byte or the number of the feature (from 0): not JSON, nested deeper than 64, not a FeatureCollection of
/// Features, an invalid geometry (rings that are not closed, positions that are not longitude and latitude, ...),
/// another CRS than WGS 84, a feature with an `id` beside another `id` in its properties, a property called
/// `istac:geometry`.
void read_geojson(std::string_view text, const std::string& path, const std::function<void(GeoFeature)>& take);

}  // namespace tacore
