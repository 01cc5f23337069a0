#pragma once

#include "describe/facts.hpp"

namespace tacore::descriptions {

/// Puts into `facts` where and when the samples of `dataset` lie, over all levels: of the whole and of each of its
/// parts. What the collection states is a claim; it stays where the samples do not say enough, and before 2.0 beside
/// what they say, as no writer computes it there. The globe stands for a place that nobody knows (§7.1.1), so there is
/// none then. Of a view, the samples that it shows count, at every level; and all of `items_level` below the root,
/// whose Items are those that are stored.
void set_extent(const Dataset& dataset, const DescribeOptions& options, int items_level, Facts& facts);

/// Without the globe that stands for a place that nobody knows.
void forget_globe(Extent& extent);

}  // namespace tacore::descriptions
