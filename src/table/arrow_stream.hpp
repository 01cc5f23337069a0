#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "table/rows.hpp"

struct ArrowArrayStream;
struct ArrowSchema;

namespace tacore {

/// A column of a stream: one of `rows`, or text that is computed row by row (nullopt is null).
struct StreamColumn {
  std::string name;
  int column = -1;
  std::function<std::optional<std::string>(int64_t row)> text = {};
};

/// A reader of rows as record batches of at most 65,536 rows, each made on request.
std::shared_ptr<arrow::RecordBatchReader> batch_reader(std::shared_ptr<const Rows> rows,
                                                       std::vector<StreamColumn> columns);

/// The next batch, nullptr at the end. Throws the exception that making it threw.
std::shared_ptr<arrow::RecordBatch> read_batch(arrow::RecordBatchReader& batches);

/// Exports batches as an Arrow C stream.
void export_batches(std::shared_ptr<arrow::RecordBatchReader> batches, ArrowArrayStream* out);
/// Reads an Arrow C stream to its end, and releases it.
std::shared_ptr<arrow::Table> import_table(ArrowArrayStream* in);

/// The fields of an Arrow C schema, which is released, as columns.
std::vector<Column> import_columns(ArrowSchema* in);

/// Exports a table as an Arrow C stream, which keeps the table alive.
void export_table(const std::shared_ptr<arrow::Table>& table, ArrowArrayStream* out);

}  // namespace tacore
