#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "table/level_table.hpp"

namespace tacore {

/// The metadata of the rows [begin, end) of a table, each as bytes that depend on its values alone: not on how Parquet
/// stores them, nor on the width of a number (docs/format.md, "Proof"). Columns `internal:*` are left out. Throws
/// SchemaError for a type without such a form, and for columns whose names differ in case at most; FormatError,
/// IoError.
std::vector<std::string> canonical_rows(const LevelTable& table, int64_t begin, int64_t end);

}  // namespace tacore
