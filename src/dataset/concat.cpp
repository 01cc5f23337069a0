#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/log.hpp"
#include "base/text.hpp"
#include "dataset/dataset_impl.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"

namespace tacore {
namespace {

using Columns = std::vector<Column>;

const Column* find(const Columns& columns, std::string_view name) {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

/// Columns that unite() computes itself.
bool is_added(std::string_view name) {
  return name == names::kSourcePath || name == names::kSourceFile || name == names::kGdalVsi ||
         name == names::kSubfile || name == kRowKeyColumn;
}

/// The columns of level 0 after the steps of the view.
Columns root_columns(const View& view) {
  if (changes_columns(view)) return QueryPlan(view, Dataset::Impl::describe).columns({view.steps.size()})[0];
  Columns out = stored_columns(view, 0);
  out.push_back({std::string(kRowKeyColumn), "int64"});
  return out;
}

Format format_of(const View& view) {
  const View* at = &view;
  while (!at->container()) at = std::get<Union>(at->base).parts[0].view.get();
  return at->container()->format();
}

void check_critical(const UnionPart& part, const Columns& columns, int level) {
  std::vector<std::string_view> critical{names::kId, names::kType};
  const bool folder = format_of(*part.view) == Format::Folder;
  if (!folder) critical.insert(critical.end(), {names::kOffset, names::kSize});
  if (level == 0) critical.push_back(kRowKeyColumn);
  if (level > 0) critical.push_back(names::kParentId);
  std::vector<std::string> missing;
  for (const auto name : critical) {
    if (!find(columns, name)) missing.emplace_back(name == kRowKeyColumn ? names::kCurrentId : name);
  }
  if (missing.empty()) return;
  throw SchemaError("Critical columns missing: " + join(missing, ", ") + "; navigation needs them, SELECT * keeps them",
                    {.path = part.source_path, .offset = {}, .level = level});
}

/// Types of one kind can share a column.
std::string_view kind(std::string_view type) {
  for (const char* number : {"int", "uint", "float", "double", "half", "decimal"}) {
    if (type.starts_with(number)) return "number";
  }
  for (const char* other :
       {"timestamp", "date", "time", "list", "large_list", "fixed_size_list", "struct", "bool", "binary"}) {
    if (type.starts_with(other)) return other;
  }
  if (type.ends_with("string") || type.starts_with("dictionary")) return "string";
  return type.ends_with("binary") ? "binary" : type;
}

/// Reports that `part` has a column of this name with another type than `known`, the type in `first`.
void check_type(const Column& known, const UnionPart& first, const Column& column, const UnionPart& part) {
  if (kind(known.type) == kind(column.type) || known.type == "null" || column.type == "null") return;
  throw SchemaError("column " + in_quotes(known.name) + " is " + known.type + " in " + first.source_path + " and " +
                    column.type + " in " + part.source_path);
}

bool is_floating(std::string_view type) { return type == "double" || type == "float" || type == "halffloat"; }
bool is_whole(std::string_view type) { return type.starts_with("int") || type.starts_with("uint"); }

/// Integers in one part and floating-point numbers in another share a column of doubles.
void widen(const std::vector<Columns>& parts, Column& column) {
  bool any_floating = false, any_whole = false;
  for (const Columns& part : parts) {
    const Column* own = find(part, column.name);
    any_floating = any_floating || (own && is_floating(own->type));
    any_whole = any_whole || (own && is_whole(own->type));
  }
  if (any_floating && any_whole) column.type = "double";
}

std::string path_list(const std::vector<UnionPart>& parts, const std::vector<Columns>& columns, const std::string& name,
                      bool with) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if ((find(columns[i], name) != nullptr) == with) out.push_back(parts[i].source_path);
  }
  return join(out, ", ");
}

[[noreturn]] void throw_strict(const std::vector<UnionPart>& parts, const std::vector<Columns>& columns,
                               const std::set<std::string>& partial, int level) {
  std::string text = "Column mismatch in level " + std::to_string(level) + ":";
  for (const auto& name : partial)
    text += " " + in_quotes(name) + " only in " + path_list(parts, columns, name, true) + ";";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::vector<std::string> names;
    for (const auto& column : columns[i]) {
      if (!is_added(column.name)) names.push_back(column.name);
    }
    text += " " + parts[i].source_path + " has [" + join(names, ", ") + "];";
  }
  throw SchemaError(text + " column_mode intersection or fill_missing allows different columns");
}

/// The columns of a level that the parts share, and their names in each part.
Columns align(const std::vector<UnionPart>& parts, const std::vector<Columns>& columns, ColumnMode mode, int level) {
  Columns out;
  std::map<std::string, std::size_t> first;  // the part in which a column was first seen
  std::set<std::string> partial;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const auto& column : columns[i]) {
      if (is_added(column.name)) continue;
      const auto [seen, is_new] = first.emplace(column.name, i);
      check_type(*find(columns[seen->second], column.name), parts[seen->second], column, parts[i]);
      const bool everywhere = std::all_of(columns.begin(), columns.end(),
                                          [&](const Columns& c) { return find(c, column.name) != nullptr; });
      // Containers store the location of a row in different columns; no information is lost when these differ.
      const bool internal = column.name.starts_with(names::kInternal);
      if (!everywhere && !internal) partial.insert(column.name);
      if (is_new && (everywhere || internal || mode == ColumnMode::FillMissing)) out.push_back(column);
    }
  }
  for (Column& column : out) widen(columns, column);
  if (!partial.empty() && mode == ColumnMode::Strict) throw_strict(parts, columns, partial, level);
  for (const auto& name : partial) {
    log::warning("concat: column " + in_quotes(name) + " of level " + std::to_string(level) +
                 (mode == ColumnMode::FillMissing ? " is filled with null in " : " is dropped: it is missing in ") +
                 path_list(parts, columns, name, false));
  }
  out.push_back({std::string(names::kSourcePath), "string"});
  out.push_back({std::string(names::kSourceFile), "string"});
  return out;
}

/// Names that differ only in case get a suffix, as within one level, since SQL ignores case (row 33 of
/// docs/deviations.md). Which of them does not depend on the order of columns or parts.
void rename_twins(Columns& columns) {
  std::set<std::string> folded;
  std::vector<Column*> named;
  for (auto& column : columns) {
    if (is_added(column.name)) folded.insert(lower(column.name));
    else named.push_back(&column);
  }
  std::ranges::stable_sort(named, std::greater(), &Column::name);
  for (Column* column : named) {
    const std::string name = column->name;
    for (int i = 1; !folded.insert(lower(column->name)).second; ++i) column->name = name + "_" + std::to_string(i);
  }
}

/// Before 2.0 samples may differ in structure, and the tree is that of one of them.
bool fits(const Dataset& dataset, const Dataset& first) {
  return (is_v1(dataset.format()) && is_v1(first.format())) ||
         impl_of(dataset)->tree().is_compatible(impl_of(first)->tree());
}

void check_inputs(std::span<const Dataset> datasets) {
  if (datasets.size() < 2)
    throw QueryError("concat needs at least 2 datasets, " + std::to_string(datasets.size()) + " given");
  for (const Dataset& dataset : datasets) {
    if (!dataset.is_rsut()) {
      throw SchemaError(
          "not RSUT compliant: a query dropped columns that navigation needs or used deeper levels, or its samples "
          "have different children",
          {.path = dataset.path()});
    }
    if (!fits(dataset, datasets[0])) {
      throw SchemaError("incompatible schema: its tree differs from that of " + datasets[0].path(),
                        {.path = dataset.path()});
    }
  }
}

/// The counts of all inputs, added up.
PitSchema sum(std::span<const Dataset> datasets) {
  PitSchema out = datasets[0].pit_schema();
  for (const Dataset& dataset : datasets.subspan(1)) {
    const PitSchema more = dataset.pit_schema();
    out.root_n += more.root_n;
    if (!more.is_compatible(out)) continue;
    for (auto& [level, patterns] : out.hierarchy) {
      for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i].n += more.hierarchy.at(level)[i].n;
    }
  }
  return out;
}

}  // namespace

Union unite(std::vector<UnionPart> parts, ColumnMode mode) {
  Union out{.parts = {}, .columns = {}, .names = {}, .fills_missing = mode == ColumnMode::FillMissing};
  for (int level = 0; level < parts[0].view->num_levels(); ++level) {
    std::vector<Columns> columns;
    for (const auto& part : parts) {
      if (part.view->num_levels() != parts[0].view->num_levels()) {
        throw SchemaError("incompatible schema: " + std::to_string(part.view->num_levels()) + " levels, " +
                              std::to_string(parts[0].view->num_levels()) + " in " + parts[0].source_path,
                          {.path = part.source_path});
      }
      columns.push_back(level == 0 ? root_columns(*part.view) : stored_columns(*part.view, level));
      check_critical(part, columns.back(), level);
    }
    Columns shared = align(parts, columns, mode, level);
    auto& names = out.names.emplace_back();
    for (const auto& column : shared) names.push_back(column.name);
    rename_twins(shared);
    out.columns.push_back(std::move(shared));
  }
  out.parts = std::move(parts);
  return out;
}

ColumnMode parse_column_mode(std::string_view text) {
  if (text == "intersection") return ColumnMode::Intersection;
  if (text == "fill_missing") return ColumnMode::FillMissing;
  if (text == "strict") return ColumnMode::Strict;
  throw QueryError("Invalid column_mode " + in_quotes(text) + "; intersection, fill_missing or strict expected");
}

Dataset concat(std::span<const Dataset> datasets, ColumnMode mode) {
  check_inputs(datasets);
  std::vector<UnionPart> parts;
  int leaves = 0;
  for (const Dataset& dataset : datasets) {
    UnionPart part{std::make_shared<const View>(impl_of(dataset)->drawn_view()), leaves, dataset.path(),
                   file_name(dataset.path())};
    leaves += part.view->num_leaves;
    parts.push_back(std::move(part));
  }
  if (leaves > RowKey::kMaxParts)
    throw QueryError("concat of " + std::to_string(leaves) + " containers; at most " +
                     std::to_string(RowKey::kMaxParts) + " are supported");
  auto impl = std::make_shared<Dataset::Impl>();
  Collection collection = datasets[0].collection();
  collection.pit_schema = sum(datasets);
  impl->path = "<concatenated>";
  impl->format = datasets[0].format();
  impl->collection = std::make_shared<const Collection>(std::move(collection));
  impl->base.num_leaves = leaves;
  impl->base.base = unite(std::move(parts), mode);
  return Dataset(std::move(impl));
}

}  // namespace tacore
