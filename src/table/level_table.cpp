#include "table/level_table.hpp"

#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>

#include <algorithm>
#include <functional>

#include "base/checked_math.hpp"
#include "base/crc32.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "io/memory_source.hpp"
#include "table/arrow_error.hpp"
#include "table/bounded_pool.hpp"
#include "table/cells.hpp"
#include "table/derived_column.hpp"
#include "table/level_table_impl.hpp"
#include "table/parquet_footer.hpp"

namespace tacore {
namespace {

// A row number and its level share 64 bits (RowKey); no published level comes near this limit.
constexpr int64_t kMaxRows = int64_t{1} << 40;

}  // namespace

int LevelTable::Impl::leaves(const arrow::DataType& type) {
  if (type.num_fields() == 0) return 1;
  int count = 0;
  for (const auto& field : type.fields()) count += leaves(*field->type());
  return count;
}

void LevelTable::Impl::open(const Derive& derive, const Impl* like) {
  origin = source;
  is_local = source->is_local();
  tail = read_parquet_tail(*source, where);
  // A small table is wholly in memory by now: it is not read again.
  if (tail.size() == source->size()) source = memory_source(source->name(), tail);
  metadata = parse_parquet_footer(tail, where);
  pool = bounded_pool(source->size());
  if (like && like->made.empty() && has_schema_of(*like)) {
    take_columns(*like);
  } else {
    read_stored_columns();
    derive_columns(derive);
    show_columns();
  }
  read_groups();
  may_have_padding = !derive && padding_possible();
}

/// The columns follow from the schema of Parquet and from that of Arrow, which writers store beside it.
bool LevelTable::Impl::has_schema_of(const Impl& other) const {
  static const std::string kArrowSchema = "ARROW:schema";
  const auto arrow_schema = [&](const parquet::FileMetaData& file) {
    const auto& pairs = file.key_value_metadata();
    const int at = pairs ? pairs->FindKey(kArrowSchema) : -1;
    return at < 0 ? std::string_view() : std::string_view(pairs->value(at));
  };
  return arrow_schema(*metadata) == arrow_schema(*other.metadata) &&
         metadata->schema()->schema_root()->Equals(other.metadata->schema()->schema_root().get());
}

void LevelTable::Impl::take_columns(const Impl& like) {
  columns = like.columns;
  schema = like.schema;
  positions = like.positions;
  leaf_columns = like.leaf_columns;
  file_columns = like.file_columns;
  file_leaves = like.file_leaves;
  from = like.from;
}

void LevelTable::Impl::check_column(const std::string& name, const arrow::DataType& type) const {
  const bool text = is_text(type), integer = arrow::is_integer(type.id());
  const bool text_column =
      name == names::kId || name == names::kType || name == names::kRelativePath || name == names::kSourceFile;
  const bool integer_column = name == names::kCurrentId || name == names::kOffset || name == names::kSize;
  const bool either = name == names::kParentId;
  if ((text_column && !text) || (integer_column && !integer) || (either && !text && !integer)) {
    throw SchemaError("column " + in_quotes(name) + " has type " + type_name(type) + ", " +
                          (text_column ? "string" : "int64") + " expected",
                      where);
  }
}

void LevelTable::Impl::read_stored_columns() {
  try {
    check(parquet::arrow::FromParquetSchema(metadata->schema(), parquet::default_arrow_reader_properties(),
                                            metadata->key_value_metadata(), &schema),
          where);
  } catch (const parquet::ParquetException& error) {
    throw FormatError(std::string("Parquet schema: ") + error.what(), where);
  }
  schema = schema->RemoveMetadata();
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
}

void LevelTable::Impl::derive_columns(const Derive& derive) {
  if (derive) {
    std::vector<Column> stored;
    for (const auto& field : schema->fields()) stored.push_back({field->name(), type_name(*field->type())});
    made = derive(stored);
  }
  file_columns = name_columns();
}

void LevelTable::Impl::show_derived(const DerivedColumn& column) {
  const int at = column.from.empty() ? -1 : schema->GetFieldIndex(column.from);
  if (at < 0 && column.kind != DerivedColumn::Kind::Constant)
    throw SchemaError("no column " + in_quotes(column.from), where);
  const auto type = derived_type(column, at < 0 ? nullptr : schema->field(at)->type(), where);
  show(column.name, *type, at < 0 ? std::vector<int>() : file_leaves[static_cast<std::size_t>(at)], &column);
}

void LevelTable::Impl::show_columns() {
  const auto is_shown_first = [](const DerivedColumn& column) {
    return column.name == names::kId || column.name == names::kType;
  };
  for (const auto& column : made) {
    if (is_shown_first(column)) show_derived(column);
  }
  // Stored columns in the order of the file, or what replaces them.
  for (std::size_t c = 0; c < file_columns.size(); ++c) {
    const std::string& name = file_columns[c];
    const bool is_hidden = std::ranges::any_of(made, [&](const DerivedColumn& column) {
      return column.kind == DerivedColumn::Kind::Hidden && column.from == name;
    });
    if (is_hidden) continue;
    const auto replaced = std::ranges::find_if(
        made, [&](const DerivedColumn& column) { return column.name == name && column.from == name; });
    if (replaced == made.end()) {
      const auto& type = *schema->field(static_cast<int>(c))->type();
      check_column(name, type);
      show(name, type, file_leaves[c], nullptr);
    } else if (!is_shown_first(*replaced)) {
      show_derived(*replaced);
    }
  }
  for (const auto& column : made) {
    if (column.kind != DerivedColumn::Kind::Hidden && !positions.contains(column.name)) show_derived(column);
  }
  for (const auto name : {names::kId, names::kType}) {
    if (!positions.contains(name)) throw SchemaError("no column " + in_quotes(name), where);
  }
}

void LevelTable::Impl::show(const std::string& name, const arrow::DataType& type, std::vector<int> leaves,
                            const DerivedColumn* derived) {
  positions.emplace(name, static_cast<int>(columns.size()));
  columns.push_back({name, type_name(type)});
  leaf_columns.push_back(std::move(leaves));
  from.push_back(derived);
}

/// A name that readers need never gets a suffix, wherever it stands. Of other names that differ only in case, the last
/// in code-point order stays unchanged (`cloud` beside `Cloud`): files with another order of columns then agree on the
/// names.
std::vector<std::string> LevelTable::Impl::name_columns() const {
  std::map<std::string, int> folded;
  std::set<std::string> needed;
  std::set<std::string, std::less<>> sources;
  for (const auto& column : made) {
    if (column.kind == DerivedColumn::Kind::Hidden) continue;
    folded.emplace(lower(column.name), 0);
    if (column.name != column.from) needed.insert(column.name);  // a stored column of this name gets a suffix
    sources.insert(column.from);
  }
  const auto is_needed = [&](const std::string& name) {
    return name == names::kId || name == names::kType || name.starts_with(names::kInternal) || sources.contains(name);
  };
  for (const auto& field : schema->fields()) {
    if (is_needed(field->name())) folded.emplace(lower(field->name()), 0);
  }
  folded.emplace("", 0);  // SQL has no empty name
  std::vector<std::string> out = schema->field_names();
  std::vector<std::string*> ordered;
  for (auto& name : out) ordered.push_back(&name);
  std::ranges::stable_sort(ordered, std::greater(),
                           [](const std::string* name) -> const std::string& { return *name; });
  for (std::string* name : ordered) {
    const std::string stored = *name;
    if (!is_utf8(stored) || stored.find('\0') != std::string::npos) {
      throw FormatError("column name " + in_quotes(stored) + " is not UTF-8, or has a NUL byte", where);
    }
    const bool keeps_name = is_needed(stored) && needed.insert(stored).second;
    while (!keeps_name && !folded.emplace(lower(*name), 0).second) {
      *name = stored + "_" + std::to_string(++folded[lower(stored)]);
    }
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

std::vector<ColumnChunk> LevelTable::Impl::chunks() const {
  const auto value_size = [&](int leaf) -> uint64_t {
    const auto* column = metadata->schema()->Column(leaf);
    switch (column->physical_type()) {
      case parquet::Type::FIXED_LEN_BYTE_ARRAY: return static_cast<uint64_t>(std::max(column->type_length(), 1));
      case parquet::Type::INT64:
      case parquet::Type::DOUBLE: return 8;
      case parquet::Type::INT96: return 12;
      case parquet::Type::BOOLEAN: return 1;
      default: return 4;  // a text is preceded by its length
    }
  };
  std::vector<ColumnChunk> out;
  for (int g = 0; g < metadata->num_row_groups(); ++g) {
    const auto group = metadata->RowGroup(g);
    for (int leaf = 0; leaf < metadata->num_columns(); ++leaf) {
      const auto chunk = group->ColumnChunk(leaf);
      // DuckDB does not check, and would read encrypted bytes as values. Arrow refuses by itself.
      if (chunk->crypto_metadata()) {
        throw FormatError("Parquet column " + std::to_string(leaf) + " is encrypted; plain expected", where);
      }
      if (group->num_rows() == 0 && chunk->num_values() == 0) continue;  // it has no pages, and no location
      const int64_t begin = first_page(*chunk);
      const int64_t size = chunk->total_compressed_size();
      if (begin < 0 || size < 0)
        throw FormatError("column " + std::to_string(leaf) + " has a negative offset or size", where);
      // A list column has a value for each item, and one for each list that is empty or null.
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

LevelTable::LevelTable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

LevelTable::~LevelTable() = default;

std::shared_ptr<const LevelTable> LevelTable::open(std::shared_ptr<const ByteSource> source,
                                                   const ErrorContext& where) {
  return open(std::move(source), where, {}, nullptr);
}

std::shared_ptr<const LevelTable> LevelTable::open(std::shared_ptr<const ByteSource> source, const ErrorContext& where,
                                                   const Derive& derive) {
  return open(std::move(source), where, derive, nullptr);
}

std::shared_ptr<const LevelTable> LevelTable::open(std::shared_ptr<const ByteSource> source, const ErrorContext& where,
                                                   const LevelTable& like) {
  return open(std::move(source), where, {}, &like);
}

std::shared_ptr<const LevelTable> LevelTable::open(std::shared_ptr<const ByteSource> source, const ErrorContext& where,
                                                   const Derive& derive, const LevelTable* like) {
  auto impl = std::make_unique<Impl>();
  impl->source = std::move(source);
  impl->where = where;
  impl->open(derive, like ? like->impl_.get() : nullptr);
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
std::string LevelTable::version() const { return impl_->origin ? impl_->origin->version() : ""; }
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

std::optional<std::string> LevelTable::text(int column, int64_t row) const {
  if (const auto [kept, at] = impl_->kept_row(row); kept) return kept->text(column, at);
  const int group = group_of(row);
  const auto values = array(column, group);
  const auto cell = text_cell(*values, row - group_begin(group));
  return cell ? std::optional<std::string>(*cell) : std::nullopt;
}

std::optional<std::string> LevelTable::binary(int column, int64_t row) const {
  if (const auto [kept, at] = impl_->kept_row(row); kept) return kept->binary(column, at);
  const int group = group_of(row);
  const auto values = array(column, group);
  const auto cell = binary_cell(*values, row - group_begin(group));
  return cell ? std::optional<std::string>(*cell) : std::nullopt;
}

std::optional<int64_t> LevelTable::integer(int column, int64_t row) const {
  if (const auto [kept, at] = impl_->kept_row(row); kept) return kept->integer(column, at);
  const int group = group_of(row);
  return integer_cell(*array(column, group), row - group_begin(group));
}

std::string fingerprint_of(const LevelTable& level) {
  return std::to_string(level.num_rows()) + " rows, " + std::to_string(level.source()->size()) + " bytes, footer " +
         std::to_string(crc32(std::span(level.tail()).last(footer_size(level.tail()))));
}

}  // namespace tacore
