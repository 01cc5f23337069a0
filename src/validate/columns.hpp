#pragma once

#include <memory>

#include "io/byte_source.hpp"
#include "table/level_table.hpp"
#include "tacore/collection.hpp"
#include "validate/report.hpp"

/// The columns of a level and their values.
namespace tacore::validator {

/// The kinds of level tables, which have different required columns.
enum class TableKind { Zip, Folder, Index };

/// Opens a level table; nullptr with SCH-1 or SCH-2 when that fails.
std::shared_ptr<const LevelTable> open_level(Report& report, const std::shared_ptr<const ByteSource>& source,
                                             const ErrorContext& where);
/// SCH-2, SCH-5 to SCH-7, LVL-8.
void check_columns(Report& report, const LevelTable& table, TableKind kind, const Collection* collection);
/// SCH-8, and SCH-1 for every value: a column that cannot be decoded, and text that is not UTF-8.
void check_values(Report& report, const LevelTable& table);

}  // namespace tacore::validator
