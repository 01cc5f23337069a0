#include "table/level_table.hpp"

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <set>
#include <utility>

#include "base/checked_math.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "io/memory_source.hpp"
#include "io/prefetched_source.hpp"
#include "model/identifier.hpp"
#include "table/arrow_error.hpp"
#include "table/arrow_source.hpp"
#include "table/bounded_pool.hpp"
#include "table/cells.hpp"
#include "table/chunk_statistics.hpp"
#include "table/derived_column.hpp"
#include "table/page_check.hpp"
#include "table/parquet_footer.hpp"
#include "table/text_columns.hpp"

namespace tacore {
namespace {

// A row number and its level share 64 bits (RowKey); no published level comes near.
constexpr int64_t kMaxRows = int64_t{1} << 40;

int leaves(const arrow::DataType& type) {
  if (type.num_fields() == 0) return 1;
  int count = 0;
  for (const auto& field : type.fields()) count += leaves(*field->type());
  return count;
}

int64_t first_page(const parquet::ColumnChunkMetaData& chunk) {
  const int64_t data = chunk.data_page_offset();
  return chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0
             ? std::min(data, chunk.dictionary_page_offset())
             : data;
}

}  // namespace

struct LevelTable::Impl {
  /// By column and row group.
  using Arrays = std::map<std::pair<int, int>, std::shared_ptr<arrow::Array>>;

  std::shared_ptr<const ByteSource> source;
  ErrorContext where;
  Bytes tail;
  std::shared_ptr<parquet::FileMetaData> metadata;
  arrow::MemoryPool* pool = nullptr;
  std::vector<Column> columns;
  std::shared_ptr<arrow::Schema> schema;
  std::map<std::string, int, std::less<>> positions;
  std::vector<std::vector<int>> leaf_columns;  ///< of each column, in the file; of a derived one those of its source
  std::vector<std::string> file_columns;
  std::vector<DerivedColumn> made;         ///< what is derived
  std::vector<const DerivedColumn*> from;  ///< of each column, into `made`
  std::vector<int64_t> group_begin;
  bool may_have_padding = true;

  mutable std::atomic<int64_t> num_padding = -1;  ///< not counted yet
  mutable std::once_flag pages_made;
  bool is_local = true;  ///< where `source` was at first
  mutable std::unique_ptr<PageCheck> pages;
  mutable std::mutex mutex;
  mutable Arrays arrays;
  mutable std::set<int> fetching;  ///< row groups of which columns are on their way from a server
  mutable std::condition_variable fetched;
  // Making one looks at every column, so it is kept. One column at a time.
  mutable std::mutex reader_mutex;
  mutable std::shared_ptr<const ByteSource> reader_of;
  mutable std::shared_ptr<ArrowSource> reader_source;
  mutable std::unique_ptr<parquet::arrow::FileReader> reader;
  mutable std::once_flag read_at_once;
  mutable std::map<int, std::shared_ptr<arrow::Array>> small;  ///< stored columns, by the first of their leaf_columns

  void open(const Derive& derive);
  void read_schema(const Derive& derive);
  std::vector<std::string> name_columns() const;
  void show(const std::string& name, const arrow::DataType& type, std::vector<int> leaves,
            const DerivedColumn* derived);
  void check_column(const std::string& name, const arrow::DataType& type) const;
  void read_groups();
  std::vector<ColumnChunk> chunks() const;
  bool padding_possible() const;
  bool padding_possible(int group) const;
  std::shared_ptr<parquet::Statistics> statistics(int column, int group) const;
  bool is_flat_text(int column) const;
  bool stores_same(int column, const Impl& other, int other_column) const;
  /// Of a chunk of a small table, which is in memory; else none.
  std::span<const std::byte> bytes_of(const parquet::ColumnChunkMetaData& chunk) const;
  parquet::arrow::FileReader& open_reader(const std::shared_ptr<const ByteSource>& bytes) const;
  /// LevelTable::array() of a remote file.
  std::shared_ptr<arrow::Array> fetch(const LevelTable& table, int column, int group) const;
  int read_ahead(const LevelTable& table, std::span<const int> some, int group, int end) const;
  /// LevelTable::decode() of bytes that came from a remote file, or of the file.
  std::shared_ptr<arrow::Array> decode(const LevelTable& table, int column, int group,
                                       const std::shared_ptr<const ByteSource>& bytes) const;
  /// Several, as far as they can be decoded.
  void decode_into(Arrays& out, const LevelTable& table, std::span<const int> some, int group,
                   const std::shared_ptr<const ByteSource>& bytes) const;
  void forget_reader() const;
  std::shared_ptr<arrow::Array> decode_any(int column, int group, const std::shared_ptr<const ByteSource>& bytes) const;
  std::vector<int> asked_for_with(int column, int group) const;
  std::vector<ByteRange> ranges_of(std::span<const int> some, int group) const;
  bool is_small() const;
  std::shared_ptr<arrow::Array> small_array(int column) const;
};

void LevelTable::Impl::open(const Derive& derive) {
  is_local = source->is_local();
  tail = read_parquet_tail(*source, where);
  // A small table is here whole by now: it is not read again.
  if (tail.size() == source->size()) source = memory_source(source->name(), tail);
  metadata = parse_parquet_footer(tail, where);
  pool = bounded_pool(source->size());
  read_schema(derive);
  read_groups();
  may_have_padding = !derive && padding_possible();
}

void LevelTable::Impl::check_column(const std::string& name, const arrow::DataType& type) const {
  const bool text = is_text(type), integer = arrow::is_integer(type.id());
  const bool text_column =
      name == names::kId || name == names::kType || name == names::kRelativePath || name == names::kSourceFile;
  const bool integer_column = name == names::kCurrentId || name == names::kOffset || name == names::kSize;
  const bool either = name == names::kParentId;
  if ((text_column && !text) || (integer_column && !integer) || (either && !text && !integer)) {
    throw SchemaError("column " + quoted(name) + " has type " + type_name(type) + ", " +
                          (text_column ? "string" : "int64") + " expected",
                      where);
  }
}

void LevelTable::Impl::read_schema(const Derive& derive) {
  try {
    check(parquet::arrow::FromParquetSchema(metadata->schema(), parquet::default_arrow_reader_properties(),
                                            metadata->key_value_metadata(), &schema),
          where);
  } catch (const parquet::ParquetException& error) {
    throw FormatError(std::string("Parquet schema: ") + error.what(), where);
  }
  schema = schema->RemoveMetadata();
  if (derive) {
    std::vector<Column> stored;
    for (const auto& field : schema->fields()) stored.push_back({field->name(), type_name(*field->type())});
    made = derive(stored);
  }
  file_columns = name_columns();
  const auto shown_first = [](const DerivedColumn& column) {
    return column.name == names::kId || column.name == names::kType;
  };
  std::vector<std::vector<int>> file_leaves;
  int leaf = 0;
  for (const auto& field : schema->fields()) {
    auto& own = file_leaves.emplace_back();
    for (int n = leaves(*field->type()); n > 0; --n) own.push_back(leaf++);
  }
  if (leaf != metadata->num_columns()) {
    throw FormatError("Parquet schema has " + std::to_string(metadata->num_columns()) + " leaves, its columns " +
                          std::to_string(leaf),
                      where);
  }
  const auto show_derived = [&](const DerivedColumn& column) {
    const int at = column.from.empty() ? -1 : schema->GetFieldIndex(column.from);
    if (at < 0 && column.kind != DerivedColumn::Kind::Constant)
      throw SchemaError("no column " + quoted(column.from), where);
    const auto type = derived_type(column, at < 0 ? nullptr : schema->field(at)->type(), where);
    show(column.name, *type, at < 0 ? std::vector<int>() : file_leaves[static_cast<std::size_t>(at)], &column);
  };
  for (const auto& column : made) {
    if (shown_first(column)) show_derived(column);
  }
  for (std::size_t c = 0; c < file_columns.size(); ++c) {
    const auto replaced = std::find_if(made.begin(), made.end(), [&](const DerivedColumn& column) {
      return column.name == file_columns[c] && column.from == column.name;
    });
    const auto& type = *schema->field(static_cast<int>(c))->type();
    const bool is_hidden = std::any_of(made.begin(), made.end(), [&](const DerivedColumn& column) {
      return column.kind == DerivedColumn::Kind::Hidden && column.from == file_columns[c];
    });
    if (is_hidden) continue;
    if (replaced == made.end()) {
      check_column(file_columns[c], type);
      show(file_columns[c], type, file_leaves[c], nullptr);
    } else if (!shown_first(*replaced)) {
      show_derived(*replaced);
    }
  }
  for (const auto& column : made) {
    if (column.kind == DerivedColumn::Kind::Hidden) continue;
    if (!shown_first(column) && !positions.contains(column.name)) show_derived(column);
  }
  for (const auto name : {names::kId, names::kType}) {
    if (!positions.contains(name)) throw SchemaError("no column " + quoted(name), where);
  }
}

void LevelTable::Impl::show(const std::string& name, const arrow::DataType& type, std::vector<int> leaves,
                            const DerivedColumn* derived) {
  positions.emplace(name, static_cast<int>(columns.size()));
  columns.push_back({name, type_name(type)});
  leaf_columns.push_back(std::move(leaves));
  from.push_back(derived);
}

/// A name that readers need is never the one that gets a suffix, wherever it stands.
std::vector<std::string> LevelTable::Impl::name_columns() const {
  std::map<std::string, int> folded;
  std::set<std::string> needed;
  std::set<std::string, std::less<>> sources;
  for (const auto& column : made) {
    if (column.kind == DerivedColumn::Kind::Hidden) continue;
    folded.emplace(lower(column.name), 0);
    if (column.name != column.from) needed.insert(column.name);  // a stored one of this name gives way
    sources.insert(column.from);
  }
  const auto is_needed = [&](const std::string& name) {
    return name == names::kId || name == names::kType || name.starts_with(names::kInternal) || sources.contains(name);
  };
  for (const auto& field : schema->fields()) {
    if (is_needed(field->name())) folded.emplace(lower(field->name()), 0);
  }
  folded.emplace("", 0);  // SQL knows no empty name
  std::vector<std::string> out;
  for (const auto& field : schema->fields()) {
    std::string name = field->name();
    if (!is_utf8(name) || name.find('\0') != std::string::npos) {
      throw FormatError("column name " + quoted(name) + " is not text", where);
    }
    const bool keeps_name = is_needed(name) && needed.insert(name).second;
    while (!keeps_name && !folded.emplace(lower(name), 0).second) {
      name = field->name() + "_" + std::to_string(++folded[lower(field->name())]);
    }
    out.push_back(name);
  }
  return out;
}

void LevelTable::Impl::read_groups() {
  int64_t begin = 0;
  for (int g = 0; g < metadata->num_row_groups(); ++g) {
    group_begin.push_back(begin);
    const int64_t rows = metadata->RowGroup(g)->num_rows();
    if (rows < 0) throw FormatError("row group " + std::to_string(g) + " has a negative row count", where);
    begin = checked_add(begin, rows, "row count");
    if (begin > kMaxRows)
      throw FormatError("level has " + std::to_string(begin) + " rows, at most 2^40 are supported", where);
  }
  group_begin.push_back(begin);
  if (begin != metadata->num_rows()) {
    throw FormatError("Parquet footer counts " + std::to_string(metadata->num_rows()) + " rows, its row groups " +
                          std::to_string(begin),
                      where);
  }
}

bool LevelTable::Impl::is_flat_text(int column) const {
  const auto& leaf = leaf_columns[static_cast<std::size_t>(column)];
  if (leaf.size() != 1 || columns[static_cast<std::size_t>(column)].type != "string") return false;
  const auto* stored = metadata->schema()->Column(leaf[0]);
  return stored->physical_type() == parquet::Type::BYTE_ARRAY && stored->max_repetition_level() == 0 &&
         stored->max_definition_level() <= 1;
}

std::vector<ColumnChunk> LevelTable::Impl::chunks() const {
  const auto value_size = [&](int leaf) -> uint64_t {
    const auto* column = metadata->schema()->Column(leaf);
    switch (column->physical_type()) {
      case parquet::Type::FIXED_LEN_BYTE_ARRAY: return static_cast<uint64_t>(std::max(column->type_length(), 1));
      case parquet::Type::INT64:
      case parquet::Type::DOUBLE: return 8;
      case parquet::Type::INT96: return 12;
      case parquet::Type::BOOLEAN: return 1;
      default: return 4;  // a text has its length before it
    }
  };
  std::vector<ColumnChunk> out;
  for (int g = 0; g < metadata->num_row_groups(); ++g) {
    const auto group = metadata->RowGroup(g);
    for (int leaf = 0; leaf < metadata->num_columns(); ++leaf) {
      const auto chunk = group->ColumnChunk(leaf);
      // DuckDB does not look, and would take what is encrypted for values. Arrow refuses by itself.
      if (chunk->crypto_metadata()) {
        throw FormatError("Parquet column " + std::to_string(leaf) + " is encrypted; plain expected", where);
      }
      if (group->num_rows() == 0 && chunk->num_values() == 0) continue;  // it has no pages, and no place
      const int64_t begin = first_page(*chunk);
      const int64_t size = chunk->total_compressed_size();
      if (begin < 0 || size < 0) throw FormatError("column " + std::to_string(leaf) + " has a negative place", where);
      // Lists have as many values as items, and one for each list that is empty or null.
      const int64_t values = chunk->num_values(), rows = group->num_rows();
      const bool flat = metadata->schema()->Column(leaf)->max_repetition_level() == 0;
      if (flat ? values != rows : values < rows) {
        throw FormatError("column " + std::to_string(leaf) + " has " + std::to_string(values) +
                              " values in row group " + std::to_string(g) + " of " + std::to_string(rows) + " rows",
                          where);
      }
      out.push_back({static_cast<uint64_t>(begin), static_cast<uint64_t>(size),
                     static_cast<uint64_t>(std::max<int64_t>(chunk->total_uncompressed_size(), 0)), value_size(leaf),
                     static_cast<uint64_t>(values)});
    }
  }
  return out;
}

std::shared_ptr<parquet::Statistics> LevelTable::Impl::statistics(int column, int group) const {
  const auto& leaf = leaf_columns[static_cast<std::size_t>(column)];
  if (leaf.size() != 1) return nullptr;
  try {
    return metadata->RowGroup(group)->ColumnChunk(leaf[0])->statistics();
  } catch (const parquet::ParquetException&) {
    return nullptr;  // statistics are hints; data that is wrong fails when it is decoded
  }
}

bool LevelTable::Impl::padding_possible() const {
  for (int g = 0; g < metadata->num_row_groups(); ++g) {
    if (padding_possible(g)) return true;
  }
  return false;
}

bool LevelTable::Impl::padding_possible(int group) const {
  const auto id = statistics(positions.find(names::kId)->second, group);
  if (const auto* s = dynamic_cast<parquet::ByteArrayStatistics*>(id.get()); s && s->HasMinMax()) {
    const std::string_view min(s->min()), max(s->max());
    if (max < names::kPadding) return false;
    if (min > names::kPadding && !min.starts_with(names::kPadding)) return false;
  }
  // A FOLDER of padding has the size of its __meta__.
  const auto type = statistics(positions.find(names::kType)->second, group);
  const auto* types = dynamic_cast<parquet::ByteArrayStatistics*>(type.get());
  const bool only_files = types && types->HasMinMax() && std::string_view(types->max()) == "FILE";
  if (const auto size = positions.find(names::kSize); only_files && size != positions.end()) {
    const auto stats = statistics(size->second, group);
    const auto* s = dynamic_cast<parquet::Int64Statistics*>(stats.get());
    if (s && s->HasMinMax() && s->min() > 0 && s->HasNullCount() && s->null_count() == 0) return false;
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string& name = columns[c].name;
    if (name == names::kId || name == names::kType || name.starts_with(names::kInternal)) continue;
    const auto s = statistics(static_cast<int>(c), group);
    if (s && s->HasNullCount() && s->null_count() == 0) return false;
  }
  return true;
}

LevelTable::LevelTable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LevelTable::~LevelTable() = default;

std::shared_ptr<const LevelTable> LevelTable::open(std::shared_ptr<const ByteSource> source,
                                                   const ErrorContext& where) {
  return open(std::move(source), where, {});
}

std::shared_ptr<const LevelTable> LevelTable::open(std::shared_ptr<const ByteSource> source, const ErrorContext& where,
                                                   const Derive& derive) {
  auto impl = std::make_unique<Impl>();
  impl->source = std::move(source);
  impl->where = where;
  impl->open(derive);
  return std::shared_ptr<const LevelTable>(new LevelTable(std::move(impl)));
}

int64_t LevelTable::num_rows() const noexcept { return impl_->group_begin.back(); }
const std::vector<Column>& LevelTable::columns() const noexcept { return impl_->columns; }
const std::vector<std::string>& LevelTable::file_columns() const noexcept { return impl_->file_columns; }
const DerivedColumn* LevelTable::derived(int column) const noexcept {
  return impl_->from[static_cast<std::size_t>(column)];
}
const std::shared_ptr<arrow::Schema>& LevelTable::stored_schema() const noexcept { return impl_->schema; }
int LevelTable::num_row_groups() const noexcept { return static_cast<int>(impl_->group_begin.size()) - 1; }
bool LevelTable::may_have_padding() const noexcept { return impl_->may_have_padding; }
const std::shared_ptr<const ByteSource>& LevelTable::source() const noexcept { return impl_->source; }
bool LevelTable::is_local() const noexcept { return impl_->is_local; }
const Bytes& LevelTable::tail() const noexcept { return impl_->tail; }
const ErrorContext& LevelTable::where() const noexcept { return impl_->where; }

std::optional<std::string> LevelTable::key_value(const std::string& key) const {
  const auto& pairs = impl_->metadata->key_value_metadata();
  const int at = pairs ? pairs->FindKey(key) : -1;
  return at < 0 ? std::nullopt : std::optional(pairs->value(at));
}

void LevelTable::check_pages(uint64_t offset, std::span<const std::byte> bytes) const {
  std::call_once(impl_->pages_made,
                 [&] { impl_->pages = std::make_unique<PageCheck>(impl_->chunks(), impl_->source, impl_->where); });
  impl_->pages->check(offset, bytes);
}

int64_t LevelTable::group_begin(int group) const { return impl_->group_begin[static_cast<std::size_t>(group)]; }

int LevelTable::find(std::string_view name) const noexcept {
  const auto found = impl_->positions.find(name);
  return found == impl_->positions.end() ? -1 : found->second;
}

int LevelTable::group_of(int64_t row) const {
  const auto& begin = impl_->group_begin;
  return static_cast<int>(std::upper_bound(begin.begin(), begin.end(), row) - begin.begin()) - 1;
}

std::shared_ptr<arrow::Array> LevelTable::array(int column, int group) const {
  const std::pair key{column, group};
  if (!impl_->source->is_local()) return impl_->fetch(*this, column, group);
  {
    const std::lock_guard lock(impl_->mutex);
    if (const auto found = impl_->arrays.find(key); found != impl_->arrays.end()) return found->second;
  }
  auto decoded = decode(column, group);  // outside the lock: two threads may decode the same, one wins
  const std::lock_guard lock(impl_->mutex);
  return impl_->arrays.emplace(key, std::move(decoded)).first->second;
}

/// Threads that want the same row group wait for the one that asks, and columns that are needed together come together.
std::shared_ptr<arrow::Array> LevelTable::Impl::fetch(const LevelTable& table, int column, int group) const {
  std::unique_lock lock(mutex);
  for (;; fetched.wait(lock)) {
    if (const auto found = arrays.find({column, group}); found != arrays.end()) return found->second;
    if (!fetching.contains(group)) break;
  }
  const auto wanted = asked_for_with(column, group);
  fetching.insert(group);
  lock.unlock();
  Arrays decoded;
  std::exception_ptr failure;
  try {
    const auto bytes = wanted.empty() ? source : prefetched(source, ranges_of(wanted, group));
    decoded[{column, group}] = decode(table, column, group, bytes);
    std::vector<int> others = wanted;
    std::erase(others, column);
    decode_into(decoded, table, others, group, bytes);
  } catch (...) {
    failure = std::current_exception();
  }
  if (!wanted.empty()) forget_reader();  // and the bytes with it
  lock.lock();
  fetching.erase(group);
  fetched.notify_all();
  if (failure) std::rethrow_exception(failure);
  arrays.merge(decoded);
  return arrays.at({column, group});
}

int LevelTable::read_ahead(std::span<const int> columns, int group, int end) const {
  return impl_->source->is_local() ? end : impl_->read_ahead(*this, columns, group, end);
}

int LevelTable::Impl::read_ahead(const LevelTable& table, std::span<const int> some, int group, int end) const {
  constexpr std::size_t kMostGroups = 512;  // each decoded column looks through the ranges of all
  struct Part {
    int group;
    std::vector<int> columns;
  };
  std::vector<Part> parts;
  std::vector<ByteRange> ranges;
  uint64_t num_bytes = 0;
  std::unique_lock lock(mutex);
  fetched.wait(lock, [&] { return !fetching.contains(group); });
  int next = group;
  for (; next < end && parts.size() < kMostGroups && !fetching.contains(next); ++next) {
    Part part{next, {}};
    for (const int column : some) {
      if (!arrays.contains({column, next})) part.columns.push_back(column);
    }
    const auto more = ranges_of(part.columns, next);
    for (const ByteRange& range : more) num_bytes += std::min(range.size, source->size());
    if (num_bytes > kMostAhead && next > group) break;
    if (part.columns.empty()) continue;
    ranges.insert(ranges.end(), more.begin(), more.end());
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return next;
  for (const Part& part : parts) fetching.insert(part.group);
  lock.unlock();
  Arrays decoded;
  std::exception_ptr failure;
  try {
    const auto bytes = prefetched(source, std::move(ranges));
    for (const Part& part : parts) decode_into(decoded, table, part.columns, part.group, bytes);
  } catch (...) {
    failure = std::current_exception();
  }
  forget_reader();
  lock.lock();
  for (const Part& part : parts) fetching.erase(part.group);
  fetched.notify_all();
  if (failure) std::rethrow_exception(failure);
  arrays.merge(decoded);
  return next;
}

/// The columns of a row group that come with `column`, it included, as far as they are not here yet; none when it comes
/// alone. With the mutex held.
std::vector<int> LevelTable::Impl::asked_for_with(int column, int group) const {
  using Names = std::vector<std::string_view>;
  static const std::map<std::string_view, Names> kTogether = {
      // From a row to its bytes.
      {names::kType, {names::kOffset, names::kSize, names::kId, names::kSourceFile, names::kRelativePath}},
      {names::kSize, {names::kType, names::kOffset, names::kId, names::kSourceFile, names::kRelativePath}},
      // Whether offsets are in order, of all row groups.
      {names::kOffset, {names::kType, names::kSourceFile}},
      // Whose child a row is.
      {names::kSourceFile, {names::kParentId}},
      {names::kCurrentId, {names::kSourceFile}},
  };
  const auto others = kTogether.find(columns[static_cast<std::size_t>(column)].name);
  if (others == kTogether.end()) return {};
  std::vector<int> out = {column};
  for (const auto name : others->second) {
    const auto found = positions.find(name);
    if (found != positions.end() && !arrays.contains({found->second, group})) out.push_back(found->second);
  }
  return out.size() > 1 ? out : std::vector<int>();
}

std::vector<ByteRange> LevelTable::Impl::ranges_of(std::span<const int> some, int group) const {
  std::vector<ByteRange> out;
  const auto row_group = metadata->RowGroup(group);
  for (const int column : some) {
    for (const int leaf : leaf_columns[static_cast<std::size_t>(column)]) {
      const auto chunk = row_group->ColumnChunk(leaf);
      out.push_back({static_cast<uint64_t>(first_page(*chunk)), static_cast<uint64_t>(chunk->total_compressed_size())});
    }
  }
  return out;
}

void LevelTable::adopt(int column, const LevelTable& like, int like_column) const {
  std::shared_ptr<arrow::Array> values;
  {
    const std::lock_guard lock(like.impl_->mutex);
    const auto found = like.impl_->arrays.find({like_column, 0});
    if (found != like.impl_->arrays.end()) values = found->second;
  }
  if (!values || !impl_->stores_same(column, *like.impl_, like_column)) return;
  const std::lock_guard lock(impl_->mutex);
  impl_->arrays.emplace(std::pair{column, 0}, std::move(values));
}

bool LevelTable::Impl::stores_same(int column, const Impl& other, int other_column) const {
  const auto& leaf = leaf_columns[static_cast<std::size_t>(column)];
  const auto& other_leaf = other.leaf_columns[static_cast<std::size_t>(other_column)];
  if (from[static_cast<std::size_t>(column)] || other.from[static_cast<std::size_t>(other_column)] ||
      columns[static_cast<std::size_t>(column)] != other.columns[static_cast<std::size_t>(other_column)] ||
      leaf.size() != 1 || other_leaf.size() != 1 || metadata->num_row_groups() == 0 ||
      other.metadata->num_row_groups() == 0 || group_begin[1] != other.group_begin[1] ||
      !metadata->schema()->Column(leaf[0])->Equals(*other.metadata->schema()->Column(other_leaf[0])))
    return false;
  const auto group = metadata->RowGroup(0), other_group = other.metadata->RowGroup(0);
  const auto chunk = group->ColumnChunk(leaf[0]), other_chunk = other_group->ColumnChunk(other_leaf[0]);
  const auto bytes = bytes_of(*chunk), other_bytes = other.bytes_of(*other_chunk);
  return chunk->compression() == other_chunk->compression() && chunk->num_values() == other_chunk->num_values() &&
         chunk->has_dictionary_page() == other_chunk->has_dictionary_page() && !bytes.empty() &&
         std::ranges::equal(bytes, other_bytes);
}

std::span<const std::byte> LevelTable::Impl::bytes_of(const parquet::ColumnChunkMetaData& chunk) const {
  const auto begin = static_cast<uint64_t>(first_page(chunk)),
             size = static_cast<uint64_t>(chunk.total_compressed_size());
  if (tail.size() != source->size() || begin > tail.size() || size > tail.size() - begin) return {};
  return std::span(tail).subspan(begin, size);
}

parquet::arrow::FileReader& LevelTable::Impl::open_reader(const std::shared_ptr<const ByteSource>& bytes) const {
  if (!reader || reader_of != bytes) {
    reader.reset();
    reader_of = bytes;
    reader_source = std::make_shared<ArrowSource>(bytes);
    parquet::ArrowReaderProperties properties(/*use_threads=*/false);
    properties.set_pre_buffer(false);
    auto file = parquet::ParquetFileReader::Open(reader_source, parquet::ReaderProperties(pool), metadata);
    reader = check(parquet::arrow::FileReader::Make(pool, std::move(file), properties), where);
  }
  return *reader;
}

void LevelTable::Impl::forget_reader() const {
  const std::lock_guard lock(reader_mutex);
  reader.reset();
  reader_source.reset();
  reader_of.reset();
}

/// The footer of a nested Tortilla: there may be a million of them, whose columns are all asked for, some of them
/// twice.
bool LevelTable::Impl::is_small() const {
  constexpr int64_t kMost = 1 << 20;  // bytes, unpacked
  return !made.empty() && tail.size() == source->size() && metadata->num_row_groups() == 1 &&
         metadata->RowGroup(0)->total_byte_size() <= kMost;
}

/// A stored column of a small table, or nullptr where one of them is damaged.
std::shared_ptr<arrow::Array> LevelTable::Impl::small_array(int column) const {
  std::call_once(read_at_once, [&] {
    const std::lock_guard lock(reader_mutex);
    try {
      const auto table = check(open_reader(source).ReadRowGroup(0), where);
      int leaf = 0;
      for (int c = 0; c < table->num_columns(); ++c) {
        if (table->column(c)->num_chunks() == 1) small.emplace(leaf, table->column(c)->chunk(0));
        leaf += leaves(*table->field(c)->type());
      }
    } catch (const std::exception&) {
      reader.reset();  // one by one they say which it is
    }
  });
  const auto found = small.find(leaf_columns[static_cast<std::size_t>(column)][0]);
  return found == small.end() ? nullptr : found->second;
}

std::shared_ptr<arrow::Array> LevelTable::Impl::decode_any(int column, int group,
                                                           const std::shared_ptr<const ByteSource>& bytes) const {
  const std::lock_guard lock(reader_mutex);
  try {
    const auto table =
        check(open_reader(bytes).ReadRowGroup(group, leaf_columns[static_cast<std::size_t>(column)]), where);
    if (table->num_columns() != 1) {
      throw FormatError("Parquet: one column expected, " + std::to_string(table->num_columns()) + " read", where);
    }
    const auto& chunks = table->column(0)->chunks();
    if (chunks.size() == 1) return chunks[0];
    return chunks.empty() ? check(arrow::MakeEmptyArray(table->column(0)->type()), where)
                          : check(arrow::Concatenate(chunks, pool), where);
  } catch (...) {
    // It may be in any state, and keeps what went wrong.
    reader.reset();
    const auto failed = std::exchange(reader_source, nullptr);
    if (failed) failed->rethrow();
    throw;
  }
}

std::shared_ptr<arrow::Array> LevelTable::decode(int column, int group) const {
  return impl_->decode(*this, column, group, impl_->source);
}

std::vector<std::shared_ptr<arrow::Array>> LevelTable::decode(std::span<const int> columns, int group) const {
  Impl::Arrays decoded;
  impl_->decode_into(decoded, *this, columns, group, prefetched(impl_->source, impl_->ranges_of(columns, group)));
  impl_->forget_reader();  // and the bytes with it
  std::vector<std::shared_ptr<arrow::Array>> out;
  for (const int column : columns) out.push_back(decoded[{column, group}]);
  return out;
}

void LevelTable::Impl::decode_into(Arrays& out, const LevelTable& table, std::span<const int> some, int group,
                                   const std::shared_ptr<const ByteSource>& bytes) const {
  for (const int column : some) {
    try {
      out[{column, group}] = decode(table, column, group, bytes);
    } catch (const Error&) {  // is told when it is asked for alone
    }
  }
}

std::shared_ptr<arrow::Array> LevelTable::Impl::decode(const LevelTable& table, int column, int group,
                                                       const std::shared_ptr<const ByteSource>& bytes) const {
  const int64_t rows = table.group_begin(group + 1) - table.group_begin(group);
  const auto file = std::make_shared<ArrowSource>(bytes);
  const DerivedColumn* derived = table.derived(column);
  try {
    std::shared_ptr<arrow::Array> values;
    if (derived && derived->kind == DerivedColumn::Kind::Constant) return constant_array(derived->text, rows);
    if (is_small()) values = small_array(column);
    if (values) {
      // All were read at once.
    } else if (is_flat_text(column)) {
      auto opened = parquet::ParquetFileReader::Open(file, parquet::ReaderProperties(pool), metadata);
      const int leaf = leaf_columns[static_cast<std::size_t>(column)][0];
      values = decode_text(*opened->RowGroup(group)->Column(leaf), rows, pool);
    } else {
      values = decode_any(column, group, bytes);
    }
    if (values->length() != rows) {
      throw FormatError("column " + quoted(columns[static_cast<std::size_t>(column)].name) + " has " +
                            std::to_string(values->length()) + " rows in row group " + std::to_string(group) + ", " +
                            std::to_string(rows) + " expected",
                        where);
    }
    if (derived) return derive_array(*derived, values, table.group_begin(group), where);
    if (column == table.find(names::kId)) check_ids(*values, table.group_begin(group), where);
    return values;
  } catch (const parquet::ParquetException& error) {
    file->rethrow();
    throw FormatError(std::string("Parquet: ") + error.what(), where);
  } catch (const Error&) {
    file->rethrow();
    throw;
  }
}

std::optional<std::string> LevelTable::text(int column, int64_t row) const {
  const int group = group_of(row);
  const auto values = array(column, group);
  const auto cell = text_cell(*values, row - group_begin(group));
  return cell ? std::optional<std::string>(*cell) : std::nullopt;
}

std::optional<std::string> LevelTable::binary(int column, int64_t row) const {
  const int group = group_of(row);
  const auto values = array(column, group);
  const auto cell = binary_cell(*values, row - group_begin(group));
  return cell ? std::optional<std::string>(*cell) : std::nullopt;
}

std::optional<int64_t> LevelTable::integer(int column, int64_t row) const {
  const int group = group_of(row);
  return integer_cell(*array(column, group), row - group_begin(group));
}

namespace {

template <class Typed>
std::optional<double> largest(const parquet::Statistics& statistics) {
  const auto* s = dynamic_cast<const Typed*>(&statistics);
  if (!s || !s->HasMinMax()) return std::nullopt;
  return std::max(std::abs(static_cast<double>(s->min())), std::abs(static_cast<double>(s->max())));
}

}  // namespace

std::optional<double> LevelTable::magnitude(int column) const {
  double out = 0;
  for (int g = 0; g < num_row_groups(); ++g) {
    const auto s = impl_->statistics(column, g);
    if (!s) return std::nullopt;
    if (s->HasNullCount() && s->num_values() == 0) continue;  // all null
    auto group = largest<parquet::Int64Statistics>(*s);
    if (!group) group = largest<parquet::Int32Statistics>(*s);
    if (!group) group = largest<parquet::DoubleStatistics>(*s);
    if (!group) group = largest<parquet::FloatStatistics>(*s);
    if (!group) return std::nullopt;
    out = std::max(out, *group);
  }
  return out;
}

bool LevelTable::holds_only(int column, int group, std::string_view value) const {
  const auto stats = impl_->statistics(column, group);
  const auto* s = dynamic_cast<const parquet::ByteArrayStatistics*>(stats.get());
  if (!s || !s->HasMinMax() || !s->HasNullCount() || s->null_count() > 0 || s->min() != s->max()) return false;
  const std::string_view all(s->min());
  const auto* made = derived(column);
  if (!made || made->kind == DerivedColumn::Kind::Copy) return all == value;
  return made->kind == DerivedColumn::Kind::Type && is_nested(all) == (value == "FOLDER");
}

std::optional<int64_t> LevelTable::smallest(int column, int group) const {
  const auto stats = impl_->statistics(column, group);
  const auto* s = dynamic_cast<const parquet::Int64Statistics*>(stats.get());
  if (!s || !s->HasMinMax()) return std::nullopt;
  const auto* made = derived(column);
  return s->min() + (made ? made->add : 0);
}

bool LevelTable::may_hold(int column, int group, std::string_view value) const {
  if (const auto* made = derived(column); made && made->kind != DerivedColumn::Kind::Copy) {
    if (made->kind != DerivedColumn::Kind::Type || value != "FOLDER") return true;
    // Any spelling of it lies between these two.
    const auto stats = impl_->statistics(column, group);
    const auto* s = dynamic_cast<const parquet::ByteArrayStatistics*>(stats.get());
    return !s || !s->HasMinMax() ||
           (std::string_view(s->min()) <= "tortilla" && std::string_view(s->max()) >= "TORTILLA");
  }
  const auto stats = impl_->statistics(column, group);
  const auto* s = dynamic_cast<const parquet::ByteArrayStatistics*>(stats.get());
  if (!s || !s->HasMinMax()) return true;
  return std::string_view(s->min()) <= value && value <= std::string_view(s->max());
}

std::string LevelTable::why_wrong_statistics(int column, int group) const {
  const auto file = std::make_shared<ArrowSource>(impl_->source);
  try {
    const auto reader = parquet::ParquetFileReader::Open(file, parquet::ReaderProperties(impl_->pool), impl_->metadata);
    const auto rows = reader->RowGroup(group);
    for (const int leaf : impl_->leaf_columns[static_cast<std::size_t>(column)]) {
      const auto stated = rows->metadata()->ColumnChunk(leaf)->statistics();
      if (!stated || impl_->metadata->schema()->Column(leaf)->max_repetition_level() > 0) continue;
      if (auto why = tacore::why_wrong_statistics(*rows->Column(leaf), *stated); !why.empty()) return why;
    }
    return "";
  } catch (const parquet::ParquetException& error) {
    file->rethrow();
    throw FormatError(std::string("Parquet: ") + error.what(), impl_->where);
  }
}

int64_t LevelTable::num_visible_rows() const {
  if (!may_have_padding()) return num_rows();
  int64_t padding = impl_->num_padding;
  if (padding < 0) {
    padding = 0;
    for (int g = 0; g < num_row_groups(); ++g) {
      if (impl_->padding_possible(g)) padding += padding_in(g);
    }
    impl_->num_padding = padding;
  }
  return num_rows() - padding;
}

int64_t LevelTable::padding_in(int group) const {
  // A pass over a large table is not a reason to keep it in memory.
  const auto values = [&](int column) { return num_row_groups() > 1 ? decode(column, group) : array(column, group); };
  // FILEs of padding have no bytes, and sizes cost a tenth of what ids do.
  const bool only_files = !may_hold(find(names::kType), group, "FOLDER");
  if (const int size = find(names::kSize); only_files && size >= 0) {
    const auto sizes = values(size);
    bool empty = false;
    for (int64_t i = 0; i < sizes->length() && !empty; ++i) empty = integer_cell(*sizes, i).value_or(0) <= 0;
    if (!empty) return 0;
  }
  const auto ids = values(find(names::kId));
  int64_t out = 0;
  for (int64_t i = 0; i < ids->length(); ++i) {
    const auto cell = text_cell(*ids, i);
    if (cell && is_padding_id(*cell)) ++out;
  }
  return out;
}

}  // namespace tacore
