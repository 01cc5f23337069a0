#include "table/level_write.hpp"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include "base/text.hpp"
#include "format/names.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"

namespace tacore {
namespace {

std::shared_ptr<arrow::Table> append(const std::shared_ptr<arrow::Table>& table, std::string_view name,
                                     const std::shared_ptr<arrow::Array>& values) {
  const auto field = arrow::field(std::string(name), values->type());
  if (!table) return arrow::Table::Make(arrow::schema({field}), {values});
  return check(table->AddColumn(table->num_columns(), field, std::make_shared<arrow::ChunkedArray>(values)));
}

template <class Values, class Text>
std::shared_ptr<arrow::Array> text_array(const Values& values, const Text& text) {
  arrow::StringBuilder builder;
  check(builder.Reserve(static_cast<int64_t>(values.size())));
  for (const auto& value : values) check(builder.Append(text(value)));
  return check(builder.Finish());
}

}  // namespace

std::shared_ptr<arrow::Table> make_level(std::span<const std::string> ids, std::span<const SampleType> types,
                                         const std::shared_ptr<arrow::Table>& user) {
  const auto id = text_array(ids, [](const std::string& text) -> std::string_view { return text; });
  const auto type = text_array(types, [](SampleType t) -> std::string_view { return to_string(t); });
  const auto schema = arrow::schema(
      {arrow::field(std::string(names::kId), id->type()), arrow::field(std::string(names::kType), type->type())});
  auto out = arrow::Table::Make(schema, {id, type});
  return beside(out, user);
}

std::shared_ptr<arrow::Table> beside(const std::shared_ptr<arrow::Table>& left,
                                     const std::shared_ptr<arrow::Table>& right) {
  if (!right) return left;
  if (left->num_rows() != right->num_rows()) {
    throw SchemaError("metadata has " + std::to_string(right->num_rows()) + " rows for " +
                      std::to_string(left->num_rows()) + " samples");
  }
  auto out = left;
  for (int c = 0; c < right->num_columns(); ++c) {
    out = check(out->AddColumn(out->num_columns(), right->field(c)->WithNullable(true), right->column(c)));
  }
  return out;
}

std::shared_ptr<arrow::Table> add_column(const std::shared_ptr<arrow::Table>& table, std::string_view name,
                                         const std::vector<int64_t>& values) {
  arrow::Int64Builder builder;
  check(builder.AppendValues(values));
  return append(table, name, check(builder.Finish()));
}

std::shared_ptr<arrow::Table> add_column(const std::shared_ptr<arrow::Table>& table, std::string_view name,
                                         const std::vector<std::string>& values) {
  return append(table, name, text_array(values, [](const std::string& text) -> std::string_view { return text; }));
}

std::shared_ptr<arrow::Table> add_column(const std::shared_ptr<arrow::Table>& table, std::string_view name,
                                         const std::vector<std::optional<std::string>>& values) {
  arrow::StringBuilder builder;
  check(builder.Reserve(static_cast<int64_t>(values.size())));
  for (const auto& value : values) check(value ? builder.Append(*value) : builder.AppendNull());
  return append(table, name, check(builder.Finish()));
}

std::shared_ptr<arrow::Table> slice_rows(const std::shared_ptr<arrow::Table>& table, int64_t begin, int64_t end) {
  return table->Slice(begin, end - begin);
}

std::vector<FieldDescription> describe_fields(const arrow::Table& table) {
  std::vector<FieldDescription> out;
  for (const auto& field : table.schema()->fields()) {
    out.push_back({.name = field->name(), .type = lower(type_name(*field->type()))});
  }
  return out;
}

}  // namespace tacore
