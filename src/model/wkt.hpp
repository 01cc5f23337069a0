#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tacore {

/// True for columns of geometries by their names: `istac:geometry`, `stac:centroid`, `istac:centroid`, also behind the
/// level of a table with ancestors ("l0:stac:centroid").
bool is_geometry_column(std::string_view name);

/// A geometry as Well-Known Text, such as "POINT (-34.85 -8.01)", with all digits of its numbers. Returns nullopt for
/// bytes that are not WKB, and for geometries with Z, M or an SRID, which this text cannot express.
std::optional<std::string> wkt_of(std::span<const std::byte> wkb);

}  // namespace tacore
