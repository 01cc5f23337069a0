#include "table/rows.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/builder.h>
#include <arrow/memory_pool.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "format/names.hpp"
#include "model/identifier.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"

namespace tacore {
namespace {

/// For each column of a level the row group that was decoded last.
class LastGroups {
 public:
  explicit LastGroups(const LevelTable& level) : columns_(level.columns().size()) {}

  std::shared_ptr<arrow::Array> array(const LevelTable& level, int column, int group) {
    const std::lock_guard lock(mutex_);
    auto& [last, values] = columns_[static_cast<std::size_t>(column)];
    if (last != group || !values) {
      values = level.decode(column, group);
      last = group;
    }
    return values;
  }

  void prepare(const LevelTable& level, std::span<const int> columns, int group) {
    if (level.is_local()) return;
    const std::lock_guard lock(mutex_);
    std::vector<int> missing;
    for (const int column : columns) {
      const auto& [last, values] = columns_[static_cast<std::size_t>(column)];
      if (last != group || !values) missing.push_back(column);
    }
    if (missing.empty()) return;
    auto decoded = level.decode(missing, group);
    for (std::size_t i = 0; i < missing.size(); ++i) {
      columns_[static_cast<std::size_t>(missing[i])] = {group, std::move(decoded[i])};
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<int, std::shared_ptr<arrow::Array>>> columns_;
};

/// The rows of one LevelTable; `chosen` empty means the contiguous [begin, begin + count). With `last` the level keeps
/// no arrays.
class LevelRows : public Rows {
 public:
  LevelRows(std::shared_ptr<const LevelTable> level, std::optional<RowKey> first, int64_t begin, int64_t count,
            std::shared_ptr<const std::vector<int64_t>> chosen, std::shared_ptr<LastGroups> last = nullptr)
      : level_(std::move(level)),
        first_(first),
        begin_(begin),
        count_(count),
        chosen_(std::move(chosen)),
        last_(std::move(last)) {}

  int64_t num_rows() const noexcept override { return count_; }
  const std::vector<Column>& columns() const noexcept override { return level_->columns(); }

  Cell cell(int column, int64_t row) const override {
    const int64_t stored = stored_row(row);
    const int group = level_->group_of(stored);
    return {group_array(column, group), stored - level_->group_begin(group)};
  }

  std::shared_ptr<arrow::Array> array(int column, int64_t begin, int64_t count) const override {
    arrow::ArrayVector pieces;
    for (int64_t row = begin; row < begin + count;) {
      const int64_t length = std::min(contiguous(row), begin + count - row);
      const Cell first = cell(column, row);
      pieces.push_back(first.array->Slice(first.position, length));
      row += length;
    }
    if (pieces.size() == 1) return pieces[0];
    if (pieces.empty()) return check(arrow::MakeEmptyArray(type_of(column)), level_->where());
    return check(arrow::Concatenate(pieces), level_->where());
  }

  void prepare(std::span<const int> columns, int64_t begin, int64_t count) const override {
    for (int64_t row = begin; row < begin + count; row += run(row)) {
      const int group = level_->group_of(stored_row(row));
      if (last_) {
        last_->prepare(*level_, columns, group);
      } else {
        level_->read_ahead(columns, group, group + 1);
      }
    }
  }

  int64_t run(int64_t begin) const override {
    const int group = level_->group_of(stored_row(begin));
    const int64_t end = level_->group_begin(group + 1);
    if (!chosen_) return std::min(end - stored_row(begin), count_ - begin);
    const auto from = chosen_->begin() + begin_ + begin;
    return std::lower_bound(from, chosen_->begin() + begin_ + count_, end) - from;
  }

  bool has_remote_id_index() const override { return !level_->is_local() && level_->has_id_index(); }

  int64_t find_text(int column, std::string_view value, int64_t from) const override {
    if (level_->columns()[static_cast<std::size_t>(column)].name == names::kId) {
      if (const auto rows = level_->find_id(value)) return first_position(*rows, from);
    }
    // Row groups that cannot contain the value are not decoded.
    for (int64_t row = from; row < count_;) {
      const int64_t count = run(row);
      if (level_->may_hold(column, level_->group_of(stored_row(row)), value)) {
        const int64_t found = slice(row, count)->Rows::find_text(column, value);
        if (found >= 0) return row + found;
      }
      row += count;
    }
    return -1;
  }

  std::optional<int> level() const override { return first_ ? std::optional(first_->level) : std::nullopt; }

  std::optional<RowKey> key(int64_t row) const override {
    if (!first_) return std::nullopt;
    RowKey key = *first_;
    key.row = stored_row(row);
    return key;
  }

  std::shared_ptr<const Rows> slice(int64_t begin, int64_t count) const override {
    return std::make_shared<LevelRows>(level_, first_, begin_ + begin, count, chosen_, last_);
  }

 private:
  int64_t stored_row(int64_t row) const {
    return chosen_ ? (*chosen_)[static_cast<std::size_t>(begin_ + row)] : begin_ + row;
  }

  /// The first position from `from` on of one of these rows of the level, which are ascending; -1 for none.
  int64_t first_position(const std::vector<int64_t>& rows, int64_t from) const {
    for (const int64_t row : rows) {
      int64_t position = row - begin_;
      if (chosen_) {
        const auto begin = chosen_->begin() + begin_, end = begin + count_;
        const auto found = std::lower_bound(begin, end, row);
        position = found == end || *found != row ? -1 : found - begin;
      }
      if (position >= from && position < count_) return position;
    }
    return -1;
  }

  /// The number of rows from `row` on that are consecutive in one row group.
  int64_t contiguous(int64_t row) const {
    const int64_t most = run(row);
    if (!chosen_) return most;
    int64_t length = 1;
    while (length < most && stored_row(row + length) == stored_row(row) + length) ++length;
    return length;
  }

  std::shared_ptr<arrow::DataType> type_of(int column) const {
    if (level_->num_row_groups() == 0) return arrow::utf8();
    return group_array(column, count_ > 0 ? level_->group_of(stored_row(0)) : 0)->type();
  }

  std::shared_ptr<arrow::Array> group_array(int column, int group) const {
    return last_ ? last_->array(*level_, column, group) : level_->array(column, group);
  }

  std::shared_ptr<const LevelTable> level_;
  std::optional<RowKey> first_;
  int64_t begin_;
  int64_t count_;
  std::shared_ptr<const std::vector<int64_t>> chosen_;
  std::shared_ptr<LastGroups> last_;
};

/// The rows of a computed table, in its chunks: joining them would copy everything.
class TableRows : public Rows {
 public:
  /// `begins` holds the first row of each chunk, and the number of rows.
  TableRows(std::vector<Column> columns, std::vector<arrow::ArrayVector> chunks, std::vector<int64_t> begins)
      : TableRows(std::make_shared<const std::vector<Column>>(std::move(columns)),
                  std::make_shared<const std::vector<arrow::ArrayVector>>(std::move(chunks)),
                  std::make_shared<const std::vector<int64_t>>(std::move(begins)), 0, -1) {}

  int64_t num_rows() const noexcept override { return count_; }
  const std::vector<Column>& columns() const noexcept override { return *columns_; }
  Cell cell(int column, int64_t row) const override {
    const std::size_t chunk = chunk_of(begin_ + row);
    return {chunks(column)[chunk], begin_ + row - (*begins_)[chunk]};
  }
  std::shared_ptr<arrow::Array> array(int column, int64_t begin, int64_t count) const override {
    arrow::ArrayVector pieces;
    for (int64_t row = begin; row < begin + count;) {
      const int64_t length = std::min(run(row), begin + count - row);
      const Cell first = cell(column, row);
      pieces.push_back(first.array->Slice(first.position, length));
      row += length;
    }
    if (pieces.size() == 1) return pieces[0];
    return pieces.empty() ? chunks(column)[0]->Slice(0, 0) : check(arrow::Concatenate(pieces));
  }
  int64_t run(int64_t begin) const override {
    return std::min((*begins_)[chunk_of(begin_ + begin) + 1] - begin_, count_) - begin;
  }
  std::optional<RowKey> key(int64_t row) const override {
    if (key_ < 0) return std::nullopt;
    const auto value = integer(key_, row);
    return value && *value >= 0 ? std::optional(RowKey::decode(*value)) : std::nullopt;
  }
  std::optional<int> level() const override {
    if (key_ < 0) return std::nullopt;
    std::optional<int> out;
    for (int64_t row = 0; row < count_; row += run(row)) {
      const Cell first = cell(key_, row);
      if (first.array->type_id() != arrow::Type::INT64 || first.array->null_count() > 0) return std::nullopt;
      const int64_t* const keys = static_cast<const arrow::Int64Array&>(*first.array).raw_values() + first.position;
      if (!out) out = RowKey::decode(keys[0]).level;
      const bool is_same = std::all_of(keys, keys + run(row),
                                       [&](int64_t key) { return key >= 0 && RowKey::decode(key).level == *out; });
      if (!is_same) return std::nullopt;
    }
    return out;
  }
  std::shared_ptr<const Rows> slice(int64_t begin, int64_t count) const override {
    return std::shared_ptr<const Rows>(new TableRows(columns_, chunks_, begins_, begin_ + begin, count));
  }

 private:
  TableRows(std::shared_ptr<const std::vector<Column>> columns,
            std::shared_ptr<const std::vector<arrow::ArrayVector>> chunks,
            std::shared_ptr<const std::vector<int64_t>> begins, int64_t begin, int64_t count)
      : columns_(std::move(columns)),
        chunks_(std::move(chunks)),
        begins_(std::move(begins)),
        begin_(begin),
        count_(count < 0 ? begins_->back() : count),
        key_(find(kRowKeyColumn)) {}

  const arrow::ArrayVector& chunks(int column) const { return (*chunks_)[static_cast<std::size_t>(column)]; }
  std::size_t chunk_of(int64_t row) const {
    if (begins_->size() == 2) return 0;
    return static_cast<std::size_t>(std::upper_bound(begins_->begin() + 1, begins_->end() - 1, row) -
                                    begins_->begin()) -
           1;
  }

  std::shared_ptr<const std::vector<Column>> columns_;
  std::shared_ptr<const std::vector<arrow::ArrayVector>> chunks_;  ///< by column, at least one
  std::shared_ptr<const std::vector<int64_t>> begins_;
  int64_t begin_;
  int64_t count_;
  int key_;
};

/// Rows with their key as an additional column.
class KeyedRows : public Rows {
 public:
  KeyedRows(std::shared_ptr<const Rows> rows, std::shared_ptr<arrow::Array> keys)
      : rows_(std::move(rows)), keys_(std::move(keys)), columns_(rows_->columns()) {
    columns_.push_back({std::string(kRowKeyColumn), "int64"});
  }

  int64_t num_rows() const noexcept override { return rows_->num_rows(); }
  const std::vector<Column>& columns() const noexcept override { return columns_; }
  Cell cell(int column, int64_t row) const override {
    return is_key(column) ? Cell{keys_, row} : rows_->cell(column, row);
  }
  std::shared_ptr<arrow::Array> array(int column, int64_t begin, int64_t count) const override {
    return is_key(column) ? keys_->Slice(begin, count) : rows_->array(column, begin, count);
  }
  void prepare(std::span<const int> columns, int64_t begin, int64_t count) const override {
    std::vector<int> stored;
    std::copy_if(columns.begin(), columns.end(), std::back_inserter(stored), [&](int c) { return !is_key(c); });
    rows_->prepare(stored, begin, count);
  }
  int64_t run(int64_t begin) const override { return rows_->run(begin); }
  std::optional<RowKey> key(int64_t row) const override { return rows_->key(row); }
  std::shared_ptr<const Rows> slice(int64_t begin, int64_t count) const override {
    return std::make_shared<KeyedRows>(rows_->slice(begin, count), keys_->Slice(begin, count));
  }

 private:
  bool is_key(int column) const { return column == static_cast<int>(columns_.size()) - 1; }

  std::shared_ptr<const Rows> rows_;
  std::shared_ptr<arrow::Array> keys_;
  std::vector<Column> columns_;
};

/// Rows of another object in a given order.
class TakenRows : public Rows {
 public:
  TakenRows(std::shared_ptr<const Rows> rows, std::shared_ptr<const std::vector<int64_t>> positions, int64_t begin,
            int64_t count)
      : rows_(std::move(rows)), positions_(std::move(positions)), begin_(begin), count_(count) {}

  int64_t num_rows() const noexcept override { return count_; }
  const std::vector<Column>& columns() const noexcept override { return rows_->columns(); }
  Cell cell(int column, int64_t row) const override { return rows_->cell(column, source(row)); }
  std::shared_ptr<arrow::Array> array(int column, int64_t begin, int64_t count) const override {
    const auto builder = check(arrow::MakeBuilder(type(column)));
    check(builder->Reserve(count));
    for (int64_t row = begin; row < begin + count; ++row) {
      const Cell from = cell(column, row);
      check(builder->AppendArraySlice(*from.array->data(), from.position, 1));
    }
    return check(builder->Finish());
  }
  int64_t run(int64_t begin) const override { return std::min(kRun, count_ - begin); }
  std::optional<RowKey> key(int64_t row) const override { return rows_->key(source(row)); }
  std::shared_ptr<const Rows> slice(int64_t begin, int64_t count) const override {
    return std::make_shared<TakenRows>(rows_, positions_, begin_ + begin, count);
  }
  std::shared_ptr<arrow::DataType> type(int column) const override { return rows_->type(column); }

 private:
  static constexpr int64_t kRun = 1 << 16;  ///< rows that are gathered together

  int64_t source(int64_t row) const { return (*positions_)[static_cast<std::size_t>(begin_ + row)]; }

  std::shared_ptr<const Rows> rows_;
  std::shared_ptr<const std::vector<int64_t>> positions_;
  int64_t begin_;
  int64_t count_;
};

}  // namespace

Rows::~Rows() = default;

void Rows::prepare(std::span<const int>, int64_t, int64_t) const {}

int Rows::find(std::string_view name) const noexcept {
  const auto& all = columns();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Column& c) { return c.name == name; });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

namespace {

/// Compares lengths before bytes: most ids of a level differ only in their last characters.
int64_t find_in(const arrow::Array& array, std::string_view value) {
  if (array.type_id() == arrow::Type::STRING) {
    const auto& strings = static_cast<const arrow::StringArray&>(array);
    for (int64_t i = 0; i < strings.length(); ++i) {
      const std::string_view cell = strings.GetView(i);
      if (cell.size() == value.size() && cell == value && strings.IsValid(i)) return i;
    }
    return -1;
  }
  for (int64_t i = 0; i < array.length(); ++i) {
    if (text_cell(array, i) == value) return i;
  }
  return -1;
}

}  // namespace

int64_t Rows::find_text(int column, std::string_view value, int64_t from) const {
  for (int64_t row = from; row < num_rows();) {
    const int64_t count = run(row);
    const int64_t found = find_in(*array(column, row, count), value);
    if (found >= 0) return row + found;
    row += count;
  }
  return -1;
}

std::optional<std::string> Rows::text(int column, int64_t row) const {
  const Cell at = cell(column, row);
  const auto value = text_cell(*at.array, at.position);
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

std::optional<std::string> Rows::binary(int column, int64_t row) const {
  const Cell at = cell(column, row);
  const auto value = binary_cell(*at.array, at.position);
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

std::optional<int64_t> Rows::integer(int column, int64_t row) const {
  const Cell at = cell(column, row);
  return integer_cell(*at.array, at.position);
}

std::shared_ptr<arrow::DataType> Rows::type(int column) const { return array(column, 0, 0)->type(); }

std::shared_ptr<const Rows> level_rows(std::shared_ptr<const LevelTable> level, std::optional<RowKey> first,
                                       int64_t begin, int64_t count) {
  return std::make_shared<LevelRows>(std::move(level), first, begin, count, nullptr);
}

std::shared_ptr<const Rows> level_rows(std::shared_ptr<const LevelTable> level, std::optional<RowKey> first,
                                       std::vector<int64_t> rows) {
  const auto count = static_cast<int64_t>(rows.size());
  return std::make_shared<LevelRows>(std::move(level), first, 0, count,
                                     std::make_shared<const std::vector<int64_t>>(std::move(rows)));
}

namespace {

/// The rows that are not padding; nullptr when there is no padding.
std::shared_ptr<const std::vector<int64_t>> visible_in(const LevelTable& level, bool keep) {
  if (level.num_visible_rows() == level.num_rows()) return nullptr;
  auto rows = std::make_shared<std::vector<int64_t>>();
  const int id = level.find(names::kId);
  for (int g = 0; g < level.num_row_groups(); ++g) {
    const auto ids = keep ? level.array(id, g) : level.decode(id, g);
    for (int64_t i = 0; i < ids->length(); ++i) {
      const auto cell = text_cell(*ids, i);
      if (!cell || !is_padding_id(*cell)) rows->push_back(level.group_begin(g) + i);
    }
  }
  return rows;
}

}  // namespace

std::shared_ptr<const Rows> taken_rows(std::shared_ptr<const Rows> rows, std::vector<int64_t> positions) {
  const auto count = static_cast<int64_t>(positions.size());
  return std::make_shared<TakenRows>(std::move(rows),
                                     std::make_shared<const std::vector<int64_t>>(std::move(positions)), 0, count);
}

std::shared_ptr<const Rows> visible_rows(std::shared_ptr<const LevelTable> level, std::optional<RowKey> first) {
  auto rows = visible_in(*level, true);
  const int64_t count = rows ? static_cast<int64_t>(rows->size()) : level->num_rows();
  return std::make_shared<LevelRows>(std::move(level), first, 0, count, std::move(rows));
}

std::shared_ptr<const Rows> passing_rows(std::shared_ptr<const LevelTable> level, std::optional<RowKey> first) {
  auto rows = visible_in(*level, false);
  const int64_t count = rows ? static_cast<int64_t>(rows->size()) : level->num_rows();
  auto last = std::make_shared<LastGroups>(*level);
  return std::make_shared<LevelRows>(std::move(level), first, 0, count, std::move(rows), std::move(last));
}

namespace {

// Below this size joining a table is cheaper than searching its chunks.
constexpr int64_t kChunkRows = 4096;

/// The first row of each chunk, and the number of rows; empty when columns differ in chunks or chunks are small.
std::vector<int64_t> chunk_begins(const arrow::Table& table) {
  std::vector<int64_t> out{0};
  for (int c = 0; c < table.num_columns(); ++c) {
    std::vector<int64_t> begins{0};
    for (const auto& chunk : table.column(c)->chunks()) begins.push_back(begins.back() + chunk->length());
    if (c > 0 && begins != out) return {};
    out = std::move(begins);
  }
  const auto num_chunks = static_cast<int64_t>(out.size()) - 1;
  return num_chunks == 1 || (num_chunks > 0 && table.num_rows() / num_chunks >= kChunkRows) ? out
                                                                                            : std::vector<int64_t>();
}

std::shared_ptr<arrow::Array> joined(const arrow::ChunkedArray& column) {
  if (column.num_chunks() == 1) return column.chunk(0);
  return column.num_chunks() == 0 ? check(arrow::MakeEmptyArray(column.type()))
                                  : check(arrow::Concatenate(column.chunks()));
}

}  // namespace

std::shared_ptr<const Rows> table_rows(const std::shared_ptr<arrow::Table>& table) {
  std::vector<Column> columns;
  std::vector<arrow::ArrayVector> chunks;
  auto begins = chunk_begins(*table);
  for (int c = 0; c < table->num_columns(); ++c) {
    const auto& column = *table->column(c);
    columns.push_back({table->field(c)->name(), type_name(*column.type())});
    chunks.push_back(begins.empty() ? arrow::ArrayVector{joined(column)} : column.chunks());
  }
  if (begins.empty()) begins = {0, table->num_rows()};
  return std::make_shared<TableRows>(std::move(columns), std::move(chunks), std::move(begins));
}

std::shared_ptr<arrow::Table> to_table(const Rows& rows, const std::vector<std::pair<std::string, int>>& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const auto& [name, column] : columns) {
    arrays.push_back(rows.array(column, 0, rows.num_rows()));
    fields.push_back(arrow::field(name, arrays.back()->type()));
  }
  return arrow::Table::Make(arrow::schema(fields), arrays, rows.num_rows());
}

int64_t memory_in_use() { return arrow::default_memory_pool()->bytes_allocated(); }

std::shared_ptr<const Rows> with_keys(std::shared_ptr<const Rows> rows) {
  const int64_t count = rows->num_rows();
  if (count == 0 || rows->find(kRowKeyColumn) >= 0 || !rows->key(0)) return rows;
  arrow::Int64Builder builder;
  check(builder.Reserve(count));
  for (int64_t i = 0; i < count; ++i) {
    const auto key = rows->key(i);
    builder.UnsafeAppend(key ? key->encode() : -1);
  }
  return std::make_shared<KeyedRows>(std::move(rows), check(builder.Finish()));
}

}  // namespace tacore
