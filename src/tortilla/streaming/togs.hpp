#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tacore/raster/raster.hpp"
#include "writer/staging.hpp"
#include "writer/tree.hpp"

namespace tacore {
struct TiffLayout;
}

namespace tacore::v1 {

/// The entries of a raster in the chunk table.
struct Tog {
  std::shared_ptr<const TiffLayout> layout = {};  ///< null: the sample has no chunks
  std::vector<int64_t> axes = {};                 ///< that its bands are unfolded into
};

/// The TOGs of a tree, by level and row.
using Togs = std::vector<std::vector<Tog>>;

struct TogRules {
  bool allow_others = false;  ///< samples that are no GeoTIFF, or cannot be decoded, stay as they are
  int64_t block_size = 0;     ///< as CreateOptions has it
  int zstd_level = 13;
  const RasterOpener* fallback = nullptr;
  int jobs = 1;
  std::function<void()> go_on = {};  ///< called periodically, from any thread; it may throw, which stops the work
};

/// Makes every FILE of `tree`, which comes from footer_tree(), a TOG: other GeoTIFFs, and those with other tiles than
/// requested, are encoded again without loss, into files of `staging`, which must outlive the tree. Throws
/// ValidationError for a sample that is no GeoTIFF or cannot be decoded, unless others are allowed; IoError.
Togs make_togs(Tree& tree, const StagingDir& staging, const TogRules& rules);

}  // namespace tacore::v1
