#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tacore {

/// What `found` lacks of `expected`, has besides, has of another type (null fits any); "" when
/// they agree. Reads on from whose columns they are: "lacks 'a'; has 'b' (int64) besides".
std::string schema_difference(const arrow::Schema& expected, const arrow::Schema& found);
/// The same of tables, where null is one without columns.
std::string schema_difference(const std::shared_ptr<arrow::Table>& expected,
                              const std::shared_ptr<arrow::Table>& found);

/// `num_rows` rows with their columns, none where there is no table.
struct TablePart {
  std::shared_ptr<arrow::Table> table = {};
  int64_t num_rows = 0;
};

/// The parts below each other, each column in one piece: all columns, in the order first seen, null where a part has
/// none, of a type that holds the values of all (common_type). nullptr when no part has columns. Throws SchemaError for
/// a column whose types have none in common.
std::shared_ptr<arrow::Table> stack_tables(const std::vector<TablePart>& parts);

}  // namespace tacore
