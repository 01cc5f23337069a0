#pragma once

#include "describe/facts.hpp"

namespace tacore::descriptions {

/// Sets the spatial and temporal extent of `facts`, and of each of its sources, to that of the samples of all levels.
/// The extent in COLLECTION.json is only what an author claims: it stays where the samples do not state enough. Before
/// 2.0 no writer computed it from the samples, so that there it is joined with theirs. A global extent means that the
/// place is unknown (§7.1.1), and is left out. Of a filtered dataset the samples that it shows count, at every level,
/// and all samples of `items_level` below the root, as STAC Items are written of all of these.
void set_extent(const Dataset& dataset, const DescribeOptions& options, int items_level, Facts& facts);

/// Removes a spatial extent that is the whole globe, which stands for an unknown place.
void forget_globe(Extent& extent);

}  // namespace tacore::descriptions
