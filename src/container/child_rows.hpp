#pragma once

#include <cstdint>
#include <optional>

#include "container/container.hpp"

namespace tacore {

/// The children of a FOLDER row in the level below, computed from the tree's shape (the promise of PIT: parent times n
/// plus position) and proved by internal:parent_id. No scan, no `__meta__`. nullopt where the proof fails: the tree is
/// not uniform there.
std::optional<RowRange> computed_children(const Container& container, int level, int64_t row);

}  // namespace tacore
