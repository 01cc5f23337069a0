#include "table/flat_columns.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "model/identifier.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"

namespace tacore {
namespace {

/// True when one pass over the bytes of all ids finds only ids that need no closer check: plain ASCII without slash and
/// NUL, none null or empty, none of one or two bytes that starts with a dot.
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

/// Reads a column in batches. Calls `append` with the values that are not null, and with one number for each row: 1 for
/// a value, 0 for null.
template <class Reader, class Append>
void read_flat(parquet::ColumnReader& column, int64_t rows, const Append& append) {
  using Value = typename Reader::T;
  constexpr int64_t kBatch = 4096;
  auto& reader = static_cast<Reader&>(column);
  const bool nullable = column.descr()->max_definition_level() > 0;
  const auto size = static_cast<std::size_t>(std::min(kBatch, rows));
  std::vector<int16_t> levels(size, int16_t{1});
  std::vector<Value> values(size);
  for (int64_t done = 0; done < rows && reader.HasNext();) {
    int64_t num_values = 0;
    const int64_t count = reader.ReadBatch(std::min(kBatch, rows - done), nullable ? levels.data() : nullptr, nullptr,
                                           values.data(), &num_values);
    if (count == 0) break;
    // A truncated page has fewer values than levels.
    const std::span<const int16_t> read = std::span(levels).first(static_cast<std::size_t>(count));
    if (std::ranges::count(read, int16_t{1}) != num_values)
      throw parquet::ParquetException("a page has fewer values than it counts");
    append(std::span<const Value>(values).first(static_cast<std::size_t>(num_values)), read);
    done += count;
  }
}

}  // namespace

void check_ids(const arrow::Array& ids, int64_t first, const ErrorContext& where) {
  if (are_plain(ids)) return;
  for (int64_t i = 0; i < ids.length(); ++i) {
    const auto id = text_cell(ids, i);
    std::string why = id ? why_unsafe_id(*id) : "is null";
    if (why.empty() && !is_utf8(*id)) why = "is not UTF-8";
    if (!why.empty()) {
      throw FormatError("row " + std::to_string(first + i) + ": id " + (id ? in_quotes(*id) + " " : "") + why, where);
    }
  }
}

std::shared_ptr<arrow::Array> decode_text(parquet::ColumnReader& column, int64_t rows, arrow::MemoryPool* pool) {
  arrow::StringBuilder builder(pool);
  check(builder.Reserve(rows));
  const auto append = [&](const parquet::ByteArray& value) {
    builder.UnsafeAppend(value.ptr, static_cast<int32_t>(value.len));
  };
  read_flat<parquet::ByteArrayReader>(column, rows, [&](const auto& values, std::span<const int16_t> levels) {
    int64_t bytes = 0;
    for (const parquet::ByteArray& value : values) bytes += value.len;
    check(builder.ReserveData(bytes));
    if (levels.size() == values.size()) {
      std::ranges::for_each(values, append);
      return;
    }
    auto next = values.begin();
    for (const int16_t level : levels) {
      if (level == 1) {
        append(*next++);
      } else {
        builder.UnsafeAppendNull();
      }
    }
  });
  return check(builder.Finish());
}

std::shared_ptr<arrow::Array> decode_integers(parquet::ColumnReader& column, int64_t rows, arrow::MemoryPool* pool) {
  arrow::Int64Builder builder(pool);
  check(builder.Reserve(rows));
  read_flat<parquet::Int64Reader>(column, rows, [&](const auto& values, std::span<const int16_t> levels) {
    if (levels.size() == values.size()) {
      check(builder.AppendValues(values.data(), static_cast<int64_t>(values.size())));
      return;
    }
    auto next = values.begin();
    for (const int16_t level : levels) {
      if (level == 1) {
        builder.UnsafeAppend(*next++);
      } else {
        builder.UnsafeAppendNull();
      }
    }
  });
  return check(builder.Finish());
}

}  // namespace tacore
