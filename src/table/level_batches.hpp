#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "table/level_table.hpp"

namespace tacore {

/// The next rows of a table, nullptr at the end.
using NextBatch = std::function<std::shared_ptr<arrow::RecordBatch>()>;

/// Some columns of a level, a row group at a time: the batches of a NextBatch. Those of a remote level are requested
/// together, and the level keeps them. `level` must outlive this object. Throws as LevelTable::decode().
class LevelBatches {
 public:
  LevelBatches(const LevelTable& level, std::vector<int> columns) : level_(level), columns_(std::move(columns)) {}

  std::shared_ptr<arrow::RecordBatch> operator()();
  /// The columns of a row group.
  std::shared_ptr<arrow::RecordBatch> in_group(int group);

 private:
  const LevelTable& level_;
  std::vector<int> columns_;
  int group_ = 0;
  int ahead_ = 0;  ///< the row groups before this one were requested
};

/// The rows of a table, a chunk at a time.
NextBatch batches_of(std::shared_ptr<arrow::Table> table);

/// The numbers of all columns of a level.
std::vector<int> all_columns(const LevelTable& level);

}  // namespace tacore
