#include "table/sidecar_table.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "model/wkt.hpp"
#include "table/arrow_error.hpp"
#include "table/covering.hpp"
#include "table/extent_sum.hpp"
#include "table/level_batches.hpp"
#include "table/read_table.hpp"
#include "table/row_order.hpp"

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

/// The rows of a level in another order, in bounded memory: each pass over the level takes the rows of one stretch.
class SortedRows {
 public:
  /// `order`: the numbers of the rows, each once.
  SortedRows(const LevelTable& level, std::vector<int64_t> order)
      : level_(level), order_(std::move(order)), batches_(level, all_columns(level)) {}

  /// The next `count` rows, or as many as there are, with their numbers in kRowOfLevel.
  std::shared_ptr<arrow::Table> next(int64_t count) {
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

 private:
  int64_t num_rows() const { return static_cast<int64_t>(order_.size()); }

  void read_stretch() {
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
    const auto sorted = taken(*together, from);
    arrow::Int64Builder numbers;
    check(numbers.AppendValues(order_.data() + begin_, end_ - begin_));
    stretch_ = check(sorted->AddColumn(sorted->num_columns(), arrow::field(kRowOfLevel, arrow::int64(), false),
                                       std::make_shared<arrow::ChunkedArray>(check(numbers.Finish()))));
  }

  const LevelTable& level_;
  std::vector<int64_t> order_;
  LevelBatches batches_;
  int64_t rows_at_once_ = 0;
  int64_t at_ = 0, begin_ = 0, end_ = 0;  ///< the next row, and the rows in memory
  std::shared_ptr<arrow::Table> stretch_ = {};
};

/// True where a filter can find the rows of a place by bounds.
bool has_places(const LevelTable& level) {
  if (!coverings_of(*level.stored_schema()).empty()) return true;
  for (std::size_t c = 0; c < level.columns().size(); ++c) {
    if (is_geometry_column(level.columns()[c].name) && level.has_coordinates(static_cast<int>(c))) return true;
  }
  return false;
}

/// Throws SchemaError for the first row with a geometry that is not WKB.
void check_geometries(const LevelTable& level) {
  for (const Covering& covering : coverings_of(*level.stored_schema())) {
    LevelBatches batches(level, {level.find(covering.geometry)});
    int64_t first = 0;
    for (std::shared_ptr<arrow::RecordBatch> batch; (batch = batches()); first += batch->num_rows())
      with_coverings(*batch, with_coverings(batch->schema()), first, level.where());
  }
}

std::vector<int64_t> order_of(const LevelTable& level, int jobs) {
  if (has_places(level)) return rows_by_place(LevelBatches(level, columns_of_extent(level)), nullptr, jobs).rows;
  std::vector<int64_t> out(static_cast<std::size_t>(level.num_rows()));
  std::iota(out.begin(), out.end(), int64_t{0});
  return out;
}

/// The rows as Parquet is written: with an empty column of bounding boxes, which the writer fills in.
class Batches final : public arrow::RecordBatchReader {
 public:
  Batches(SortedRows& rows, const std::function<void(int64_t)>& tell)
      : rows_(rows), tell_(tell), next_(rows.next(kRowsOfPiece)), schema_(with_coverings(next_->schema())) {}

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

std::string why_no_sidecar(const LevelTable& level, int number) {
  if (level.num_rows() == 0) return "it has no rows";
  if (number > 0 && !has_places(level)) return "it has no geometries that are WKB or structures of x and y";
  for (const Covering& covering : coverings_of(*level.stored_schema())) {
    // The boxes of a side-car are known to be those of the geometries; these may be anything.
    if (level.find(covering.boxes) >= 0 && !level.covering_of(covering.geometry))
      return "its column " + in_quotes(covering.boxes) + " has the name that bounding boxes would have";
  }
  return level.find(kRowOfLevel) >= 0 ? "it has a column " + in_quotes(kRowOfLevel) : "";
}

void write_sidecar(const LevelTable& level, int number, int jobs, const ByteConsumer& out,
                   const std::function<void(int64_t num_rows)>& tell) {
  try {
    SortedRows rows(level, order_of(level, jobs));
    Batches batches(rows, tell);
    write_parquet(batches, out, options_of_level({.covering = true, .id_index = true}, number), [&] {
      return std::map<std::string, std::string>{{kSidecarKey, fingerprint_of(level)}};
    });
  } catch (const FormatError&) {
    check_geometries(level);  // tells the row of the level
    throw;
  } catch (const SchemaError&) {
    check_geometries(level);
    throw;
  }
}

std::string why_wrong_sidecar(const LevelTable& level, const LevelTable& sidecar,
                              const std::function<void(int64_t num_rows)>& tell) {
  const int numbers = sidecar.find(kRowOfLevel);
  std::vector<int64_t> order;
  std::vector<bool> seen(static_cast<std::size_t>(level.num_rows()));
  for (int64_t row = 0; row < sidecar.num_rows(); ++row) {
    const auto number = sidecar.integer(numbers, row);
    if (!number || *number < 0 || *number >= level.num_rows() || seen[static_cast<std::size_t>(*number)])
      return "its row " + std::to_string(row) + " is that of row " + (number ? std::to_string(*number) : "null") +
             " of the level, which does not exist or is there twice";
    seen[static_cast<std::size_t>(*number)] = true;
    order.push_back(*number);
  }
  if (sidecar.num_rows() != level.num_rows())
    return "it has " + std::to_string(sidecar.num_rows()) + " rows, the level " + std::to_string(level.num_rows());
  std::vector<int> columns;
  for (const Column& column : level.columns()) {
    columns.push_back(sidecar.find(column.name));
    if (columns.back() < 0) return "it has no column " + in_quotes(column.name);
  }
  LevelBatches copies(sidecar, columns);
  SortedRows rows(level, std::move(order));
  for (int group = 0; group < sidecar.num_row_groups(); ++group) {
    const auto copy = copies.in_group(group);
    const auto right = check(rows.next(copy->num_rows())->CombineChunksToBatch());
    for (int c = 0; c < copy->num_columns(); ++c) {
      if (!copy->column(c)->Equals(*right->column(c), arrow::EqualOptions::Defaults().nans_equal(true)))
        return "column " + in_quotes(copy->schema()->field(c)->name()) + " differs in row group " +
               std::to_string(group);
    }
    for (const int column : all_columns(sidecar)) {
      if (auto why = sidecar.why_wrong_statistics(column, group); !why.empty())
        return "column " + in_quotes(sidecar.columns()[static_cast<std::size_t>(column)].name) + ": " + why;
    }
    tell(sidecar.group_begin(group + 1));
  }
  return sidecar.why_wrong_proof();
}

}  // namespace tacore
