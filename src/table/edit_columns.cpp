#include "table/edit_columns.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>

#include "base/text.hpp"
#include "format/names.hpp"
#include "table/arrow_error.hpp"
#include "table/read_table.hpp"
#include "table/stack_tables.hpp"
#include "table/stored_table.hpp"
#include "table/values.hpp"

namespace tacore {
namespace {

std::shared_ptr<arrow::Table> one_column(const std::shared_ptr<arrow::Field>& field,
                                         const std::shared_ptr<arrow::ChunkedArray>& values) {
  return arrow::Table::Make(arrow::schema({field}), {values});
}

/// Puts the column at its old position, else at `at`.
std::shared_ptr<arrow::Table> put(const std::shared_ptr<arrow::Table>& level, const std::string& name,
                                  const std::shared_ptr<arrow::ChunkedArray>& values, int at) {
  const auto field = arrow::field(name, values->type());
  const int old = level->schema()->GetFieldIndex(name);
  return old < 0 ? check(level->AddColumn(at, field, values)) : check(level->SetColumn(old, field, values));
}

int behind_metadata(const arrow::Table& level) {
  const auto names = level.schema()->field_names();
  const auto last = std::find_if(names.rbegin(), names.rend(),
                                 [](const std::string& name) { return !name.starts_with(names::kInternal); });
  return static_cast<int>(names.rend() - last);
}

}  // namespace

std::shared_ptr<arrow::Table> whole_table(const LevelTable& level) {
  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::ChunkedArray>> columns;
  for (int c = 0; c < static_cast<int>(level.columns().size()); ++c) {
    arrow::ArrayVector groups;
    for (int g = 0; g < level.num_row_groups(); ++g) groups.push_back(level.decode(c, g));
    if (groups.empty()) throw FormatError("has no rows", level.where());
    columns.push_back(std::make_shared<arrow::ChunkedArray>(std::move(groups)));
    fields.push_back(arrow::field(level.columns()[static_cast<std::size_t>(c)].name, columns.back()->type()));
  }
  const auto stored = arrow::Table::Make(arrow::schema(std::move(fields)), std::move(columns), level.num_rows());
  return in_one_piece(with_item_names(*stored));
}

std::shared_ptr<arrow::Table> set_column(const std::shared_ptr<arrow::Table>& level, const arrow::Table& values,
                                         const std::string& name, const std::vector<int64_t>& rows) {
  const int column = values.schema()->GetFieldIndex(name);
  const auto old = level->GetColumnByName(name);
  std::vector<int64_t> from = rows;
  std::shared_ptr<arrow::Table> out;
  if (!old || std::find(rows.begin(), rows.end(), kKeepsItsValue) == rows.end()) {
    for (auto& row : from) row = std::max<int64_t>(row, -1);
    out = take_rows(values, from, {column});
  } else {
    const int64_t num_rows = level->num_rows();
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] == kKeepsItsValue) from[i] = static_cast<int64_t>(i);
      else from[i] = from[i] == kGetsNull ? -1 : from[i] + num_rows;
    }
    const auto field = arrow::field(name, old->type());
    const auto stacked = stack_tables({{one_column(field, old), num_rows},
                                       {one_column(values.field(column), values.column(column)), values.num_rows()}});
    out = take_rows(*stacked, from);
  }
  return put(level, name, out->column(0), behind_metadata(*level));
}

std::shared_ptr<arrow::Table> set_values(const std::shared_ptr<arrow::Table>& level, const std::string& name,
                                         const std::vector<int64_t>& rows, const std::vector<Value>& values,
                                         const ErrorContext& where) {
  const auto old = level->GetColumnByName(name);
  if (!old) throw SchemaError("there is no column " + in_quotes(name), where);
  std::vector<int64_t> from(static_cast<std::size_t>(level->num_rows()), kKeepsItsValue);
  std::vector<const Value*> given;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= level->num_rows())
      throw SchemaError("there is no row " + std::to_string(rows[i]) + "; it has " + std::to_string(level->num_rows()),
                        where);
    from[static_cast<std::size_t>(rows[i])] = static_cast<int64_t>(i);
    given.push_back(&values[i]);
  }
  try {
    const auto array = make_array(given, old->type());
    return set_column(level, *one_column(arrow::field(name, old->type()), std::make_shared<arrow::ChunkedArray>(array)),
                      name, from);
  } catch (const SchemaError& error) {
    throw SchemaError("column " + in_quotes(name) + ": " + error.message(), where);
  }
}

std::shared_ptr<arrow::Table> set_integers(const std::shared_ptr<arrow::Table>& level, std::string_view name,
                                           const std::vector<std::optional<int64_t>>& values) {
  arrow::Int64Builder builder;
  check(builder.Reserve(static_cast<int64_t>(values.size())));
  for (const auto& value : values) check(value ? builder.Append(*value) : builder.AppendNull());
  const auto array = check(builder.Finish());
  return put(level, std::string(name), std::make_shared<arrow::ChunkedArray>(array), level->num_columns());
}

std::shared_ptr<arrow::Table> meta_columns(const std::shared_ptr<arrow::Table>& level, bool places) {
  std::vector<int> columns;
  for (int c = 0; c < level->num_columns(); ++c) {
    const auto& name = level->field(c)->name();
    const bool is_place = name == names::kOffset || name == names::kSize;
    if (is_place ? places : !name.starts_with(names::kInternal)) columns.push_back(c);
  }
  return check(level->SelectColumns(columns));
}

std::vector<std::optional<int64_t>> integers_of(const LevelTable& level, std::string_view name) {
  std::vector<std::optional<int64_t>> out(static_cast<std::size_t>(level.num_rows()));
  const int column = level.find(name);
  for (int64_t row = 0; column >= 0 && row < level.num_rows(); ++row)
    out[static_cast<std::size_t>(row)] = level.integer(column, row);
  return out;
}

}  // namespace tacore
