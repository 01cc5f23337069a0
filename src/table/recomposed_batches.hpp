#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore/value.hpp"

namespace tacore {

/// The values of a column of a batch, rows [begin, begin + count); empty when there is no such column.
std::vector<Value> batch_values(const arrow::RecordBatch& batch, std::string_view name, int64_t begin, int64_t count);
int64_t num_rows(const arrow::RecordBatch& batch);
std::vector<std::string> column_names(arrow::RecordBatchReader& batches);

std::shared_ptr<arrow::DataType> struct_type(
    const std::vector<std::pair<std::string, std::shared_ptr<arrow::DataType>>>& fields);
std::shared_ptr<arrow::DataType> list_type(const std::shared_ptr<arrow::DataType>& items);

/// A column of the new batches: a copy of the old column `from`, or computed values of `type`.
struct NewColumn {
  std::string name = {};
  std::string from = {};
  std::shared_ptr<arrow::DataType> type = {};  ///< null: of `from`
};

/// Batches with other columns. `compute` gives the values of the columns that have a type, in order, each as long as
/// the batch. Only for read_batch() and write_parquet(), which pass on what `compute` throws.
std::shared_ptr<arrow::RecordBatchReader> recomposed_batches(
    std::shared_ptr<arrow::RecordBatchReader> batches, std::vector<NewColumn> columns,
    std::function<std::vector<std::vector<Value>>(const arrow::RecordBatch&)> compute);

}  // namespace tacore
