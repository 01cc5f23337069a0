#include "tacore/extensions/conventions.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "extensions/columns.hpp"
#include "extensions/conventions.hpp"
#include "model/json_text.hpp"
#include "tacore/write/create.hpp"

namespace tacore::extensions {

namespace {

/// Ids that each sample must have at a level, level 1 first.
std::vector<std::vector<std::string>> children_of(Convention convention) {
  switch (convention) {
    case Convention::LandCover: return {{"image", "target"}};
    case Convention::Change: return {{"label", "imagery"}, {"before", "after"}};
    case Convention::Methane: return {{"emission", "background", "cloudmask", "ch4", "plume"}};
    case Convention::Flood: return {};
  }
  return {};
}

void check_fields(std::span<const Column> columns, const DatasetShape& dataset, std::vector<std::string>& faults) {
  for (const Column& column : columns) {
    const auto field = std::find_if(dataset.fields.begin(), dataset.fields.end(),
                                    [&](const FieldDescription& each) { return each.name == column.name; });
    if (field == dataset.fields.end()) {
      faults.push_back("there is no column " + std::string(column.name) + " (" + column.type + ")");
    } else if (field->type != column.type) {
      faults.push_back(std::string(column.name) + " is " + field->type + ", expected " + column.type);
    }
  }
}

void check_values(Convention convention, std::span<const Column> columns, const DatasetShape& dataset,
                  std::vector<std::string>& faults) {
  static const Value null;
  for (std::size_t row = 0; row < dataset.samples.size(); ++row) {
    const std::string sample = "sample " + quoted(dataset.samples[row]) + ": ";
    std::vector<const Value*> values;
    for (const Column& column : columns) {
      const auto at = dataset.columns.find(column.name);
      values.push_back(at == dataset.columns.end() ? &null : &at->second[row]);
      if (at == dataset.columns.end()) continue;
      const std::string fault = fault_in(column, *values.back());
      if (!fault.empty()) faults.push_back(sample + column.name + " is " + fault);
    }
    const std::string fault = fault_among(extension_of(convention), values);
    if (!fault.empty()) faults.push_back(sample + fault);
  }
}

void check_lengths(const DatasetShape& dataset, std::vector<std::string>& faults) {
  const auto column = dataset.columns.find("landcover:fractions");
  if (column == dataset.columns.end()) return;
  const Value::List* first = nullptr;
  for (std::size_t row = 0; row < column->second.size(); ++row) {
    const auto* list = column->second[row].get<Value::List>();
    if (!first) first = list;
    if (list && list->size() != first->size()) {
      faults.push_back("sample " + quoted(dataset.samples[row]) + ": landcover:fractions has " +
                       std::to_string(list->size()) + " classes, others have " + std::to_string(first->size()));
    }
  }
}

void check_children(Convention convention, const DatasetShape& dataset, std::vector<std::string>& faults) {
  const auto wanted = children_of(convention);
  for (std::size_t level = 0; level < wanted.size(); ++level) {
    const std::vector<std::string> none;
    const auto& ids = level < dataset.child_ids.size() ? dataset.child_ids[level] : none;
    for (const std::string& id : wanted[level]) {
      const auto count = static_cast<std::size_t>(std::count(ids.begin(), ids.end(), id));
      if (count == dataset.samples.size()) continue;
      faults.push_back("level " + std::to_string(level + 1) + ": " + std::to_string(count) + " of " +
                       std::to_string(dataset.samples.size()) + " samples have a child " + id);
    }
  }
}

}  // namespace

const char* extension_of(Convention convention) {
  switch (convention) {
    case Convention::LandCover: return "land_cover";
    case Convention::Change: return "change";
    case Convention::Methane: return "methane";
    case Convention::Flood: return "flood";
  }
  return "";
}

std::vector<std::string> faults_of(Convention convention, const DatasetShape& dataset) {
  std::vector<std::string> faults;
  const auto columns = columns_of(extension_of(convention));
  check_fields(columns, dataset, faults);
  check_values(convention, columns, dataset, faults);
  if (convention == Convention::LandCover) check_lengths(dataset, faults);
  check_children(convention, dataset, faults);
  return faults;
}

std::vector<std::string> check_convention(Convention convention, const Tortilla& tortilla) {
  DatasetShape shape = {.samples = tortilla.ids(), .fields = tortilla.fields()};
  for (const Column& wanted : columns_of(extension_of(convention))) {
    const auto has = std::any_of(shape.fields.begin(), shape.fields.end(),
                                 [&](const FieldDescription& field) { return field.name == wanted.name; });
    if (has) shape.columns[wanted.name] = tortilla.column(wanted.name);
  }
  for (int level = 1; level <= tortilla.depth(); ++level) shape.child_ids.push_back(tortilla.ids(level));
  return faults_of(convention, shape);
}

std::vector<std::string> check_convention(Convention convention, const Taco& taco) {
  auto out = check_convention(convention, taco.tortilla);
  const bool has_classes = convention == Convention::LandCover || convention == Convention::Flood;
  const auto members = json_members(taco.collection.json);
  const auto is_classes = [](const JsonMember& member) { return member.key == "\"labels:classes\""; };
  if (has_classes && std::none_of(members.begin(), members.end(), is_classes)) {
    out.emplace_back("the collection has no labels:classes; the extension Labels adds them");
  }
  return out;
}

}  // namespace tacore::extensions
