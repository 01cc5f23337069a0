#include "table/metadata_columns.hpp"

#include <arrow/array.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "model/identifier.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"
#include "table/column_check.hpp"
#include "table/read_table.hpp"
#include "table/stack_tables.hpp"
#include "table/values.hpp"

namespace tacore {
namespace {

using Type = std::shared_ptr<arrow::DataType>;

Type type_of(const MetadataField& field) {
  return field.type.empty() ? infer_type(field.value) : parse_type(field.type);
}

arrow::Schema schema_of(const std::vector<MetadataField>& row) {
  arrow::FieldVector fields;
  for (const auto& field : row) fields.push_back(arrow::field(field.key, type_of(field)));
  return arrow::Schema(fields);
}

/// The fields of all rows, in the order first seen, with types that hold all values.
class Fields {
 public:
  void add(const std::vector<MetadataField>& row, const std::string& id) {
    for (const auto& field : row) {
      const auto [at, is_new] = known_.emplace(field.key, types.size());
      const Type type = type_of(field);
      if (is_new) {
        names.push_back(field.key);
        types.push_back(type);
        continue;
      }
      auto both = common_type(types[at->second], type);
      if (!both) {
        throw SchemaError("sample " + quoted(id) + " has field " + quoted(field.key) + " of type " + type_name(*type) +
                          ", those before it " + type_name(*types[at->second]) + "; one type expected");
      }
      types[at->second] = std::move(both);
    }
  }

  std::vector<std::string> names;
  std::vector<Type> types;

 private:
  std::map<std::string, std::size_t> known_;
};

/// True when both rows have the same fields of the same types, by a quick comparison.
bool same_fields(const std::vector<MetadataField>& a, const std::vector<MetadataField>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const MetadataField& x, const MetadataField& y) {
    if (x.key != y.key || x.type != y.type) return false;
    return !x.type.empty() ||
           (x.value.data.index() == y.value.data.index() && !x.value.get<Value::List>() && !x.value.get<Struct>());
  });
}

std::shared_ptr<arrow::Array> make_column(const std::string& name, const std::vector<const Value*>& values,
                                          const Type& type) {
  std::shared_ptr<arrow::Array> out;
  try {
    out = make_array(values, type);
  } catch (const SchemaError& error) {
    throw SchemaError("field " + quoted(name) + ": " + error.message());
  }
  check_column(name, *out);
  return out;
}

/// A column as users state it. Throws SchemaError for a type without a Value, of which read_values() makes text.
MetadataColumn stated_column(const std::string& name, const arrow::ChunkedArray& column) {
  const bool encoded = column.type()->id() == arrow::Type::DICTIONARY && is_text(*column.type());
  MetadataColumn out{.key = name, .values = read_values(column)};
  out.type = encoded ? "string" : type_name(*column.type());
  std::vector<const Value*> values;
  for (const auto& value : out.values) values.push_back(&value);
  try {
    make_array(values, parse_type(out.type));
  } catch (const SchemaError& error) {
    throw SchemaError("column " + quoted(name) + " of type " + type_name(*column.type()) +
                      " cannot be stored as metadata: " + error.message());
  }
  return out;
}

const Value* find(const std::vector<MetadataField>& row, std::size_t guess, const std::string& key) {
  if (guess < row.size() && row[guess].key == key) return &row[guess].value;
  const auto found = std::find_if(row.begin(), row.end(), [&](const MetadataField& field) { return field.key == key; });
  return found == row.end() ? nullptr : &found->value;
}

}  // namespace

std::shared_ptr<arrow::Table> metadata_table(const std::vector<const std::vector<MetadataField>*>& rows,
                                             const std::vector<std::string>& ids, const std::vector<bool>& exempt,
                                             bool strict) {
  Fields fields;
  const auto first = static_cast<std::size_t>(std::find(exempt.begin(), exempt.end(), false) - exempt.begin());
  for (std::size_t i = first; i < rows.size(); ++i) {
    if (exempt[i] || (i > first && !rows[i]->empty() && same_fields(*rows[first], *rows[i]))) {
      continue;  // the same fields as the first row: the usual case, and fast
    }
    if (strict && i > first) {
      const auto difference = schema_difference(schema_of(*rows[first]), schema_of(*rows[i]));
      if (!difference.empty()) {
        throw SchemaError("sample " + std::to_string(i) + " (" + quoted(ids[i]) + ") " + difference +
                          ", unlike sample " + std::to_string(first) + " (" + quoted(ids[first]) +
                          "); all samples of a level must have the same fields");
      }
    }
    fields.add(*rows[i], ids[i]);
  }
  if (fields.names.empty()) return nullptr;
  arrow::FieldVector columns;
  arrow::ArrayVector arrays;
  std::vector<const Value*> values(rows.size());
  for (std::size_t f = 0; f < fields.names.size(); ++f) {
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = find(*rows[i], f, fields.names[f]);
    columns.push_back(arrow::field(fields.names[f], fields.types[f]));
    arrays.push_back(make_column(fields.names[f], values, fields.types[f]));
  }
  return arrow::Table::Make(arrow::schema(columns), arrays, static_cast<int64_t>(rows.size()));
}

std::shared_ptr<arrow::Table> with_columns(const std::shared_ptr<arrow::Table>& table, int64_t num_rows,
                                           const std::vector<MetadataColumn>& columns) {
  auto out = table ? table : arrow::Table::Make(arrow::schema({}), arrow::ArrayVector(), num_rows);
  for (const auto& column : columns) {
    if (out->GetColumnByName(column.key)) throw SchemaError("field " + quoted(column.key) + " exists already");
    if (static_cast<int64_t>(column.values.size()) != num_rows) {
      throw SchemaError("field " + quoted(column.key) + " has " + std::to_string(column.values.size()) +
                        " values; one for each of " + std::to_string(num_rows) + " samples expected");
    }
    Type type = column.type.empty() ? arrow::null() : parse_type(column.type);
    std::vector<const Value*> values;
    values.reserve(column.values.size());
    for (const auto& value : column.values) {
      values.push_back(&value);
      if (!column.type.empty()) continue;
      const Type own = infer_type(value);
      auto both = common_type(type, own);
      if (!both) {
        throw SchemaError("field " + quoted(column.key) + " has " + type_name(*type) + " and " + type_name(*own) +
                          "; one type expected");
      }
      type = std::move(both);
    }
    const auto array = make_column(column.key, values, type);
    out = check(out->AddColumn(out->num_columns(), arrow::field(column.key, type),
                               std::make_shared<arrow::ChunkedArray>(array)));
  }
  return out;
}

std::vector<MetadataColumn> stated_columns(const arrow::Table& table) {
  std::vector<MetadataColumn> out;
  std::set<std::string> seen;
  for (int c = 0; c < table.num_columns(); ++c) {
    const std::string& name = table.field(c)->name();
    if (!seen.insert(name).second) throw SchemaError("column " + quoted(name) + " occurs twice");
    out.push_back(stated_column(name, *table.column(c)));
  }
  return out;
}

void check_metadata(const arrow::Table& table, const std::vector<std::string_view>& keys, const std::string& path) {
  std::set<std::string> seen;
  for (const auto& name : table.schema()->field_names()) {
    if (!seen.insert(name).second) throw SchemaError("column " + quoted(name) + " occurs twice", {.path = path});
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
    if (const auto why = why_bad_key(name); !why.empty()) {
      throw SchemaError("column " + quoted(name) + " " + why, {.path = path});
    }
    try {
      check_column(name, *find_column(table, name));
    } catch (const SchemaError& error) {
      throw SchemaError(error.message(), {.path = path});
    }
  }
}

std::vector<MetadataField> fields_of_row(const arrow::Table& table, int64_t row) {
  std::vector<MetadataField> out;
  for (int c = 0; c < table.num_columns(); ++c) {
    const auto& type = *table.column(c)->type();
    Value value = read_values(*table.column(c)->Slice(row, 1)).front();
    // A text that represents a type without a Value fits only that type.
    const bool stands_for_other = value.get<std::string>() && !is_text(type);
    out.push_back({table.field(c)->name(), std::move(value), stands_for_other ? "" : type_name(type)});
  }
  return out;
}

std::shared_ptr<arrow::ChunkedArray> column_or_null(const arrow::Table& table, std::string_view name) {
  return table.GetColumnByName(std::string(name));
}

std::shared_ptr<arrow::Table> without_column(const std::shared_ptr<arrow::Table>& table, std::string_view name) {
  return check(table->RemoveColumn(table->schema()->GetFieldIndex(std::string(name))));
}

}  // namespace tacore
