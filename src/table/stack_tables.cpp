#include "table/stack_tables.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/array/concatenate.h>
#include <arrow/compute/cast.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <map>

#include "base/text.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"
#include "table/values.hpp"

namespace tacore {
namespace {

std::string with_type(const arrow::Field& field) {
  return in_quotes(field.name()) + " (" + type_name(*field.type()) + ")";
}

/// The columns of `a` that `b` lacks.
std::string only_in(const arrow::Schema& a, const arrow::Schema& b) {
  std::vector<std::string> out;
  for (const auto& field : a.fields()) {
    if (!b.GetFieldByName(field->name())) out.push_back(with_type(*field));
  }
  return join(out, ", ");
}

}  // namespace

std::string schema_difference(const arrow::Schema& expected, const arrow::Schema& found) {
  std::vector<std::string> out;
  if (const auto missing = only_in(expected, found); !missing.empty()) out.push_back("lacks " + missing);
  if (const auto more = only_in(found, expected); !more.empty()) out.push_back("has " + more + " besides");
  for (const auto& field : found.fields()) {
    const auto known = expected.GetFieldByName(field->name());
    if (!known || known->type()->Equals(field->type()) || field->type()->id() == arrow::Type::NA ||
        known->type()->id() == arrow::Type::NA) {
      continue;
    }
    out.push_back("has " + with_type(*field) + ", " + type_name(*known->type()) + " expected");
  }
  return join(out, "; ");
}

std::string schema_difference(const std::shared_ptr<arrow::Table>& expected,
                              const std::shared_ptr<arrow::Table>& found) {
  static const arrow::Schema none(arrow::FieldVector{});
  return schema_difference(expected ? *expected->schema() : none, found ? *found->schema() : none);
}

std::shared_ptr<arrow::Table> stack_tables(const std::vector<TablePart>& parts) {
  arrow::FieldVector fields;
  std::map<std::string, std::size_t> known;
  int64_t num_rows = 0;
  for (const auto& part : parts) {
    num_rows += part.num_rows;
    if (!part.table) continue;
    for (const auto& field : part.table->schema()->fields()) {
      const auto [at, is_new] = known.emplace(field->name(), fields.size());
      if (is_new) {
        fields.push_back(field->WithNullable(true));
        continue;
      }
      auto& here = fields[at->second];
      const auto both = common_type(here->type(), field->type());
      if (!both) {
        throw SchemaError("field " + in_quotes(field->name()) + " is " + type_name(*here->type()) + " and " +
                          type_name(*field->type()) + "; one type expected");
      }
      here = here->WithType(both);
    }
  }
  if (fields.empty()) return nullptr;
  arrow::ArrayVector columns;
  for (const auto& field : fields) {
    arrow::ArrayVector pieces;
    for (const auto& part : parts) {
      const auto column = part.table ? part.table->GetColumnByName(field->name()) : nullptr;
      if (!column) {
        if (part.num_rows > 0) pieces.push_back(check(arrow::MakeArrayOfNull(field->type(), part.num_rows)));
        continue;
      }
      for (const auto& chunk : column->chunks()) {
        pieces.push_back(chunk->type()->Equals(field->type()) ? chunk
                                                              : check(arrow::compute::Cast(*chunk, field->type())));
      }
    }
    columns.push_back(pieces.empty() ? check(arrow::MakeEmptyArray(field->type())) : check(arrow::Concatenate(pieces)));
  }
  return arrow::Table::Make(arrow::schema(fields), columns, num_rows);
}

}  // namespace tacore
