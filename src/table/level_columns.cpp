#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/table.h>
#include <arrow/util/byte_size.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <exception>

#include "base/text.hpp"
#include "format/names.hpp"
#include "io/prefetched_source.hpp"
#include "table/arrow_error.hpp"
#include "table/derived_column.hpp"
#include "table/flat_columns.hpp"
#include "table/level_table_impl.hpp"
#include "table/parquet_footer.hpp"
#include "table/parquet_pages.hpp"

// The columns of a level: fetched, decoded, and kept.

namespace tacore {

std::shared_ptr<arrow::Array> LevelTable::array(int column, int group) const {
  const std::pair key{column, group};
  if (!impl_->source->is_local()) return impl_->fetch(column, group);
  {
    const std::lock_guard lock(impl_->mutex);
    if (const auto found = impl_->arrays.find(key); found != impl_->arrays.end()) return found->second;
  }
  auto decoded = decode(column, group);  // outside the lock: two threads may decode the same column, one result is kept
  const std::lock_guard lock(impl_->mutex);
  return impl_->keep(key, std::move(decoded));
}

std::shared_ptr<arrow::Array> LevelTable::Impl::keep(std::pair<int, int> key,
                                                     std::shared_ptr<arrow::Array> decoded) const {
  const auto [at, is_new] = arrays.emplace(key, std::move(decoded));
  auto out = at->second;
  if (!is_new) return out;
  Kept& all = kept_arrays;
  const int64_t bytes = check(arrow::util::ReferencedBufferSize(*out));
  int& last_group = all.last_group[key.first];
  if (all.dropped.erase(key) > 0 && key.second < last_group) all.most_bytes += bytes;
  last_group = key.second;
  all.first_to_last.emplace_back(key, bytes);
  for (all.bytes += bytes; all.bytes > all.most_bytes && all.first_to_last.size() > 1;) {
    const auto [first, size] = all.first_to_last.front();
    all.first_to_last.pop_front();
    all.bytes -= size;
    all.dropped.insert(first);
    arrays.erase(first);
  }
  return out;
}

/// Threads that need the same row group wait for the one that fetches it; related columns are fetched together.
std::shared_ptr<arrow::Array> LevelTable::Impl::fetch(int column, int group) const {
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
    decoded[{column, group}] = decode(column, group, bytes);
    std::vector<int> fallback = wanted;
    std::erase(fallback, column);
    decode_into(decoded, fallback, group, bytes);
  } catch (...) {
    failure = std::current_exception();
  }
  if (!wanted.empty()) forget_reader();  // and its buffered bytes
  lock.lock();
  fetching.erase(group);
  fetched.notify_all();
  if (failure) std::rethrow_exception(failure);
  arrays.merge(decoded);
  return arrays.at({column, group});
}

int LevelTable::read_ahead(std::span<const int> columns, int group, int end) const {
  return impl_->source->is_local() ? end : impl_->read_ahead(columns, group, end);
}

int LevelTable::Impl::read_ahead(std::span<const int> some, int group, int end) const {
  constexpr std::size_t kMostGroups = 512;  // each decoded column searches the ranges of all
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
    for (const Part& part : parts) decode_into(decoded, part.columns, part.group, bytes);
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

/// The columns of a row group that are fetched together with `column`, itself included, if they are not in memory yet;
/// empty when it is fetched alone. Call with the mutex held.
std::vector<int> LevelTable::Impl::asked_for_with(int column, int group) const {
  // Columns that verify the order of offsets, which needs all row groups.
  static constexpr std::string_view kOrder[] = {names::kOffset, names::kType, names::kSourceFile};
  // Columns that lead from a row to its bytes, or to its children and their bytes.
  static constexpr std::string_view kWay[] = {names::kType,      names::kSize,        names::kSourceFile,
                                              names::kCurrentId, names::kParentId,    names::kOffset,
                                              names::kId,        names::kRelativePath};
  const std::string_view name = columns[static_cast<std::size_t>(column)].name;
  const bool is_text = name == names::kId || name == names::kRelativePath;  // often needed alone, so fetched alone
  std::span<const std::string_view> fallback;
  if (name == names::kOffset) {
    fallback = kOrder;
  } else if (!is_text && std::ranges::find(kWay, name) != std::end(kWay)) {
    fallback = kWay;
  }
  std::vector<int> out = {column};
  for (const auto other : fallback) {
    const auto found = positions.find(other);
    if (found == positions.end() || found->second == column || arrays.contains({found->second, group})) continue;
    out.push_back(found->second);
  }
  return out.size() > 1 ? out : std::vector<int>();
}

std::vector<ByteRange> LevelTable::stored_ranges(std::span<const int> stored, int group) const {
  return impl_->ranges_of(stored, group, impl_->file_leaves);
}

std::vector<ByteRange> LevelTable::Impl::ranges_of(std::span<const int> some, int group) const {
  return ranges_of(some, group, leaf_columns);
}

std::vector<ByteRange> LevelTable::Impl::ranges_of(std::span<const int> some, int group,
                                                   const std::vector<std::vector<int>>& leaves_of) const {
  std::vector<ByteRange> out;
  const auto row_group = metadata->RowGroup(group);
  for (const int column : some) {
    for (const int leaf : leaves_of[static_cast<std::size_t>(column)]) {
      const auto chunk = row_group->ColumnChunk(leaf);
      out.push_back({static_cast<uint64_t>(first_page(*chunk)), static_cast<uint64_t>(chunk->total_compressed_size())});
    }
  }
  return out;
}

std::shared_ptr<arrow::Array> LevelTable::decode(int column, int group) const {
  return impl_->decode(column, group, impl_->source);
}

std::vector<std::shared_ptr<arrow::Array>> LevelTable::decode(std::span<const int> columns, int group) const {
  Impl::Arrays decoded;
  impl_->decode_into(decoded, columns, group, prefetched(impl_->source, impl_->ranges_of(columns, group)));
  impl_->forget_reader();  // and its buffered bytes
  std::vector<std::shared_ptr<arrow::Array>> out;
  for (const int column : columns) out.push_back(decoded[{column, group}]);
  return out;
}

void LevelTable::Impl::decode_into(Arrays& out, std::span<const int> some, int group,
                                   const std::shared_ptr<const ByteSource>& bytes) const {
  for (const int column : some) {
    try {
      out[{column, group}] = decode(column, group, bytes);
    } catch (const Error&) {  // thrown when this column is decoded alone
    }
  }
}

std::shared_ptr<arrow::Array> LevelTable::Impl::decode(int column, int group,
                                                       const std::shared_ptr<const ByteSource>& bytes) const {
  const int64_t first_row = group_begin[static_cast<std::size_t>(group)],
                rows = group_begin[static_cast<std::size_t>(group) + 1] - first_row;
  const auto file = std::make_shared<ArrowSource>(bytes);
  const DerivedColumn* derived = from[static_cast<std::size_t>(column)];
  try {
    std::shared_ptr<arrow::Array> values;
    if (derived && derived->kind == DerivedColumn::Kind::Constant) return constant_array(derived->text, rows);
    if (is_small()) values = small_array(column);
    if (values) {
      // All columns of a small table were decoded together.
    } else if (const bool is_text = is_flat_text(column); is_text || is_flat_integer(column)) {
      auto opened = open_parquet(file, pool, metadata);
      const auto stored = opened->RowGroup(group)->Column(leaf_columns[static_cast<std::size_t>(column)][0]);
      values = is_text ? decode_text(*stored, rows, pool) : decode_integers(*stored, rows, pool);
    } else {
      values = decode_any(column, group, bytes);
    }
    if (values->length() != rows) {
      throw FormatError("column " + in_quotes(columns[static_cast<std::size_t>(column)].name) + " has " +
                            std::to_string(values->length()) + " rows in row group " + std::to_string(group) + ", " +
                            std::to_string(rows) + " expected",
                        where);
    }
    if (derived) return derive_array(*derived, values, first_row, where);
    if (columns[static_cast<std::size_t>(column)].name == names::kId) check_ids(*values, first_row, where);
    return values;
  } catch (const parquet::ParquetException& error) {
    file->rethrow();
    throw FormatError(std::string("Parquet: ") + error.what(), where);
  } catch (const Error&) {
    file->rethrow();
    throw;
  }
}

bool LevelTable::Impl::is_flat(int column, std::string_view type, parquet::Type::type stored_as) const {
  const auto& leaf = leaf_columns[static_cast<std::size_t>(column)];
  if (leaf.size() != 1 || columns[static_cast<std::size_t>(column)].type != type) return false;
  const auto* stored = metadata->schema()->Column(leaf[0]);
  return stored->physical_type() == stored_as && stored->max_repetition_level() == 0 &&
         stored->max_definition_level() <= 1;
}

bool LevelTable::Impl::is_flat_text(int column) const { return is_flat(column, "string", parquet::Type::BYTE_ARRAY); }

/// A derived column may have another type than the one that is stored.
bool LevelTable::Impl::is_flat_integer(int column) const {
  return !from[static_cast<std::size_t>(column)] && is_flat(column, "int64", parquet::Type::INT64);
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
    // The reader may be in any state, and keeps the error.
    reader.reset();
    const auto failed = std::exchange(reader_source, nullptr);
    if (failed) failed->rethrow();
    throw;
  }
}

/// True for the footer table of a nested Tortilla, which is decoded whole: there may be a million of them, whose
/// columns are all needed, some of them twice.
bool LevelTable::Impl::is_small() const {
  constexpr int64_t kMost = 1 << 20;  // bytes, decompressed
  return !made.empty() && tail.size() == source->size() && metadata->num_row_groups() == 1 &&
         metadata->RowGroup(0)->total_byte_size() <= kMost;
}

/// A stored column of a small table, or nullptr where one of its columns is damaged.
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
      reader.reset();  // read one by one, the damaged column throws
    }
  });
  const auto found = small.find(leaf_columns[static_cast<std::size_t>(column)][0]);
  return found == small.end() ? nullptr : found->second;
}

parquet::arrow::FileReader& LevelTable::Impl::open_reader(const std::shared_ptr<const ByteSource>& bytes) const {
  if (!reader || reader_of != bytes) {
    reader.reset();
    reader_of = bytes;
    reader_source = std::make_shared<ArrowSource>(bytes);
    reader = open_arrow_reader(reader_source, pool, metadata, where);
  }
  return *reader;
}

void LevelTable::Impl::forget_reader() const {
  const std::lock_guard lock(reader_mutex);
  reader.reset();
  reader_source.reset();
  reader_of.reset();
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

}  // namespace tacore
