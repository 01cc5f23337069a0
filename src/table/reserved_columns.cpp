#include "table/reserved_columns.hpp"

#include <arrow/array.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <string>

#include "base/text.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"
#include "table/read_table.hpp"
#include "table/tortilla_columns.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }
bool is_number_type(std::string_view type) { return has(type, "int") || has(type, "float") || has(type, "double"); }

std::shared_ptr<arrow::Array> converted(const std::string& name, FieldKind kind,
                                        const std::shared_ptr<arrow::Array>& values) {
  if (kind == FieldKind::Time) return timestamps(name, values);
  if (kind == FieldKind::Point) return wkb_points(name, values);
  if (kind == FieldKind::Shape && arrow::is_list_like(values->type_id())) return whole_shapes(name, values);
  return values;
}

}  // namespace

std::string_view expected_type(FieldKind kind, std::string_view type, bool is_v1) {
  if (type == "null") return "";
  const bool is_list = has(type, "list<");
  const bool is_plain = !has(type, "<") || type.starts_with("dictionary<");
  switch (kind) {
    case FieldKind::Crs:
    case FieldKind::Text: return has(type, "string") && is_plain ? "" : "string";
    case FieldKind::Shape: return is_list && has(type, "int") ? "" : "list<item: int64>";
    case FieldKind::Geotransform: return is_list && is_number_type(type) ? "" : "list<item: double>";
    case FieldKind::Time:
      if (is_v1) return is_plain && (is_number_type(type) || has(type, "timestamp")) ? "" : "int64, seconds";
      return type.starts_with("timestamp[") ? "" : "timestamp[us]";
    case FieldKind::Point:
      if (is_v1 && is_plain && has(type, "string")) return "";
      return has(type, "binary") && is_plain ? "" : is_v1 ? "string, WKT" : "binary";
    case FieldKind::Geometry: return has(type, "binary") && is_plain ? "" : "binary";
    case FieldKind::Stats:
      return is_list && is_number_type(type) && type.find("list<") != type.rfind("list<")
                 ? ""
                 : "list<item: list<item: float>>";
    case FieldKind::Number: return is_plain && is_number_type(type) ? "" : "double";
  }
  return "";
}

std::shared_ptr<arrow::Table> with_reserved_types(const std::shared_ptr<arrow::Table>& columns, int level) {
  if (!columns) return nullptr;
  auto out = columns;
  for (const ReservedField& field : kReservedFields) {
    const int column = columns->schema()->GetFieldIndex(std::string(field.name));
    if (column < 0 || field.only_v1) continue;
    const auto expected_of = [&](const arrow::DataType& type) {
      return expected_type(field.kind, type_name(type), false);
    };
    const std::string name(field.name);
    if (expected_of(*columns->field(column)->type()).empty()) continue;
    try {
      const auto values = converted(name, field.kind, find_column(*in_one_piece(out), name));
      if (const auto expected = expected_of(*values->type()); !expected.empty()) {
        throw SchemaError("column " + in_quotes(name) + " has the type " + type_name(*values->type()) + ", " +
                          std::string(expected) + " expected");
      }
      out = check(
          out->SetColumn(column, arrow::field(name, values->type()), std::make_shared<arrow::ChunkedArray>(values)));
    } catch (const SchemaError& error) {
      throw SchemaError(error.message(), {.path = {}, .offset = {}, .level = level});
    }
  }
  return out;
}

}  // namespace tacore
