#pragma once

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/memory.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>
#include <parquet/metadata.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/memory_source.hpp"
#include "support/support.hpp"
#include "table/arrow_error.hpp"
#include "table/level_table.hpp"
#include "table/parquet_footer.hpp"
#include "table/parquet_write.hpp"

/// Small tables for tests, and their Parquet bytes.
namespace tacore {

using NamedArrays = std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>>;

template <class Builder, class Value>
std::shared_ptr<arrow::Array> build(const std::vector<std::optional<Value>>& values, Builder&& builder) {
  for (const auto& value : values) check(value ? builder.Append(*value) : builder.AppendNull());
  return check(builder.Finish());
}
inline std::shared_ptr<arrow::Array> texts(const std::vector<std::optional<std::string>>& values) {
  return build(values, arrow::StringBuilder());
}
inline std::shared_ptr<arrow::Array> integers(const std::vector<std::optional<int64_t>>& values) {
  return build(values, arrow::Int64Builder());
}
inline std::shared_ptr<arrow::Array> reals(const std::vector<std::optional<double>>& values) {
  return build(values, arrow::DoubleBuilder());
}

inline std::shared_ptr<arrow::Table> table_of(const NamedArrays& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const auto& [name, array] : columns) {
    fields.push_back(arrow::field(name, array->type()));
    arrays.push_back(array);
  }
  return arrow::Table::Make(arrow::schema(std::move(fields)), std::move(arrays));
}

/// Row groups of 65,536 rows, as the library writes them.
inline Bytes parquet_of(const std::shared_ptr<arrow::Table>& table) {
  arrow::TableBatchReader batches(*table);
  Bytes out;
  write_parquet(batches, [&](std::span<const std::byte> more) { out.insert(out.end(), more.begin(), more.end()); },
                {.use_content_defined_chunking = false});
  return out;
}
inline std::string parquet_text(const NamedArrays& columns) {
  const Bytes bytes = parquet_of(table_of(columns));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// As another writer may do it.
inline std::string parquet_with(const NamedArrays& columns, const std::string& codec, bool second_page_version,
                                int64_t row_group) {
  parquet::WriterProperties::Builder how;
  how.compression(check(arrow::util::Codec::GetCompressionType(codec)));
  how.data_page_version(second_page_version ? parquet::ParquetDataPageVersion::V2
                                            : parquet::ParquetDataPageVersion::V1);
  const auto out = check(arrow::io::BufferOutputStream::Create());
  check(parquet::arrow::WriteTable(*table_of(columns), arrow::default_memory_pool(), out, row_group, how.build()));
  return check(out->Finish())->ToString();
}

inline std::shared_ptr<const LevelTable> level_of(Bytes bytes) {
  return LevelTable::open(memory_source("memory", std::move(bytes)), {.path = "memory", .offset = {}, .level = 0});
}
/// The table in a file, whose bytes are in memory: the file may change.
inline std::shared_ptr<const LevelTable> table_at(const std::string& path) {
  return level_of(to_bytes(file_text(path)));
}
inline std::shared_ptr<const LevelTable> level_of(const NamedArrays& columns) {
  return level_of(parquet_of(table_of(columns)));
}

/// How a Parquet file is stored: `rows codec` of each row group, and `!name` for a column of it without statistics.
inline std::vector<std::string> storage_of(const Bytes& bytes) {
  const auto footer = parse_parquet_footer(read_parquet_tail(*memory_source("memory", bytes), {}), {});
  std::vector<std::string> out;
  for (int g = 0; g < footer->num_row_groups(); ++g) {
    const auto group = footer->RowGroup(g);
    out.push_back(std::to_string(group->num_rows()) + " " +
                  arrow::util::Codec::GetCodecAsString(group->ColumnChunk(0)->compression()));
    for (int c = 0; c < group->num_columns(); ++c) {
      const auto column = group->ColumnChunk(c);
      if (column->compression() != group->ColumnChunk(0)->compression()) out.back() += " and others";
      if (!column->is_stats_set()) out.back() += " !" + column->path_in_schema()->ToDotString();
    }
  }
  return out;
}

/// Every column of a level as Arrow arrays, for tests that change one and write it again.
inline NamedArrays arrays_of(const LevelTable& level) {
  NamedArrays out;
  for (std::size_t c = 0; c < level.columns().size(); ++c) {
    arrow::ArrayVector chunks;
    for (int g = 0; g < level.num_row_groups(); ++g) chunks.push_back(level.decode(static_cast<int>(c), g));
    const arrow::ChunkedArray whole(std::move(chunks));
    out.emplace_back(level.columns()[c].name, whole.num_chunks() == 1 ? whole.chunk(0) : nullptr);
  }
  return out;
}

inline void replace_column(NamedArrays& columns, const std::string& name, std::shared_ptr<arrow::Array> array) {
  for (auto& column : columns) {
    if (column.first == name) column.second = std::move(array);
  }
}

}  // namespace tacore
