#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "model/collection_members.hpp"
#include "model/json_text.hpp"
#include "table/read_table.hpp"
#include "table/sample_table.hpp"
#include "tacore/error.hpp"
#include "tacore/write/create.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore {
namespace {

struct FieldClass {
  std::string value, name;
};

/// A row of a table of fields.
struct Field {
  std::string name, description, unit;
  std::vector<FieldClass> classes;
};

/// Reads "0=water; 1=forest". Throws SchemaError, whose message continues a sentence.
std::vector<FieldClass> parse_classes(const std::string& text) {
  std::vector<FieldClass> out;
  if (trimmed(text).empty()) return out;
  std::set<std::string> values;
  for (const auto& part : split(text, ';')) {
    if (trimmed(part).empty()) continue;
    const auto equals = part.find('=');
    const std::string value(trimmed(part.substr(0, equals)));
    const std::string name(equals == part.npos ? "" : trimmed(part.substr(equals + 1)));
    if (value.empty() || name.empty()) {
      throw SchemaError("has a class " + in_quotes(trimmed(part)) +
                        "; VALUE=NAME expected, separated by semicolons, such as 0=water;1=forest");
    }
    if (!values.insert(value).second) throw SchemaError("has two classes of value " + in_quotes(value));
    out.push_back({value, name});
  }
  return out;
}

std::string description_of(const Field& field) {
  std::string out = field.description;
  if (!field.unit.empty()) out += out.empty() ? "Unit: " + field.unit : " (" + field.unit + ")";
  for (std::size_t i = 0; i < field.classes.size(); ++i) {
    out += out.empty() ? "" : i == 0 ? "; " : ", ";
    out += field.classes[i].value + " = " + field.classes[i].name;
  }
  return out;
}

/// The fields that a table describes, all of which are in `columns`.
std::vector<Field> read_fields(const std::string& path, const std::vector<std::string>& columns) {
  const std::vector<std::string> members{"name", "description", "unit", "classes", "column"};
  const auto table = read_table(path, {}, members);
  const auto given = column_names(*table);
  const auto has = [&](const std::string& name) { return std::ranges::find(given, name) != given.end(); };
  for (const auto& name : given) {
    if (std::ranges::find(members, name) != members.end()) continue;
    throw SchemaError(
        "column " + in_quotes(name) + " is none of name, description, unit and classes" + did_you_mean(name, members),
        {.path = path});
  }
  const auto names = text_column(*table, has("column") && !has("name") ? "column" : "name", path);
  const auto texts_of = [&](const std::string& name) {
    return has(name) ? text_column(*table, name, path) : std::vector<std::optional<std::string>>(names.size());
  };
  const auto descriptions = texts_of("description"), units = texts_of("unit"), classes = texts_of("classes");
  RowFaults faults(path, {});
  std::map<std::string, int64_t> rows;
  std::vector<Field> out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    const std::string name = names[i].value_or("");
    if (name == "path") continue;  // a table of samples has this column, but no dataset
    const std::string quoted = " (" + in_quotes(name) + ") ";
    if (const auto [first, is_new] = rows.emplace(name, row); !is_new) {
      faults.add(row, quoted + "describes the column of", first->second);
    } else if (std::ranges::find(columns, name) == columns.end()) {
      faults.add(row, quoted + "is no column of the samples: " + join(columns, ", ") + did_you_mean(name, columns));
    }
    try {
      out.push_back(
          {name, descriptions[i].value_or(""), units[i].value_or(""), parse_classes(classes[i].value_or(""))});
    } catch (const SchemaError& error) {
      faults.add(row, quoted + error.message());
    }
  }
  faults.throw_if_any();
  return out;
}

/// The keys that the extension Labels adds.
std::string with_labels(std::string json, const Field& field) {
  Value::List classes;
  for (const auto& [value, name] : field.classes)
    classes.push_back(Struct{{"name", name}, {"category", value}, {"description", {}}});
  const auto count = static_cast<int64_t>(classes.size());
  json = with_member(json, "labels:classes", std::move(classes));
  json = with_member(json, "labels:description", field.description.empty() ? Value() : Value(field.description));
  return with_member(json, "labels:num_classes", count);
}

bool has_classes(const std::string& json) {
  if (json.empty()) return false;
  const auto members = json_members(json);
  return std::ranges::any_of(members, [](const auto& member) { return member.key == "\"labels:classes\""; });
}

}  // namespace

void Taco::describe_fields(const std::string& path) {
  std::vector<std::string> columns;
  for (int level = 0; level <= tortilla.depth(); ++level) {
    for (const auto& field : tortilla.fields(level)) {
      if (std::ranges::find(columns, field.name) == columns.end()) columns.push_back(field.name);
    }
  }
  columns.insert(columns.end(), {"id", "type"});
  const auto fields = read_fields(path, columns);
  Tree tree = impl_of(tortilla)->tree;
  for (const auto& field : fields) {
    const std::string text = description_of(field);
    if (text.empty()) continue;
    for (int level = 0; level < static_cast<int>(tree.levels.size()); ++level) {
      auto& here = tree.levels[static_cast<std::size_t>(level)];
      const auto known = here.columns ? column_names(*here.columns) : std::vector<std::string>();
      const bool is_core = field.name == "id" || field.name == "type";
      if (is_core || std::ranges::find(known, field.name) != known.end()) here.descriptions[field.name] = text;
    }
  }
  const auto has = [](const Field& field) { return !field.classes.empty(); };
  if (std::ranges::count_if(fields, has) == 1 && !has_classes(collection.json)) {
    collection.json = with_labels(collection.json, *std::ranges::find_if(fields, has));
  }
  tortilla = tortilla_of(std::move(tree));
}

}  // namespace tacore
