#pragma once

#include <string>

#include "tacore/collection.hpp"
#include "tacore/crs.hpp"
#include "writer/tree.hpp"

namespace tacore {

/// How the extent of samples is found.
struct ExtentRules {
  const CrsTransformer* transformer = nullptr;  ///< for a CRS that is not built in
  std::string warn_as = {};                     ///< the dataset in whose name gaps are warned of; "": silently
  bool is_strict = true;                        ///< a place that cannot be read is an error, else a gap
};

/// Where and when the samples of a tree lie (ExtentSum), of all levels: either part absent where none says it. Throws
/// SchemaError for what is no geometry and for latitudes beyond the poles.
Extent stated_extent(const Tree& tree, const ExtentRules& rules = {});

/// `given` with what is missing in it from `found`; the globe, which the specification wants where nothing is known.
Extent completed(const Extent& given, const Extent& found);

/// Of a dataset that is written again: `stated`, and where that leaves out samples, `found`.
Extent corrected(const Extent& stated, const Extent& found);

/// Warns where nothing says where samples lie, and of a given extent that does not hold all of them.
void warn_of_extent(const Extent& given, const Extent& found, const std::string& output);

}  // namespace tacore
