#pragma once

#include <optional>

#include "tacore/collection.hpp"
#include "writer/tree.hpp"

namespace tacore {

/// Where and when the samples of a tree lie, by the first level that has centroids and start times, STAC before ISTAC
/// (dossier 1.4). The box is the smallest that holds all of them, across the antimeridian (minx > maxx) where that is
/// shorter; of ISTAC geometries in WGS 84, all of them instead of their centroids. Times from the first start to the
/// last end, or start where there is no end. nullopt without such columns. Throws SchemaError for what is no geometry
/// and for latitudes beyond the poles.
std::optional<Extent> stated_extent(const Tree& tree);

/// The same; the whole globe, and no times, without such columns.
Extent extent_of(const Tree& tree);

}  // namespace tacore
