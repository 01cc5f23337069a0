#include "validate/columns.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "format/names.hpp"
#include "table/cells.hpp"
#include "table/compare_columns.hpp"

namespace tacore::validator {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// True for `name` or `namespace:name` (§7.1.2).
bool is_extension_name(std::string_view name) {
  const auto colon = name.find(':');
  if (colon == name.npos) return is_word(name);
  return is_word(name.substr(0, colon)) && is_word(name.substr(colon + 1));
}

void check_required(Report& report, const LevelTable& table, TableKind kind) {
  const bool below_root = table.where().level.value_or(0) > 0;
  std::vector<std::string_view> required;
  if (below_root) required.push_back(names::kParentId);
  if (kind != TableKind::Folder) {
    required.push_back(names::kOffset);
    required.push_back(names::kSize);
  }
  if (kind == TableKind::Index) required.push_back(names::kSourceFile);
  for (const auto name : required) {
    if (table.find(name) < 0) report.add("SCH-2", "no column " + in_quotes(name), table.where());
  }
  if (table.find(names::kCurrentId) < 0)
    report.add("LVL-8", "no column " + in_quotes(names::kCurrentId), table.where());
  if (below_root && table.find(names::kRelativePath) < 0) {
    report.add("LVL-8", "no column " + in_quotes(names::kRelativePath), table.where());
  }
  const int parent = table.find(names::kParentId);
  if (parent >= 0 && table.columns()[static_cast<std::size_t>(parent)].type.find("string") != std::string::npos) {
    report.add("LVL-8", "internal:parent_id is a string, int64 expected", table.where());
  }
}

void check_column_names(Report& report, const LevelTable& table, TableKind kind) {
  for (const auto& name : repeated_columns(table))
    report.add("SCH-9", "two columns are called " + in_quotes(name), table.where());
  std::set<std::string> seen;
  for (const auto& column : table.columns()) {
    if (!seen.insert(lower(column.name)).second) continue;
    const bool is_place = column.name == names::kOffset || column.name == names::kSize;
    const bool is_foreign =
        (column.name == names::kSourceFile && kind != TableKind::Index) || (is_place && kind == TableKind::Folder);
    if (is_foreign || column.name == names::kGdalVsi || column.name == names::kSourcePath) {
      report.add("SCH-6", "column " + in_quotes(column.name) + " should not be stored", table.where());
    } else if (!is_extension_name(column.name)) {
      report.add("SCH-7",
                 "the name of column " + in_quotes(column.name) +
                     " is not made of letters, digits and _, with at most one : between",
                 table.where());
    }
  }
}

/// False for columns that containers add: published files never list them.
bool is_listed(std::string_view column) {
  return column != names::kOffset && column != names::kSize && column != names::kSourceFile;
}

/// True for the name that LevelTable gives to a column whose name differs from an earlier one only in case.
bool is_renamed(std::string_view column, const std::string& stored) {
  const auto suffix = column.rfind('_');
  return suffix != column.npos && column.substr(0, suffix) == stored;
}

int find_column(const LevelTable& table, const std::string& name) {
  if (const int column = table.find(name); column >= 0) return column;
  const auto& columns = table.columns();
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return is_renamed(c.name, name); });
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

void check_field_schema(Report& report, const LevelTable& table, const Collection& collection) {
  const std::string key = "level" + std::to_string(table.where().level.value_or(0));
  const auto fields = collection.field_schema.find(key);
  if (fields == collection.field_schema.end()) {
    return report.add("SCH-5", "taco:field_schema has no " + key, table.where());
  }
  for (const auto& field : fields->second) {
    const int column = find_column(table, field.name);
    if (column < 0) {
      report.add("SCH-5", "taco:field_schema lists " + in_quotes(field.name) + ", but there is no such column",
                 table.where());
    } else if (const auto& type = table.columns()[static_cast<std::size_t>(column)].type;
               lower(type) != lower(field.type)) {
      report.add(
          "SCH-5",
          "taco:field_schema gives " + in_quotes(field.name) + " the type " + field.type + ", the column has " + type,
          table.where());
    }
  }
  for (const auto& column : table.columns()) {
    const auto same = [&](const FieldDescription& field) {
      return field.name == column.name || is_renamed(column.name, field.name);
    };
    if (is_listed(column.name) && std::none_of(fields->second.begin(), fields->second.end(), same)) {
      report.add("SCH-5", "taco:field_schema does not list column " + in_quotes(column.name), table.where());
    }
  }
}

}  // namespace

std::shared_ptr<const LevelTable> open_level(Report& report, const std::shared_ptr<const ByteSource>& source,
                                             const ErrorContext& where) {
  try {
    return LevelTable::open(source, where);
  } catch (const SchemaError& error) {
    report.add("SCH-2", error, where);
  } catch (const FormatError& error) {
    report.add("SCH-1", error, where);
  }
  return nullptr;
}

namespace {

void check_statistics(Report& report, const LevelTable& table, int column) {
  for (int g = 0; g < table.num_row_groups(); ++g) {
    const auto why = table.why_wrong_statistics(column, g);
    if (why.empty()) continue;
    report.add("SCH-8",
               "statistics of column " + in_quotes(table.columns()[static_cast<std::size_t>(column)].name) +
                   " in row group " + std::to_string(g) + ": " + why,
               table.where());
  }
}

}  // namespace

void check_values(Report& report, const LevelTable& table) {
  try {
    if (const auto why = table.why_wrong_proof(); !why.empty()) report.add("SCH-10", why, table.where());
  } catch (const Error& error) {
    report.add("SCH-10", error, table.where());
  }
  for (int c = 0; c < static_cast<int>(table.columns().size()); ++c) {
    const std::string& name = table.columns()[static_cast<std::size_t>(c)].name;
    try {
      check_statistics(report, table, c);
      if (name == names::kId) continue;  // checked by ID-1
      for (int g = 0; g < table.num_row_groups(); ++g) {
        const auto row = first_not_utf8(*table.decode(c, g));
        if (!row) continue;
        report.add("SCH-1",
                   "row " + std::to_string(table.group_begin(g) + *row) + ": " + in_quotes(name) + " is not UTF-8",
                   table.where());
        break;
      }
    } catch (const Error& error) {
      report.add("SCH-1", "column " + in_quotes(name) + ": " + message_of(error), table.where());
    }
  }
}

void check_columns(Report& report, const LevelTable& table, TableKind kind, const Collection* collection) {
  check_required(report, table, kind);
  check_column_names(report, table, kind);
  if (collection) check_field_schema(report, table, *collection);
}

}  // namespace tacore::validator
