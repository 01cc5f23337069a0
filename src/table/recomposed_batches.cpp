#include "table/recomposed_batches.hpp"

#include <arrow/array.h>
#include <arrow/chunked_array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>

#include "table/arrow_error.hpp"
#include "table/arrow_stream.hpp"
#include "table/values.hpp"

namespace tacore {
namespace {

// Values take far more memory than their column.
constexpr int64_t kRowsOfBatch = 8192;

class Recomposed : public arrow::RecordBatchReader {
 public:
  using Compute = std::function<std::vector<std::vector<Value>>(const arrow::RecordBatch&)>;

  Recomposed(std::shared_ptr<arrow::RecordBatchReader> batches, std::vector<NewColumn> columns, Compute compute)
      : batches_(std::move(batches)), columns_(std::move(columns)), compute_(std::move(compute)) {
    arrow::FieldVector fields;
    const auto old = batches_->schema();
    for (const auto& column : columns_) {
      fields.push_back(arrow::field(column.name, column.type ? column.type : old->GetFieldByName(column.from)->type()));
    }
    schema_ = arrow::schema(std::move(fields));
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    if (!rest_ || rest_->num_rows() == 0) rest_ = read_batch(*batches_);
    if (!rest_) return arrow::Status::OK();
    const auto batch = rest_->Slice(0, std::min(kRowsOfBatch, rest_->num_rows()));
    rest_ = rest_->Slice(batch->num_rows());
    const auto computed = compute_(*batch);
    arrow::ArrayVector arrays;
    std::size_t next = 0;
    for (const auto& column : columns_) {
      if (!column.type) {
        arrays.push_back(batch->GetColumnByName(column.from));
        continue;
      }
      std::vector<const Value*> values;
      for (const Value& value : computed[next++]) values.push_back(&value);
      arrays.push_back(make_array(values, column.type));
    }
    *out = arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(arrays));
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::RecordBatchReader> batches_;
  std::vector<NewColumn> columns_;
  Compute compute_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::RecordBatch> rest_;
};

}  // namespace

std::vector<Value> batch_values(const arrow::RecordBatch& batch, std::string_view name, int64_t begin, int64_t count) {
  const auto column = batch.GetColumnByName(std::string(name));
  return column ? read_values(arrow::ChunkedArray(column->Slice(begin, count))) : std::vector<Value>();
}

int64_t num_rows(const arrow::RecordBatch& batch) { return batch.num_rows(); }

std::vector<std::string> column_names(arrow::RecordBatchReader& batches) { return batches.schema()->field_names(); }

std::shared_ptr<arrow::DataType> struct_type(
    const std::vector<std::pair<std::string, std::shared_ptr<arrow::DataType>>>& fields) {
  arrow::FieldVector out;
  for (const auto& [name, type] : fields) out.push_back(arrow::field(name, type));
  return arrow::struct_(out);
}

std::shared_ptr<arrow::DataType> list_type(const std::shared_ptr<arrow::DataType>& items) { return arrow::list(items); }

std::shared_ptr<arrow::RecordBatchReader> recomposed_batches(
    std::shared_ptr<arrow::RecordBatchReader> batches, std::vector<NewColumn> columns,
    std::function<std::vector<std::vector<Value>>(const arrow::RecordBatch&)> compute) {
  return std::make_shared<Recomposed>(std::move(batches), std::move(columns), std::move(compute));
}

}  // namespace tacore
