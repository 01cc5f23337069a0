#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "table/level_table.hpp"
#include "validate/report.hpp"

namespace tacore::validator {

/// Rows [begin, end) of a level, which belong to one container.
struct LevelRange {
  std::shared_ptr<const LevelTable> table = {};
  int64_t begin = 0;
  int64_t end = 0;
};

/// The values of a row that are checked. Views are valid only during the visit.
struct Row {
  int64_t number = 0;  ///< within its container
  std::optional<std::string_view> id = {};
  std::optional<std::string_view> type = {};
  std::optional<int64_t> current_id = {};
  std::optional<int64_t> parent_id = {};
  std::optional<std::string_view> parent_text = {};
  std::optional<int64_t> offset = {};
  std::optional<int64_t> size = {};
  std::optional<std::string_view> relative_path = {};
  std::optional<std::string_view> source_file = {};
  std::optional<std::string_view> header = {};  ///< of a TIFF
};

/// Which of the columns of Row a table has.
struct RowColumns {
  int id = -1, type = -1, current_id = -1, parent_id = -1, offset = -1, size = -1, relative_path = -1, source_file = -1,
      header = -1;
  explicit RowColumns(const LevelTable& table);
};

/// Calls `visit` for each row; only one row group is in memory at a time. A column that cannot be decoded is SCH-1
/// (ids: SCH-3 or ID-1), and its cells are absent.
void visit_rows(Report& report, const LevelRange& range, const std::function<void(const Row&)>& visit);

}  // namespace tacore::validator
