#pragma once

#include <optional>
#include <string>
#include <vector>

#include "table/level_table.hpp"

namespace tacore::v1 {

/// How the table of a container whose first byte is `base` becomes a level: ids, types, and offsets in the file.
/// `file_format` is that of all samples where the table has none (dossier v1 0, G1). Throws SchemaError for a column
/// that is missing (dossier v1 1.10).
std::vector<DerivedColumn> footer_columns(const std::vector<Column>& stored, int64_t base,
                                          const std::optional<std::string>& file_format, const ErrorContext& where);

}  // namespace tacore::v1
