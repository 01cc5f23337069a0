#pragma once

#include <string>

#include "tacore/collection.hpp"
#include "tacore/crs.hpp"
#include "writer/tree.hpp"

namespace tacore {

/// Rules for computing the extent of samples.
struct ExtentRules {
  const CrsTransformer* transformer = nullptr;  ///< for a CRS that is not built in
  std::string warn_as = {};                     ///< name of the dataset in warnings of gaps; "": no warnings
  bool is_strict = true;                        ///< an unreadable location is an error, else a gap
};

/// The extent of the samples of a tree (ExtentSum), of all levels: a part is absent where no sample states it. Throws
/// SchemaError for invalid geometries and for latitudes beyond the poles.
Extent stated_extent(const Tree& tree, const ExtentRules& rules = {});

/// `given`, completed from `found`; else the globe, which the specification requires where nothing is known.
Extent completed(const Extent& given, const Extent& found);

/// The extent of a rewritten dataset: `stated`, or `found` where `stated` does not contain all samples.
Extent corrected(const Extent& stated, const Extent& found);

/// Warns where nothing locates the samples, and of a given extent that does not contain all of them.
void warn_of_extent(const Extent& given, const Extent& found, const std::string& output);

}  // namespace tacore
