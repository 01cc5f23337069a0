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

/// Rows as record batches of at most 65,536 rows, each made when it is asked for.
std::shared_ptr<arrow::RecordBatchReader> batch_reader(std::shared_ptr<const Rows> rows,
                                                       std::vector<StreamColumn> columns);

/// The next batch, nullptr at the end. Throws what making it threw.
std::shared_ptr<arrow::RecordBatch> read_batch(arrow::RecordBatchReader& batches);

/// The same across the Arrow C stream interface.
void export_batches(std::shared_ptr<arrow::RecordBatchReader> batches, ArrowArrayStream* out);
/// Takes over `in` and reads it to its end.
std::shared_ptr<arrow::Table> import_table(ArrowArrayStream* in);

/// Takes over `in`: its fields as columns.
std::vector<Column> import_columns(ArrowSchema* in);

/// A table as a stream of its own, which keeps it alive.
void export_table(const std::shared_ptr<arrow::Table>& table, ArrowArrayStream* out);

}  // namespace tacore
