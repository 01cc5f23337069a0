#pragma once

#include "query/view.hpp"

namespace tacore {

/// True when all samples of `view` have the same children at the same positions, level by level down to `level`: what
/// the published reader calls RSUT. Reads the ids of all these levels; padding matches any id.
bool same_children(const View& view, int level);

}  // namespace tacore
