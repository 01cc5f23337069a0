#include "table/level_batches.hpp"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <numeric>

#include "table/arrow_error.hpp"

namespace tacore {

std::shared_ptr<arrow::RecordBatch> LevelBatches::in_group(int group) {
  const bool is_local = level_.source()->is_local();
  if (!is_local && group >= ahead_) ahead_ = level_.read_ahead(columns_, group, level_.num_row_groups());
  auto arrays = is_local ? level_.decode(columns_, group) : arrow::ArrayVector(columns_.size());
  arrow::FieldVector fields;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const int column = columns_[c];
    if (!arrays[c]) arrays[c] = is_local ? level_.decode(column, group) : level_.array(column, group);
    fields.push_back(arrow::field(level_.columns()[static_cast<std::size_t>(column)].name, arrays[c]->type()));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)),
                                  level_.group_begin(group + 1) - level_.group_begin(group), std::move(arrays));
}

std::shared_ptr<arrow::RecordBatch> LevelBatches::operator()() {
  return group_ < level_.num_row_groups() ? in_group(group_++) : nullptr;
}

NextBatch batches_of(std::shared_ptr<arrow::Table> table) {
  auto batches = std::make_shared<arrow::TableBatchReader>(std::move(table));
  return [batches] {
    std::shared_ptr<arrow::RecordBatch> out;
    check(batches->ReadNext(&out));
    return out;
  };
}

std::vector<int> all_columns(const LevelTable& level) {
  std::vector<int> out(level.columns().size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

}  // namespace tacore
