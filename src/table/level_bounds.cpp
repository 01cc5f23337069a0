#include "table/level_bounds.hpp"

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "format/names.hpp"
#include "model/identifier.hpp"
#include "model/wkb.hpp"
#include "model/wkt.hpp"
#include "table/cells.hpp"
#include "table/covering.hpp"
#include "table/extent_sum.hpp"
#include "table/level_batches.hpp"

namespace tacore {
namespace {

/// The box of a geometry; nullopt for null and where there is no position.
std::optional<BBox> box_of(const arrow::Array& column, int64_t row) {
  if (column.type_id() != arrow::Type::STRUCT) {
    const auto wkb = binary_cell(column, row);
    return wkb ? wkb_envelope(std::as_bytes(std::span(*wkb))) : std::nullopt;
  }
  if (column.IsNull(row)) return std::nullopt;
  const auto& point = static_cast<const arrow::StructArray&>(column);
  const auto x = number_cell(*point.field(0), row), y = number_cell(*point.field(1), row);
  if (!x || !y || !std::isfinite(*x) || !std::isfinite(*y)) return std::nullopt;
  return BBox{*x, *y, *x, *y};
}

void widen(std::optional<BBox>& sum, const std::optional<BBox>& box) {
  if (!box) return;
  sum = !sum ? *box
             : BBox{std::min(sum->minx, box->minx), std::min(sum->miny, box->miny), std::max(sum->maxx, box->maxx),
                    std::max(sum->maxy, box->maxy)};
}

void widen(std::optional<TimeRange>& sum, const TimeRange& time) {
  sum = !sum ? time : TimeRange{std::min(sum->start, time.start), std::max(sum->end, time.end)};
}

/// False where the column cannot have bounds.
bool add_places(const arrow::Array& column, std::optional<BBox>& sum) {
  if (column.type_id() != arrow::Type::STRUCT && !is_wkb(*column.type())) return false;
  try {
    for (int64_t row = 0; row < column.length(); ++row) widen(sum, box_of(column, row));
    return true;
  } catch (const FormatError&) {
    return false;  // not a geometry
  }
}

bool add_times(const arrow::Array& column, std::optional<TimeRange>& sum) {
  for (int64_t row = 0; row < column.length(); ++row) {
    if (column.IsNull(row)) continue;
    const auto time = time_of(column, row);
    if (!time) return false;
    widen(sum, *time);
  }
  return true;
}

bool add_ids(const arrow::Array& column, std::optional<std::pair<std::string, std::string>>& sum) {
  for (int64_t row = 0; row < column.length(); ++row) {
    const auto id = text_cell(column, row);
    if (!id || is_padding_id(*id)) continue;
    if (!sum) sum.emplace(*id, *id);
    if (*id < sum->first) sum->first = *id;
    if (*id > sum->second) sum->second = *id;
  }
  // JSON has no form for other bytes.
  return !sum || (is_utf8(sum->first) && is_utf8(sum->second));
}

/// Adds a column, row group by row group. False where it cannot have bounds.
template <class Sum>
bool add_column(const LevelTable& level, int column, Sum& sum, bool (*add)(const arrow::Array&, Sum&)) {
  LevelBatches batches(level, {column});
  while (const auto batch = batches()) {
    auto values = batch->column(0);
    if (values->type_id() == arrow::Type::EXTENSION)
      values = static_cast<const arrow::ExtensionArray&>(*values).storage();
    if (!add(*values, sum)) return false;
  }
  return true;
}

}  // namespace

LevelBounds bounds_of(const LevelTable& level) {
  LevelBounds out{.num_rows = level.num_visible_rows()};
  for (std::size_t c = 0; c < level.columns().size(); ++c) {
    const std::string& name = level.columns()[c].name;
    const int column = static_cast<int>(c);
    if (name == names::kId && !add_column(level, column, out.ids, add_ids)) out.ids.reset();
    if (is_geometry_column(name)) {
      std::optional<BBox> sum;
      const bool is_struct = level.columns()[c].type.find("struct<") != std::string::npos;
      if ((!is_struct || level.has_coordinates(column)) && add_column(level, column, sum, add_places))
        out.places.emplace(name, sum);
    }
    if (is_time_column(name)) {
      std::optional<TimeRange> sum;
      if (add_column(level, column, sum, add_times)) out.times.emplace(name, sum);
    }
  }
  return out;
}

}  // namespace tacore
