#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tacore {

/// How the columns of `found` differ from `expected`: missing, additional, of another type (null fits any); "" when
/// they agree. A clause such as "lacks 'a'; has 'b' (int64) besides".
std::string schema_difference(const arrow::Schema& expected, const arrow::Schema& found);
/// As above for tables, where null is a table without columns.
std::string schema_difference(const std::shared_ptr<arrow::Table>& expected,
                              const std::shared_ptr<arrow::Table>& found);

/// A table of `num_rows` rows; null: without columns.
struct TablePart {
  std::shared_ptr<arrow::Table> table = {};
  int64_t num_rows = 0;
};

/// Concatenates the parts, each column in one piece: all columns in the order first seen, null where a part lacks one,
/// of a type that holds all values (common_type). nullptr when no part has columns. Throws SchemaError for a column
/// whose types have none in common.
std::shared_ptr<arrow::Table> stack_tables(const std::vector<TablePart>& parts);

}  // namespace tacore
