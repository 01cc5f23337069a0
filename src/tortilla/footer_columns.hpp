#pragma once

#include <optional>
#include <string>
#include <vector>

#include "table/level_table.hpp"

namespace tacore::v1 {

/// The derived columns that turn the table of a container whose first byte is `base` into a level: ids, types, and
/// offsets in the file. `file_format` is that of all samples where the table has no such column (before 0.5.0). Throws
/// SchemaError for a missing column.
std::vector<DerivedColumn> footer_columns(const std::vector<Column>& stored, int64_t base,
                                          const std::optional<std::string>& file_format, const ErrorContext& where);

}  // namespace tacore::v1
