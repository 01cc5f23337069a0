#pragma once

#include <string>
#include <vector>

#include "tacore/collection.hpp"

namespace tacore {

/// The collection of one part of an index, and the name of its file.
struct PartCollection {
  std::string file = {};
  Collection collection = {};
};

/// The collection of an index over `parts`, at least one (dossier 4.2): that of the first, with the counts of all
/// trees, the extent that holds those of all, and a source for each part. Throws SchemaError, with the file, for a part
/// with another tree (padding matches anything) or other fields in its field schema; their order and descriptions may
/// differ. Parts without an extent are passed over.
Collection merge_collections(const std::vector<PartCollection>& parts);

/// The smallest box that holds all `boxes`, at least one; it crosses the antimeridian (minx > maxx) where that is
/// shorter. Its sides are sides of theirs, to the last digit.
BBox merge_boxes(const std::vector<BBox>& boxes);

}  // namespace tacore
