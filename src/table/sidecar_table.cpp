#include "table/sidecar_table.hpp"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "model/wkt.hpp"
#include "table/arrow_error.hpp"
#include "table/covering.hpp"
#include "table/extent_sum.hpp"
#include "table/level_batches.hpp"
#include "table/row_order.hpp"
#include "table/sorted_rows.hpp"

namespace tacore {
namespace {

/// True where a filter can find the rows of a place by bounds.
bool has_places(const LevelTable& level) {
  if (!coverings_of(*level.stored_schema()).empty()) return true;
  for (std::size_t c = 0; c < level.columns().size(); ++c) {
    if (is_geometry_column(level.columns()[c].name) && level.has_coordinates(static_cast<int>(c))) return true;
  }
  return false;
}

/// Throws SchemaError for the first row with a geometry that is not WKB.
void check_geometries(const LevelTable& level) {
  for (const Covering& covering : coverings_of(*level.stored_schema())) {
    LevelBatches batches(level, {level.find(covering.geometry)});
    int64_t first = 0;
    for (std::shared_ptr<arrow::RecordBatch> batch; (batch = batches()); first += batch->num_rows())
      with_coverings(*batch, with_coverings(batch->schema()), first, level.where());
  }
}

std::vector<int64_t> order_of(const LevelTable& level, int jobs) {
  if (has_places(level)) return rows_by_place(LevelBatches(level, columns_of_extent(level)), nullptr, jobs).rows;
  std::vector<int64_t> out(static_cast<std::size_t>(level.num_rows()));
  std::iota(out.begin(), out.end(), int64_t{0});
  return out;
}

}  // namespace

std::string why_no_sidecar(const LevelTable& level, int number) {
  if (level.num_rows() == 0) return "it has no rows";
  if (number > 0 && !has_places(level)) return "it has no geometries that are WKB or structures of x and y";
  for (const Covering& covering : coverings_of(*level.stored_schema())) {
    // The boxes of a side-car are known to be those of the geometries; these may be anything.
    if (level.find(covering.boxes) >= 0 && !level.covering_of(covering.geometry))
      return "its column " + in_quotes(covering.boxes) + " has the name that bounding boxes would have";
  }
  return level.find(kRowOfLevel) >= 0 ? "it has a column " + in_quotes(kRowOfLevel) : "";
}

void write_sidecar(const LevelTable& level, int number, int jobs, const ByteConsumer& out,
                   const std::function<void(int64_t num_rows)>& tell) {
  try {
    SortedRows rows(level, order_of(level, jobs), kRowOfLevel);
    write_sorted(rows, out, options_of_level({.covering = true, .id_index = true}, number), tell, [&] {
      return std::map<std::string, std::string>{{kSidecarKey, fingerprint_of(level)}};
    });
  } catch (const FormatError&) {
    check_geometries(level);  // tells the row of the level
    throw;
  } catch (const SchemaError&) {
    check_geometries(level);
    throw;
  }
}

std::string why_wrong_sidecar(const LevelTable& level, const LevelTable& sidecar,
                              const std::function<void(int64_t num_rows)>& tell) {
  const int numbers = sidecar.find(kRowOfLevel);
  std::vector<int64_t> order;
  std::vector<bool> seen(static_cast<std::size_t>(level.num_rows()));
  for (int64_t row = 0; row < sidecar.num_rows(); ++row) {
    const auto number = sidecar.integer(numbers, row);
    if (!number || *number < 0 || *number >= level.num_rows() || seen[static_cast<std::size_t>(*number)])
      return "its row " + std::to_string(row) + " is that of row " + (number ? std::to_string(*number) : "null") +
             " of the level, which does not exist or is there twice";
    seen[static_cast<std::size_t>(*number)] = true;
    order.push_back(*number);
  }
  if (sidecar.num_rows() != level.num_rows())
    return "it has " + std::to_string(sidecar.num_rows()) + " rows, the level " + std::to_string(level.num_rows());
  std::vector<int> columns;
  for (const Column& column : level.columns()) {
    columns.push_back(sidecar.find(column.name));
    if (columns.back() < 0) return "it has no column " + in_quotes(column.name);
  }
  LevelBatches copies(sidecar, columns);
  SortedRows rows(level, std::move(order));
  for (int group = 0; group < sidecar.num_row_groups(); ++group) {
    const auto copy = copies.in_group(group);
    const auto right = check(rows.next(copy->num_rows())->CombineChunksToBatch());
    for (int c = 0; c < copy->num_columns(); ++c) {
      if (!copy->column(c)->Equals(*right->column(c), arrow::EqualOptions::Defaults().nans_equal(true)))
        return "column " + in_quotes(copy->schema()->field(c)->name()) + " differs in row group " +
               std::to_string(group);
    }
    for (const int column : all_columns(sidecar)) {
      if (auto why = sidecar.why_wrong_statistics(column, group); !why.empty())
        return "column " + in_quotes(sidecar.columns()[static_cast<std::size_t>(column)].name) + ": " + why;
    }
    tell(sidecar.group_begin(group + 1));
  }
  return sidecar.why_wrong_proof();
}

}  // namespace tacore
