#pragma once

#include <optional>
#include <string>
#include <vector>

#include "table/level_table.hpp"

namespace tacore::v1 {

inline constexpr const char* kId = "tortilla:id";
inline constexpr const char* kFileFormat = "tortilla:file_format";
inline constexpr const char* kDataSplit = "tortilla:data_split";
inline constexpr const char* kOffset = "tortilla:offset";
inline constexpr const char* kLength = "tortilla:length";
inline constexpr const char* kRoot = "tortilla:root";      ///< streaming: ids of the ancestors, `a/b`
inline constexpr const char* kParent = "tortilla:parent";  ///< streaming: row of the parent in the level above
inline constexpr const char* kPandasIndex = "__index_level_0__";

/// How the table of a container whose first byte is `base` becomes a level: ids, types, and offsets in the file.
/// `file_format` is that of all samples where the table has none (dossier v1 0, G1). Throws SchemaError for a column
/// that is missing (dossier v1 1.10).
std::vector<DerivedColumn> footer_columns(const std::vector<Column>& stored, int64_t base,
                                          const std::optional<std::string>& file_format, const ErrorContext& where);

}  // namespace tacore::v1
