#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "table/level_table.hpp"

namespace tacore::validator {

/// Reports a fault by the FLD-* rule that it breaks, and a sentence that begins with the row or column.
using TellField = std::function<void(std::string_view rule, const std::string& what)>;

/// FLD-*: the columns of the extensions that readers use, `stac:*`, `istac:*` and `geotiff:stats`. Before 2.0 (`is_v1`)
/// times are seconds, a centroid is WKT, and `internal:stats` and `rai:*` are checked, too. Columns that cannot be
/// decoded are skipped, since SCH-1 reports them.
void check_fields(const LevelTable& table, bool is_v1, const TellField& tell);

}  // namespace tacore::validator
