#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "table/level_batches.hpp"
#include "table/level_table.hpp"
#include "table/parquet_write.hpp"

namespace tacore {

/// The rows of a level in another order, in bounded memory: each pass over the level takes the rows of one stretch, of
/// about 160 MiB when decoded.
class SortedRows {
 public:
  /// `order`: the numbers of the rows, each once. `number_column`: the name of a last column that has these numbers; ""
  /// for none. `level` must outlive this object.
  SortedRows(const LevelTable& level, std::vector<int64_t> order, std::string number_column = {});

  /// The next `count` rows, or as many as there are; nullptr at the end. Throws as LevelTable::decode().
  std::shared_ptr<arrow::Table> next(int64_t count);

 private:
  int64_t num_rows() const { return static_cast<int64_t>(order_.size()); }
  void read_stretch();

  const LevelTable& level_;
  std::vector<int64_t> order_;
  std::string number_column_;
  LevelBatches batches_;
  int64_t rows_at_once_ = 0;
  int64_t at_ = 0, begin_ = 0, end_ = 0;  ///< the next row, and the rows in memory
  std::shared_ptr<arrow::Table> stretch_ = {};
};

/// Writes rows, of which there is at least one, as write_parquet() does, with bounding boxes where `options` say so.
/// `tell` is called with the number of rows written so far, and may throw. Throws as LevelTable::decode(), and what
/// `out` and `metadata` throw.
void write_sorted(SortedRows& rows, const ByteConsumer& out, const ParquetOptions& options,
                  const std::function<void(int64_t num_rows)>& tell,
                  const std::function<std::map<std::string, std::string>()>& metadata = {});

/// A copy of a level whose rows are in another order: in memory or, where it is large, in an anonymous temporary file.
std::shared_ptr<const LevelTable> sorted_level(const LevelTable& level, std::vector<int64_t> order);

}  // namespace tacore
