#include "table/arrow_stream.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>
#include <exception>
#include <set>

#include "format/names.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"

namespace tacore {
namespace {

constexpr int64_t kBatchRows = 65536;

class RowsReader : public arrow::RecordBatchReader {
 public:
  RowsReader(std::shared_ptr<const Rows> rows, std::vector<StreamColumn> columns)
      : rows_(std::move(rows)), columns_(std::move(columns)) {
    std::set<int> needed;
    for (const auto& column : columns_) {
      if (column.column >= 0) {
        needed.insert(column.column);
        continue;
      }
      // A path is computed from the columns that locate the bytes of a row.
      for (const auto name :
           {names::kId, names::kType, names::kOffset, names::kSize, names::kSourceFile, names::kRelativePath}) {
        if (const int found = rows_->find(name); found >= 0) needed.insert(found);
      }
    }
    needed_.assign(needed.begin(), needed.end());
    if (rows_->num_rows() > 0) rows_->prepare(needed_, 0, 1);  // The types of columns are known from values
    arrow::FieldVector fields;
    for (const auto& column : columns_) {
      fields.push_back(arrow::field(column.name, column.column < 0 ? arrow::utf8() : rows_->type(column.column)));
    }
    schema_ = arrow::schema(std::move(fields));
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    if (next_ >= rows_->num_rows()) return arrow::Status::OK();
    try {
      const int64_t count = std::min(kBatchRows, rows_->run(next_));
      rows_->prepare(needed_, next_, count);
      arrow::ArrayVector arrays;
      for (const auto& column : columns_) {
        arrays.push_back(column.column < 0 ? computed(column, count) : rows_->array(column.column, next_, count));
      }
      *out = arrow::RecordBatch::Make(schema_, count, std::move(arrays));
      next_ += count;
      return arrow::Status::OK();
    } catch (const std::exception& error) {
      // Arrow's interfaces know only codes and texts; read_batch() restores the exception.
      failure_ = std::current_exception();
      return arrow::Status::IOError(error.what());
    }
  }

  const std::exception_ptr& failure() const noexcept { return failure_; }

 private:
  std::shared_ptr<arrow::Array> computed(const StreamColumn& column, int64_t count) const {
    arrow::StringBuilder builder;
    for (int64_t row = next_; row < next_ + count; ++row) {
      const auto value = column.text(row);
      check(value ? builder.Append(*value) : builder.AppendNull());
    }
    return check(builder.Finish());
  }

  std::shared_ptr<const Rows> rows_;
  std::vector<StreamColumn> columns_;
  std::vector<int> needed_;  ///< of the columns of rows_
  std::shared_ptr<arrow::Schema> schema_;
  int64_t next_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::shared_ptr<arrow::RecordBatchReader> batch_reader(std::shared_ptr<const Rows> rows,
                                                       std::vector<StreamColumn> columns) {
  return std::make_shared<RowsReader>(std::move(rows), std::move(columns));
}

std::shared_ptr<arrow::RecordBatch> read_batch(arrow::RecordBatchReader& batches) {
  std::shared_ptr<arrow::RecordBatch> batch;
  const arrow::Status status = batches.ReadNext(&batch);
  const auto* rows = dynamic_cast<const RowsReader*>(&batches);
  if (!status.ok() && rows && rows->failure()) std::rethrow_exception(rows->failure());
  check(status);
  return batch;
}

void export_batches(std::shared_ptr<arrow::RecordBatchReader> batches, ArrowArrayStream* out) {
  check(arrow::ExportRecordBatchReader(std::move(batches), out));
}

std::shared_ptr<arrow::Table> import_table(ArrowArrayStream* in) {
  const auto reader = check(arrow::ImportRecordBatchReader(in));
  return check(reader->ToTable());
}

std::vector<Column> import_columns(ArrowSchema* in) {
  std::vector<Column> out;
  const auto schema = check(arrow::ImportSchema(in));  // must outlive its fields
  for (const auto& field : schema->fields()) out.push_back({field->name(), type_name(*field->type())});
  return out;
}

void export_table(const std::shared_ptr<arrow::Table>& table, ArrowArrayStream* out) {
  // The reader refers to the table, so the table is kept with it.
  struct Owning : arrow::RecordBatchReader {
    explicit Owning(std::shared_ptr<arrow::Table> t) : table(std::move(t)), reader(*table) {}
    std::shared_ptr<arrow::Schema> schema() const override { return table->schema(); }
    arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override { return reader.ReadNext(batch); }
    std::shared_ptr<arrow::Table> table;
    arrow::TableBatchReader reader;
  };
  export_batches(std::make_shared<Owning>(table), out);
}

}  // namespace tacore
