#include "table/level_table.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/concatenate.h>
#include <arrow/memory_pool.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/config.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/checked_math.hpp"
#include "base/little_endian.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "io/memory_source.hpp"
#include "model/identifier.hpp"
#include "table/arrow_error.hpp"
#include "table/arrow_source.hpp"
#include "table/page_check.hpp"

namespace tacore {
namespace {

// The first guess at how long a footer is: one read serves levels of a few row groups.
constexpr uint64_t kTailGuess = 16 * 1024;
constexpr uint64_t kFooterEnd = 8;  // length and magic
// Thrift expands a footer some tenfold; 64 MiB of it is far beyond any level of six.
constexpr uint64_t kMaxFooter = 64 * 1024 * 1024;
// A row number and its level share 64 bits (RowKey); no published level comes near.
constexpr int64_t kMaxRows = int64_t{1} << 40;

/// Refuses single allocations that no honest file of this size needs, so that a page header that lies about its
/// size costs nothing.
class BoundedPool : public arrow::MemoryPool {
 public:
  explicit BoundedPool(int64_t limit) : limit_(limit) {}

  using MemoryPool::Allocate;
  using MemoryPool::Free;
  using MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override {
    ARROW_RETURN_NOT_OK(bounded(size));
    return pool_->Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** pointer) override {
    ARROW_RETURN_NOT_OK(bounded(new_size));
    return pool_->Reallocate(old_size, new_size, alignment, pointer);
  }
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override {
    pool_->Free(buffer, size, alignment);
  }
  int64_t bytes_allocated() const override { return pool_->bytes_allocated(); }
  int64_t max_memory() const override { return pool_->max_memory(); }
  int64_t total_bytes_allocated() const override { return pool_->total_bytes_allocated(); }
  int64_t num_allocations() const override { return pool_->num_allocations(); }
  std::string backend_name() const override { return pool_->backend_name(); }

 private:
  arrow::Status bounded(int64_t size) const {
    if (size <= limit_) return arrow::Status::OK();
    return arrow::Status::Invalid("asks for ", size, " bytes at once, at most ", limit_,
                                  " fit a file of this size");
  }

  arrow::MemoryPool* pool_ = arrow::default_memory_pool();
  int64_t limit_;
};

/// The pool for files of about this size. An array keeps a bare pointer to its pool and may outlive its level (a consumer of
/// export_stream() holds it for as long as it likes), so there is one pool for each power of two, and none is ever destroyed.
arrow::MemoryPool* pool_for(uint64_t file_size) {
  constexpr std::size_t kMaxBits = 40;
  static auto& pools = *[] {
    auto* all = new std::vector<BoundedPool>;
    for (std::size_t bits = 0; bits <= kMaxBits; ++bits) all->emplace_back((int64_t{128} << 20) + (int64_t{64} << bits));
    return all;
  }();
  return &pools[std::min<std::size_t>(kMaxBits, static_cast<std::size_t>(std::bit_width(file_size)))];
}

/// The end of a Parquet file, at least its whole footer.
Bytes read_tail(const ByteSource& source, const ErrorContext& where) {
  const uint64_t size = source.size();
  if (size < kFooterEnd + 4) {
    throw FormatError("not Parquet: " + std::to_string(size) + " bytes, at least 12 expected", where);
  }
  uint64_t length = std::min(size, kTailGuess);
  Bytes tail = source.read({size - length, length});
  Cursor end(std::span<const std::byte>(tail).last(kFooterEnd), "Parquet end");
  const uint64_t footer = end.u32();
  const std::string_view magic = end.text(4);
  if (magic == "PARE") throw FormatError("Parquet footer is encrypted; plain expected", where);
  if (magic != "PAR1") throw FormatError("not Parquet: ends with " + quoted(magic) + ", 'PAR1' expected", where);
  if (footer > size - kFooterEnd - 4 || footer > kMaxFooter) {
    throw FormatError("Parquet footer of " + std::to_string(footer) + " bytes in a file of " +
                          std::to_string(size), where);
  }
  if (footer + kFooterEnd > length) {
    length = footer + kFooterEnd;
    tail = source.read({size - length, length});
  }
  return tail;
}

std::shared_ptr<parquet::FileMetaData> parse_footer(const Bytes& tail, const ErrorContext& where) {
  Cursor end(std::span<const std::byte>(tail).last(kFooterEnd), "Parquet end");
  uint32_t length = end.u32();
  const std::byte* begin = tail.data() + tail.size() - kFooterEnd - length;
  try {
#if ARROW_VERSION_MAJOR >= 26
    return parquet::FileMetaData::Make(begin, static_cast<int64_t>(length));
#else
    return parquet::FileMetaData::Make(begin, &length);
#endif
  } catch (const parquet::ParquetException& error) {
    throw FormatError(std::string("Parquet footer: ") + error.what(), where);
  }
}

bool is_text(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DICTIONARY) {
    return is_text(*static_cast<const arrow::DictionaryType&>(type).value_type());
  }
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::LARGE_STRING ||
         type.id() == arrow::Type::STRING_VIEW;
}

/// True when one pass over the bytes of all ids finds nothing to look at more closely: plain ASCII without slash and NUL, none null or empty,
/// none of one or two bytes that starts with a dot.
bool are_plain(const arrow::Array& ids) {
  if (ids.type_id() != arrow::Type::STRING || ids.null_count() > 0) return false;
  const auto& strings = static_cast<const arrow::StringArray&>(ids);
  const uint8_t* bytes = strings.raw_data();
  for (int64_t i = 0; i < strings.length(); ++i) {
    const int32_t length = strings.value_length(i);
    if (length == 0 || (length <= 2 && bytes[strings.value_offset(i)] == '.')) return false;
  }
  if (strings.length() == 0) return true;
  bytes += strings.value_offset(0);
  const auto size = static_cast<std::size_t>(strings.total_values_length());
  for (const char unsafe : {'/', '\\', '\0'}) {
    if (std::memchr(bytes, unsafe, size)) return false;
  }
  uint64_t all = 0, word = 0;
  std::size_t i = 0;
  for (; i + sizeof word <= size; i += sizeof word) {
    std::memcpy(&word, bytes + i, sizeof word);
    all |= word;
  }
  for (; i < size; ++i) all |= bytes[i];
  return (all & 0x8080808080808080) == 0;
}

/// Ids name files and rows: none may be null, lead out of its folder, or be other than text.
void check_ids(const arrow::Array& ids, int64_t first, const ErrorContext& where) {
  if (are_plain(ids)) return;
  for (int64_t i = 0; i < ids.length(); ++i) {
    const auto id = text_cell(ids, i);
    std::string why = id ? why_unsafe_id(*id) : "is null";
    if (why.empty() && !is_utf8(*id)) why = "is not UTF-8";
    if (!why.empty()) {
      throw FormatError("row " + std::to_string(first + i) + ": id " + (id ? quoted(*id) + " " : "") + why, where);
    }
  }
}

/// A flat column of text. Arrow's own reader appends values one at a time behind three checks each, which takes three times as long; ids
/// are what the first read of a sample waits for.
std::shared_ptr<arrow::Array> decode_text(parquet::ColumnReader& column, int64_t rows, arrow::MemoryPool* pool) {
  constexpr int64_t kBatch = 4096;
  auto& reader = static_cast<parquet::ByteArrayReader&>(column);
  const bool nullable = column.descr()->max_definition_level() > 0;
  std::vector<int16_t> levels(kBatch);
  std::vector<parquet::ByteArray> values(kBatch);
  arrow::StringBuilder builder(pool);
  check(builder.Reserve(rows));
  while (builder.length() < rows && reader.HasNext()) {
    int64_t num_values = 0;
    const int64_t count = reader.ReadBatch(std::min(kBatch, rows - builder.length()), nullable ? levels.data() : nullptr, nullptr,
                                           values.data(), &num_values);
    if (count == 0) break;
    // A page that is cut short has fewer values than levels.
    const int64_t num_present = nullable ? std::count(levels.begin(), levels.begin() + count, int16_t{1}) : count;
    if (num_present != num_values) throw parquet::ParquetException("a page has fewer values than it counts");
    int64_t bytes = 0;
    for (int64_t i = 0; i < num_values; ++i) bytes += values[static_cast<std::size_t>(i)].len;
    check(builder.ReserveData(bytes));
    std::size_t next = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (nullable && levels[static_cast<std::size_t>(i)] != 1) {
        builder.UnsafeAppendNull();
      } else {
        const parquet::ByteArray& value = values[next++];
        builder.UnsafeAppend(value.ptr, static_cast<int32_t>(value.len));
      }
    }
  }
  return check(builder.Finish());
}

int leaves(const arrow::DataType& type) {
  if (type.num_fields() == 0) return 1;
  int count = 0;
  for (const auto& field : type.fields()) count += leaves(*field->type());
  return count;
}

}  // namespace

struct LevelTable::Impl {
  std::shared_ptr<const ByteSource> source;
  ErrorContext where;
  Bytes tail;
  std::shared_ptr<parquet::FileMetaData> metadata;
  arrow::MemoryPool* pool = nullptr;
  std::vector<Column> columns;
  std::map<std::string, int, std::less<>> positions;
  std::vector<std::vector<int>> leaf_columns;  ///< of each column, in the file
  std::vector<int64_t> group_begin;
  bool may_have_padding = true;

  mutable std::atomic<int64_t> num_padding = -1;  ///< not counted yet
  mutable std::once_flag pages_made;
  mutable std::unique_ptr<PageCheck> pages;
  mutable std::mutex mutex;
  mutable std::map<std::pair<int, int>, std::shared_ptr<arrow::Array>> arrays;

  void open();
  void read_schema();
  void check_column(const std::string& name, const arrow::DataType& type) const;
  void read_groups();
  std::vector<ColumnChunk> chunks() const;
  bool padding_possible() const;
  bool padding_possible(int group) const;
  std::shared_ptr<parquet::Statistics> statistics(int column, int group) const;
  bool is_flat_text(int column) const;
};

void LevelTable::Impl::open() {
  tail = read_tail(*source, where);
  // A small table is here whole by now: it is not read again.
  if (tail.size() == source->size()) source = memory_source(source->name(), tail);
  metadata = parse_footer(tail, where);
  pool = pool_for(source->size());
  read_schema();
  read_groups();
  may_have_padding = padding_possible();
}

void LevelTable::Impl::check_column(const std::string& name, const arrow::DataType& type) const {
  const bool text = is_text(type), integer = arrow::is_integer(type.id());
  const bool text_column = name == names::kId || name == names::kType || name == names::kRelativePath ||
                           name == names::kSourceFile;
  const bool integer_column = name == names::kCurrentId || name == names::kOffset || name == names::kSize;
  const bool either = name == names::kParentId;
  if ((text_column && !text) || (integer_column && !integer) || (either && !text && !integer)) {
    throw SchemaError("column " + quoted(name) + " has type " + type_name(type) + ", " +
                          (text_column ? "string" : "int64") + " expected", where);
  }
}

void LevelTable::Impl::read_schema() {
  std::shared_ptr<arrow::Schema> schema;
  try {
    check(parquet::arrow::FromParquetSchema(metadata->schema(), parquet::default_arrow_reader_properties(),
                                            metadata->key_value_metadata(), &schema), where);
  } catch (const parquet::ParquetException& error) {
    throw FormatError(std::string("Parquet schema: ") + error.what(), where);
  }
  std::map<std::string, int> folded;
  int leaf = 0;
  for (const auto& field : schema->fields()) {
    std::string name = field->name();
    if (!is_utf8(name) || name.find('\0') != std::string::npos) {
      throw FormatError("column name " + quoted(name) + " is not text", where);
    }
    check_column(name, *field->type());
    while (!folded.emplace(lower(name), 0).second) {
      name = field->name() + "_" + std::to_string(++folded[lower(field->name())]);
    }
    positions.emplace(name, static_cast<int>(columns.size()));
    columns.push_back({name, type_name(*field->type())});
    leaf_columns.emplace_back();
    for (int n = leaves(*field->type()); n > 0; --n) leaf_columns.back().push_back(leaf++);
  }
  if (leaf != metadata->num_columns()) {
    throw FormatError("Parquet schema has " + std::to_string(metadata->num_columns()) + " leaves, its columns " +
                          std::to_string(leaf), where);
  }
  for (const auto name : {names::kId, names::kType}) {
    if (!positions.contains(name)) throw SchemaError("no column " + quoted(name), where);
  }
}

void LevelTable::Impl::read_groups() {
  int64_t begin = 0;
  for (int g = 0; g < metadata->num_row_groups(); ++g) {
    group_begin.push_back(begin);
    const int64_t rows = metadata->RowGroup(g)->num_rows();
    if (rows < 0) throw FormatError("row group " + std::to_string(g) + " has a negative row count", where);
    begin = checked_add(begin, rows, "row count");
    if (begin > kMaxRows) throw FormatError("level has " + std::to_string(begin) + " rows, at most 2^40 are supported", where);
  }
  group_begin.push_back(begin);
  if (begin != metadata->num_rows()) {
    throw FormatError("Parquet footer counts " + std::to_string(metadata->num_rows()) + " rows, its row groups " +
                          std::to_string(begin), where);
  }
}

bool LevelTable::Impl::is_flat_text(int column) const {
  const auto& leaf = leaf_columns[static_cast<std::size_t>(column)];
  if (leaf.size() != 1 || columns[static_cast<std::size_t>(column)].type != "string") return false;
  const auto* stored = metadata->schema()->Column(leaf[0]);
  return stored->physical_type() == parquet::Type::BYTE_ARRAY && stored->max_repetition_level() == 0 && stored->max_definition_level() <= 1;
}

std::vector<ColumnChunk> LevelTable::Impl::chunks() const {
  const auto value_size = [&](int leaf) -> uint64_t {
    const auto* column = metadata->schema()->Column(leaf);
    switch (column->physical_type()) {
      case parquet::Type::FIXED_LEN_BYTE_ARRAY:
        return static_cast<uint64_t>(std::max(column->type_length(), 1));
      case parquet::Type::INT64:
      case parquet::Type::DOUBLE:
        return 8;
      case parquet::Type::INT96:
        return 12;
      case parquet::Type::BOOLEAN:
        return 1;
      default:
        return 4;  // a text has its length before it
    }
  };
  std::vector<ColumnChunk> out;
  for (int g = 0; g < metadata->num_row_groups(); ++g) {
    const auto group = metadata->RowGroup(g);
    for (int leaf = 0; leaf < metadata->num_columns(); ++leaf) {
      const auto chunk = group->ColumnChunk(leaf);
      int64_t begin = chunk->data_page_offset();
      if (chunk->has_dictionary_page() && chunk->dictionary_page_offset() > 0) begin = std::min(begin, chunk->dictionary_page_offset());
      const int64_t size = chunk->total_compressed_size();
      if (begin < 0 || size < 0) throw FormatError("column " + std::to_string(leaf) + " has a negative place", where);
      out.push_back({static_cast<uint64_t>(begin), static_cast<uint64_t>(size),
                     static_cast<uint64_t>(std::max<int64_t>(chunk->total_uncompressed_size(), 0)), value_size(leaf)});
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
  if (const auto size = positions.find(names::kSize); size != positions.end()) {
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
  auto impl = std::make_unique<Impl>();
  impl->source = std::move(source);
  impl->where = where;
  impl->open();
  return std::shared_ptr<const LevelTable>(new LevelTable(std::move(impl)));
}

int64_t LevelTable::num_rows() const noexcept { return impl_->group_begin.back(); }
const std::vector<Column>& LevelTable::columns() const noexcept { return impl_->columns; }
int LevelTable::num_row_groups() const noexcept { return static_cast<int>(impl_->group_begin.size()) - 1; }
bool LevelTable::may_have_padding() const noexcept { return impl_->may_have_padding; }
const std::shared_ptr<const ByteSource>& LevelTable::source() const noexcept { return impl_->source; }
const Bytes& LevelTable::tail() const noexcept { return impl_->tail; }
const ErrorContext& LevelTable::where() const noexcept { return impl_->where; }

void LevelTable::check_pages(uint64_t offset, std::span<const std::byte> bytes) const {
  std::call_once(impl_->pages_made, [&] { impl_->pages = std::make_unique<PageCheck>(impl_->chunks(), impl_->source, impl_->where); });
  impl_->pages->check(offset, bytes);
}

int64_t LevelTable::group_begin(int group) const {
  return impl_->group_begin[static_cast<std::size_t>(group)];
}

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
  {
    const std::lock_guard lock(impl_->mutex);
    if (const auto found = impl_->arrays.find(key); found != impl_->arrays.end()) return found->second;
  }
  auto decoded = decode(column, group);  // outside the lock: two threads may decode the same, one wins
  const std::lock_guard lock(impl_->mutex);
  return impl_->arrays.emplace(key, std::move(decoded)).first->second;
}

std::shared_ptr<arrow::Array> LevelTable::decode(int column, int group) const {
  const auto file = std::make_shared<ArrowSource>(impl_->source);
  const ErrorContext& where = impl_->where;
  const std::vector<int>& leaf = impl_->leaf_columns[static_cast<std::size_t>(column)];
  const int64_t rows = group_begin(group + 1) - group_begin(group);
  try {
    auto parquet_file = parquet::ParquetFileReader::Open(file, parquet::ReaderProperties(impl_->pool),
                                                         impl_->metadata);
    std::shared_ptr<arrow::Array> values;
    if (impl_->is_flat_text(column)) {
      values = decode_text(*parquet_file->RowGroup(group)->Column(leaf[0]), rows, impl_->pool);
    } else {
      parquet::ArrowReaderProperties properties(/*use_threads=*/false);
      properties.set_pre_buffer(false);
      const auto reader = check(parquet::arrow::FileReader::Make(impl_->pool, std::move(parquet_file), properties), where);
      const auto table = check(reader->ReadRowGroup(group, leaf), where);
      if (table->num_columns() != 1) throw FormatError("Parquet: one column expected, " + std::to_string(table->num_columns()) + " read", where);
      const auto& chunks = table->column(0)->chunks();
      values = chunks.size() == 1 ? chunks[0]
               : chunks.empty()   ? check(arrow::MakeEmptyArray(table->column(0)->type()), where)
                                  : check(arrow::Concatenate(chunks, impl_->pool), where);
    }
    if (values->length() != rows) {
      throw FormatError("column " + quoted(columns()[static_cast<std::size_t>(column)].name) + " has " + std::to_string(values->length()) +
                            " rows in row group " + std::to_string(group) + ", " + std::to_string(rows) + " expected", where);
    }
    if (column == find(names::kId)) check_ids(*values, group_begin(group), where);
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

bool LevelTable::may_hold(int column, int group, std::string_view value) const {
  const auto stats = impl_->statistics(column, group);
  const auto* s = dynamic_cast<const parquet::ByteArrayStatistics*>(stats.get());
  if (!s || !s->HasMinMax()) return true;
  return std::string_view(s->min()) <= value && value <= std::string_view(s->max());
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
  // Padding has no bytes, and sizes cost a tenth of what ids do.
  if (const int size = find(names::kSize); size >= 0) {
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

std::optional<std::string_view> text_cell(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return std::nullopt;
  switch (array.type_id()) {
    case arrow::Type::STRING:
      return static_cast<const arrow::StringArray&>(array).GetView(row);
    case arrow::Type::LARGE_STRING:
      return static_cast<const arrow::LargeStringArray&>(array).GetView(row);
    case arrow::Type::STRING_VIEW:
      return static_cast<const arrow::StringViewArray&>(array).GetView(row);
    case arrow::Type::DICTIONARY: {
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(array);
      return text_cell(*encoded.dictionary(), encoded.GetValueIndex(row));
    }
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> integer_cell(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return std::nullopt;
  switch (array.type_id()) {
    case arrow::Type::INT64:
      return static_cast<const arrow::Int64Array&>(array).Value(row);
    case arrow::Type::INT32:
      return static_cast<const arrow::Int32Array&>(array).Value(row);
    case arrow::Type::UINT64: {
      const uint64_t value = static_cast<const arrow::UInt64Array&>(array).Value(row);
      return value > INT64_MAX ? std::nullopt : std::optional(static_cast<int64_t>(value));
    }
    case arrow::Type::UINT32:
      return static_cast<const arrow::UInt32Array&>(array).Value(row);
    case arrow::Type::INT16:
      return static_cast<const arrow::Int16Array&>(array).Value(row);
    case arrow::Type::UINT16:
      return static_cast<const arrow::UInt16Array&>(array).Value(row);
    case arrow::Type::INT8:
      return static_cast<const arrow::Int8Array&>(array).Value(row);
    case arrow::Type::UINT8:
      return static_cast<const arrow::UInt8Array&>(array).Value(row);
    default:
      return std::nullopt;
  }
}

std::string type_name(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
      return (type.id() == arrow::Type::LIST ? "list<item: " : "large_list<item: ") +
             type_name(*type.field(0)->type()) + ">";
    case arrow::Type::FIXED_SIZE_LIST:
      return "fixed_size_list<item: " + type_name(*type.field(0)->type()) + ">[" +
             std::to_string(static_cast<const arrow::FixedSizeListType&>(type).list_size()) + "]";
    case arrow::Type::STRUCT: {
      std::string out = "struct<";
      for (const auto& field : type.fields()) {
        if (out.size() > 7) out += ", ";
        out += field->name() + ": " + type_name(*field->type());
      }
      return out + ">";
    }
    default:
      return type.ToString();
  }
}

}  // namespace tacore
