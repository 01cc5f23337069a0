#include "table/stacked_rows.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <utility>

#include "format/names.hpp"
#include "table/arrow_error.hpp"

namespace tacore {
namespace {

class StackedRows : public Rows {
 public:
  StackedRows(std::shared_ptr<const Stack> stack, int64_t begin, int64_t count)
      : stack_(std::move(stack)), begin_(begin), count_(count) {
    for (const StackedColumn& each : stack_->columns) columns_.push_back(each.column);
  }

  int64_t num_rows() const noexcept override { return count_; }
  const std::vector<Column>& columns() const noexcept override { return columns_; }
  std::optional<int> level() const override { return 0; }

  Cell cell(int column, int64_t row) const override {
    const Place at = place_of(row);
    const StackedColumn& from = column_of(column);
    if (from.from != StackedColumn::From::Column) return {made(from, at, 1), 0};
    const auto rows = stack_->open(at.part);
    return rows->cell(position(*rows, from), at.row);
  }

  std::shared_ptr<arrow::Array> array(int column, int64_t begin, int64_t count) const override {
    const StackedColumn& from = column_of(column);
    arrow::ArrayVector pieces;
    for (int64_t row = begin; row < begin + count;) {
      const Place at = place_of(row);
      const int64_t length = std::min(at.num_left, begin + count - row);
      if (from.from == StackedColumn::From::Column) {
        const auto rows = stack_->open(at.part);
        pieces.push_back(rows->array(position(*rows, from), at.row, length));
      } else {
        pieces.push_back(made(from, at, length));
      }
      row += length;
    }
    if (pieces.size() == 1) return pieces[0];
    return pieces.empty() ? check(arrow::MakeEmptyArray(type(column))) : check(arrow::Concatenate(pieces));
  }

  void prepare(std::span<const int> columns, int64_t begin, int64_t count) const override {
    for (int64_t row = begin; row < begin + count;) {
      const Place at = place_of(row);
      const int64_t length = std::min(at.num_left, begin + count - row);
      const auto rows = stack_->open(at.part);
      std::vector<int> stored;
      for (const int column : columns) {
        if (column_of(column).from == StackedColumn::From::Column) stored.push_back(position(*rows, column_of(column)));
      }
      rows->prepare(stored, at.row, length);
      row += length;
    }
  }

  int64_t run(int64_t begin) const override {
    const Place at = place_of(begin);
    return std::min(stack_->open(at.part)->run(at.row), count_ - begin);
  }

  std::optional<RowKey> key(int64_t row) const override {
    const Place at = place_of(row);
    return stack_->open(at.part)->key(at.row);
  }

  bool has_remote_id_index() const override { return stack_->open(0)->has_remote_id_index(); }

  int64_t find_text(int column, std::string_view value, int64_t from) const override {
    const StackedColumn& of = column_of(column);
    if (of.from != StackedColumn::From::Column) return Rows::find_text(column, value, from);
    for (int64_t row = from; row < count_;) {
      const Place at = place_of(row);
      if (of.name != names::kId || stack_->may_have_id(at.part, value)) {
        const auto rows = stack_->open(at.part);
        const int64_t found = rows->find_text(position(*rows, of), value, at.row);
        if (found >= 0) return row - at.row + found < count_ ? row - at.row + found : -1;
      }
      row += at.num_left;
    }
    return -1;
  }

  std::shared_ptr<const Rows> slice(int64_t begin, int64_t count) const override {
    return std::make_shared<StackedRows>(stack_, begin_ + begin, count);
  }

  std::shared_ptr<arrow::DataType> type(int column) const override {
    const StackedColumn& from = column_of(column);
    if (from.from == StackedColumn::From::Text) return arrow::utf8();
    if (from.from == StackedColumn::From::StoredRow) return arrow::int64();
    const auto rows = stack_->open(0);
    return rows->type(position(*rows, from));
  }

 private:
  /// A row in its part, and the number of rows from it to the end of the part.
  struct Place {
    std::size_t part = 0;
    int64_t row = 0;
    int64_t num_left = 0;
  };

  Place place_of(int64_t row) const {
    const auto& begins = stack_->begins;
    const auto next = std::upper_bound(begins.begin(), begins.end() - 1, begin_ + row);
    const int64_t first = *(next - 1);
    return {static_cast<std::size_t>(next - begins.begin()) - 1, begin_ + row - first, *next - begin_ - row};
  }

  const StackedColumn& column_of(int column) const { return stack_->columns[static_cast<std::size_t>(column)]; }

  static int position(const Rows& rows, const StackedColumn& column) { return rows.find(column.name); }

  /// The values of a column that no part stores.
  std::shared_ptr<arrow::Array> made(const StackedColumn& column, const Place& at, int64_t count) const {
    if (column.from == StackedColumn::From::Text)
      return check(arrow::MakeArrayFromScalar(arrow::StringScalar(column.texts[at.part]), count));
    const auto rows = stack_->open(at.part);
    arrow::Int64Builder numbers;
    check(numbers.Reserve(count));
    for (int64_t row = at.row; row < at.row + count; ++row) numbers.UnsafeAppend(rows->key(row)->row);
    return check(numbers.Finish());
  }

  std::shared_ptr<const Stack> stack_;
  int64_t begin_;
  int64_t count_;
  std::vector<Column> columns_;
};

}  // namespace

std::shared_ptr<const Rows> stacked_rows(Stack stack) {
  const int64_t count = stack.begins.back();
  return std::make_shared<StackedRows>(std::make_shared<const Stack>(std::move(stack)), 0, count);
}

}  // namespace tacore
