#include <arrow/array.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>
#include <parquet/types.h>

#include <algorithm>

#include "format/names.hpp"
#include "format/tortilla_names.hpp"
#include "model/identifier.hpp"
#include "table/cells.hpp"
#include "table/chunk_statistics.hpp"
#include "table/derived_column.hpp"
#include "table/level_table_impl.hpp"
#include "table/parquet_pages.hpp"

// What the footer says about a level, and, where that is not enough, which rows are padding.

namespace tacore {

std::shared_ptr<parquet::Statistics> LevelTable::Impl::statistics(int column, int group) const {
  const auto& leaf = leaf_columns[static_cast<std::size_t>(column)];
  return leaf.size() == 1 ? statistics_of(leaf[0], group) : nullptr;
}

std::shared_ptr<parquet::Statistics> LevelTable::Impl::statistics_of(int leaf, int group) const {
  try {
    return metadata->RowGroup(group)->ColumnChunk(leaf)->statistics();
  } catch (const parquet::ParquetException&) {
    return nullptr;  // statistics are optional; damaged data fail when they are decoded
  }
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

bool LevelTable::has_no_nulls(int column) const {
  for (int group = 0; group < num_row_groups(); ++group) {
    const auto stats = impl_->statistics(column, group);
    if (!stats || !stats->HasNullCount() || stats->null_count() > 0) return false;
  }
  return true;
}

std::optional<std::pair<int64_t, int64_t>> LevelTable::bounds(int column, int group) const {
  const auto stats = impl_->statistics(column, group);
  const auto* s = dynamic_cast<const parquet::Int64Statistics*>(stats.get());
  if (!s || !s->HasMinMax()) return std::nullopt;
  const auto* made = derived(column);
  const int64_t add = made ? made->add : 0;
  return std::pair(s->min() + add, s->max() + add);
}

std::optional<int64_t> LevelTable::smallest(int column, int group) const {
  const auto both = bounds(column, group);
  return both ? std::optional(both->first) : std::nullopt;
}

namespace {

/// The bounds of numbers, times `unit`, rounded; nullopt for statistics of another type.
template <class Type>
std::optional<std::pair<double, double>> rounded_bounds(const parquet::Statistics& statistics, double unit) {
  const auto* all = dynamic_cast<const parquet::TypedStatistics<Type>*>(&statistics);
  if (!all || !all->HasMinMax()) return std::nullopt;
  const std::pair out(unit * static_cast<double>(all->min()), unit * static_cast<double>(all->max()));
  return out.first <= out.second ? std::optional(out) : std::nullopt;  // of unsigned numbers, read as signed ones
}

/// Seconds in one unit of a column of times; 1 for other columns.
double seconds_in_unit(const parquet::ColumnDescriptor& column) {
  const auto& type = *column.logical_type();
  if (type.is_date()) return 86400;
  if (!type.is_timestamp()) return 1;
  switch (static_cast<const parquet::TimestampLogicalType&>(type).time_unit()) {
    case parquet::LogicalType::TimeUnit::MILLIS: return 1e-3;
    case parquet::LogicalType::TimeUnit::MICROS: return 1e-6;
    case parquet::LogicalType::TimeUnit::NANOS: return 1e-9;
    default: return 1;
  }
}

}  // namespace

LevelTable::StoredValues LevelTable::stored_values(int stored, int group) const {
  const auto& leaves = impl_->file_leaves[static_cast<std::size_t>(stored)];
  const auto row_group = impl_->metadata->RowGroup(group);
  const auto num_rows = static_cast<double>(std::max<int64_t>(1, row_group->num_rows()));
  StoredValues out;
  for (const int leaf : leaves) {
    const auto size = static_cast<double>(row_group->ColumnChunk(leaf)->total_uncompressed_size());
    out.bits += 8 * std::max(0.0, size) / num_rows;
  }
  const auto stated = leaves.size() == 1 ? impl_->statistics_of(leaves[0], group) : nullptr;
  if (!stated) return out;
  if (stated->HasNullCount()) out.nulls = std::clamp(static_cast<double>(stated->null_count()) / num_rows, 0.0, 1.0);
  const double unit = seconds_in_unit(*impl_->metadata->schema()->Column(leaves[0]));
  switch (stated->physical_type()) {
    case parquet::Type::INT32: out.bounds = rounded_bounds<parquet::Int32Type>(*stated, unit); break;
    case parquet::Type::INT64: out.bounds = rounded_bounds<parquet::Int64Type>(*stated, unit); break;
    case parquet::Type::FLOAT: out.bounds = rounded_bounds<parquet::FloatType>(*stated, unit); break;
    case parquet::Type::DOUBLE: out.bounds = rounded_bounds<parquet::DoubleType>(*stated, unit); break;
    default: break;
  }
  return out;
}

bool LevelTable::may_hold(int column, int group, std::string_view value) const {
  if (const auto* made = derived(column); made && made->kind != DerivedColumn::Kind::Copy) {
    if (made->kind != DerivedColumn::Kind::Type || value != "FOLDER") return true;
    // Every spelling of TORTILLA sorts between these two.
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
    const auto reader = open_parquet(file, impl_->pool, impl_->metadata);
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

bool LevelTable::Impl::padding_possible() const {
  for (int g = 0; g < metadata->num_row_groups(); ++g) {
    if (padding_possible(g)) return true;
  }
  return false;
}

bool LevelTable::Impl::padding_possible(int group) const {
  // Before 2.0 there is no padding, and ids may be any text.
  if (positions.contains(v1::columns::kId)) return false;
  const auto id = statistics(positions.find(names::kId)->second, group);
  if (const auto* s = dynamic_cast<parquet::ByteArrayStatistics*>(id.get()); s && s->HasMinMax()) {
    const std::string_view min(s->min()), max(s->max());
    if (max < names::kPadding) return false;
    if (min > names::kPadding && !min.starts_with(names::kPadding)) return false;
  }
  // Nothing else rules it out. Padding has no bytes, but the sizes that a level states may be those of other rows; user
  // columns are null for published writers, and may be anything for others.
  return true;
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
  // Not kept: one pass over a large table is no reason to hold it in memory.
  const int column = find(names::kId);
  const auto ids = num_row_groups() > 1 ? decode(column, group) : array(column, group);
  int64_t out = 0;
  for (int64_t i = 0; i < ids->length(); ++i) {
    const auto cell = text_cell(*ids, i);
    if (cell && is_padding_id(*cell)) ++out;
  }
  return out;
}

}  // namespace tacore
