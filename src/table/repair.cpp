#include <arrow/array/builder_primitive.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "io/memory_source.hpp"
#include "table/arrow_error.hpp"
#include "table/level_table.hpp"
#include "table/parquet_write.hpp"
#include "table/rows.hpp"

namespace tacore {
namespace {

std::shared_ptr<arrow::Array> int64_array(const std::vector<std::optional<int64_t>>& values) {
  arrow::Int64Builder builder;
  check(builder.Reserve(static_cast<int64_t>(values.size())));
  for (const auto& value : values) {
    if (value) {
      builder.UnsafeAppend(*value);
    } else {
      builder.UnsafeAppendNull();
    }
  }
  return check(builder.Finish());
}

}  // namespace

std::shared_ptr<const LevelTable> with_integers(
    const LevelTable& level, const std::map<std::string, std::vector<std::optional<int64_t>>>& columns) {
  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::ChunkedArray>> arrays;
  for (std::size_t c = 0; c < level.columns().size(); ++c) {
    const std::string& name = level.columns()[c].name;
    arrow::ArrayVector chunks;
    if (const auto found = columns.find(name); found != columns.end()) {
      chunks.push_back(int64_array(found->second));
    } else {
      for (int g = 0; g < level.num_row_groups(); ++g) chunks.push_back(level.decode(static_cast<int>(c), g));
    }
    const auto type = chunks.empty() ? arrow::utf8() : chunks[0]->type();
    fields.push_back(arrow::field(name, type));
    arrays.push_back(std::make_shared<arrow::ChunkedArray>(std::move(chunks), type));
  }
  const auto table = arrow::Table::Make(arrow::schema(std::move(fields)), std::move(arrays), level.num_rows());
  return LevelTable::open(
      memory_source(level.source()->name(), encode_parquet(*table, {.use_content_defined_chunking = false})),
      level.where());
}

}  // namespace tacore
