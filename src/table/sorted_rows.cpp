#include "table/sorted_rows.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include <algorithm>
#include <utility>

#include "io/spill_buffer.hpp"
#include "table/arrow_error.hpp"
#include "table/covering.hpp"
#include "table/read_table.hpp"

namespace tacore {
namespace {

/// The decoded rows in memory at a time: about this many bytes, three times while they are sorted.
constexpr int64_t kBytesAtOnce = 160 << 20;
constexpr int64_t kRowsOfPiece = 65536;

std::shared_ptr<arrow::Table> taken(const arrow::Table& table, const std::vector<int64_t>& rows) {
  // Builders know no extension types: their storage is taken.
  arrow::FieldVector fields = table.schema()->fields();
  arrow::ChunkedArrayVector columns = table.columns();
  for (auto& column : columns) {
    if (column->type()->id() != arrow::Type::EXTENSION) continue;
    arrow::ArrayVector chunks;
    for (const auto& chunk : column->chunks())
      chunks.push_back(static_cast<const arrow::ExtensionArray&>(*chunk).storage());
    column = check(arrow::ChunkedArray::Make(std::move(chunks)));
  }
  arrow::FieldVector stored;
  for (std::size_t c = 0; c < columns.size(); ++c) stored.push_back(fields[c]->WithType(columns[c]->type()));
  const auto out = take_rows(*arrow::Table::Make(arrow::schema(std::move(stored)), columns, table.num_rows()), rows);
  columns = out->columns();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (fields[c]->type()->id() == arrow::Type::EXTENSION)
      columns[c] = arrow::ExtensionType::WrapArray(fields[c]->type(), columns[c]);
  }
  return arrow::Table::Make(arrow::schema(std::move(fields)), std::move(columns), out->num_rows());
}

/// The rows as Parquet is written: with `with_boxes` also an empty column of bounding boxes, which the writer fills in.
class Batches final : public arrow::RecordBatchReader {
 public:
  Batches(SortedRows& rows, bool with_boxes, const std::function<void(int64_t)>& tell)
      : rows_(rows),
        tell_(tell),
        next_(rows.next(kRowsOfPiece)),
        schema_(with_boxes ? with_coverings(next_->schema()) : next_->schema()) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    out->reset();
    if (!next_) return arrow::Status::OK();
    num_rows_ += next_->num_rows();
    tell_(num_rows_);
    ARROW_ASSIGN_OR_RAISE(*out, next_->CombineChunksToBatch());
    next_ = rows_.next(kRowsOfPiece);
    return arrow::Status::OK();
  }

 private:
  SortedRows& rows_;
  const std::function<void(int64_t)>& tell_;
  std::shared_ptr<arrow::Table> next_;
  std::shared_ptr<arrow::Schema> schema_;
  int64_t num_rows_ = 0;
};

}  // namespace

SortedRows::SortedRows(const LevelTable& level, std::vector<int64_t> order, std::string number_column)
    : level_(level),
      order_(std::move(order)),
      number_column_(std::move(number_column)),
      batches_(level, all_columns(level)) {}

std::shared_ptr<arrow::Table> SortedRows::next(int64_t count) {
  std::vector<std::shared_ptr<arrow::Table>> parts;
  while (count > 0 && at_ < num_rows()) {
    if (at_ == end_) read_stretch();
    const int64_t here = std::min(count, end_ - at_);
    parts.push_back(stretch_->Slice(at_ - begin_, here));
    at_ += here;
    count -= here;
  }
  if (parts.empty()) return nullptr;
  return parts.size() == 1 ? parts[0] : check(arrow::ConcatenateTables(parts));
}

void SortedRows::read_stretch() {
  if (rows_at_once_ == 0) {
    const auto first = batches_.in_group(0);
    const int64_t bytes = check(arrow::util::ReferencedBufferSize(*first));
    rows_at_once_ = std::max(kRowsOfPiece, kBytesAtOnce / (bytes / first->num_rows() + 1));
  }
  stretch_.reset();
  begin_ = end_;
  end_ = std::min(num_rows(), begin_ + rows_at_once_);
  // Their numbers in the level, and their places in the result.
  std::vector<std::pair<int64_t, int64_t>> wanted;
  for (int64_t place = begin_; place < end_; ++place)
    wanted.emplace_back(order_[static_cast<std::size_t>(place)], place - begin_);
  std::ranges::sort(wanted);
  std::vector<std::shared_ptr<arrow::Table>> pieces;
  for (std::size_t i = 0; i < wanted.size();) {
    const int group = level_.group_of(wanted[i].first);
    const int64_t first = level_.group_begin(group), last = level_.group_begin(group + 1);
    std::vector<int64_t> rows;
    for (; i < wanted.size() && wanted[i].first < last; ++i) rows.push_back(wanted[i].first - first);
    const auto batch = batches_.in_group(group);
    pieces.push_back(taken(*check(arrow::Table::FromRecordBatches(batch->schema(), {batch})), rows));
  }
  const auto together = check(check(arrow::ConcatenateTables(pieces))->CombineChunks());
  pieces.clear();
  std::vector<int64_t> from(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    from[static_cast<std::size_t>(wanted[i].second)] = static_cast<int64_t>(i);
  stretch_ = taken(*together, from);
  if (number_column_.empty()) return;
  arrow::Int64Builder numbers;
  check(numbers.AppendValues(order_.data() + begin_, end_ - begin_));
  stretch_ = check(stretch_->AddColumn(stretch_->num_columns(), arrow::field(number_column_, arrow::int64(), false),
                                       std::make_shared<arrow::ChunkedArray>(check(numbers.Finish()))));
}

void write_sorted(SortedRows& rows, const ByteConsumer& out, const ParquetOptions& options,
                  const std::function<void(int64_t num_rows)>& tell,
                  const std::function<std::map<std::string, std::string>()>& metadata) {
  Batches batches(rows, options.covering, tell);
  write_parquet(batches, out, options, metadata);
}

std::shared_ptr<const LevelTable> sorted_level(const LevelTable& level, std::vector<int64_t> order) {
  SortedRows rows(level, std::move(order));
  return LevelTable::open(
      spilled(level.source()->name(), [&](const ByteConsumer& out) { write_sorted(rows, out, {}, [](int64_t) {}); }),
      level.where());
}

}  // namespace tacore
