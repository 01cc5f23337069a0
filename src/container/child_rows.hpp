#pragma once

#include <cstdint>
#include <optional>

#include "container/container.hpp"

namespace tacore {

/// The children of a FOLDER row in the level below: computed from the position-invariant tree (row times number of
/// children plus position; in an index also by the row in its ZIP) and verified by internal:parent_id, without a scan
/// and without `__meta__`. nullopt where the rows found are not the children: the tree is not uniform there.
std::optional<RowRange> computed_children(const Container& container, int level, int64_t row);

}  // namespace tacore
