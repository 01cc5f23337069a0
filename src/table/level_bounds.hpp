#pragma once

#include "model/source_bounds.hpp"
#include "table/level_table.hpp"

namespace tacore {

/// The bounds of a level, from the values of all its rows: of ids, and of the columns that filters test unless another
/// is named. Geometries are WKB, or structures of x and y. A column has no bounds where a value cannot be read: a
/// filter that reads it decides what that means. Throws as LevelTable::decode().
LevelBounds bounds_of(const LevelTable& level);

}  // namespace tacore
