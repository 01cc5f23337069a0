#include "tacore/ops/inspect.hpp"

#include <functional>

#include "base/text.hpp"
#include "model/collection_rules.hpp"
#include "model/spdx.hpp"
#include "table/arrow_stream.hpp"
#include "table/metadata_columns.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"
#include "writer/extent.hpp"
#include "writer/parts.hpp"
#include "writer/tables.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore {
namespace {

std::size_t row_of(const Tree& tree, int64_t row) {
  const std::size_t rows = tree.levels.at(0).ids.size();
  if (row >= 0 && static_cast<std::size_t>(row) < rows) return static_cast<std::size_t>(row);
  throw SchemaError("row " + std::to_string(row) + " does not exist at level 0, which has " + std::to_string(rows));
}

}  // namespace

std::vector<MetadataColumn> read_metadata(ArrowArrayStream* rows) {
  return stated_columns(*in_one_piece(import_table(rows)));
}

void export_metadata(const std::vector<MetadataColumn>& columns, ArrowArrayStream* out) {
  const auto rows = columns.empty() ? 0 : static_cast<int64_t>(columns[0].values.size());
  export_table(with_columns(nullptr, rows, columns), out);
}

Tortilla children(const Tortilla& tortilla, int64_t row) {
  const Tree& tree = impl_of(tortilla)->tree;
  const std::size_t at = row_of(tree, row);
  if (tree.levels[0].types[at] != SampleType::Folder)
    throw SchemaError("sample " + in_quotes(tree.levels[0].ids[at]) + " is a FILE, a FOLDER expected");
  Tree out = take_roots(tree, {row});
  out.levels.erase(out.levels.begin());
  while (out.levels.size() > 1 && out.levels.back().ids.empty()) out.levels.pop_back();
  out.levels[0].parents.clear();
  return tortilla_of(std::move(out));
}

std::vector<MetadataField> metadata(const Tortilla& tortilla, int64_t row) {
  const TreeLevel& level = impl_of(tortilla)->tree.levels.at(0);
  row_of(impl_of(tortilla)->tree, row);
  auto out = level.columns ? fields_of_row(*level.columns, row) : std::vector<MetadataField>();
  for (auto& field : out) {
    if (const auto known = level.descriptions.find(field.key); known != level.descriptions.end())
      field.description = known->second;
  }
  return out;
}

Extent compute_extent(const Tortilla& tortilla) { return completed({}, stated_extent(impl_of(tortilla)->tree)); }

std::vector<std::string> validation_errors(const Taco& taco) {
  std::vector<std::string> out;
  for (const auto& fault : collection_faults(taco.collection)) out.push_back("the collection: " + fault);
  const Tree& tree = impl_of(taco.tortilla)->tree;
  const std::function<void()> checks[] = {[&] { check_tree(tree); }, [&] { check_field_names(tree); },
                                          [&] { stated_extent(tree); }};
  for (const auto& check : checks) {
    try {
      check();
    } catch (const Error& error) {
      out.emplace_back(error.what());
    }
  }
  return out;
}

std::vector<std::string> validation_errors(const Collection& collection) { return collection_faults(collection); }

std::vector<std::string> known_tasks() {
  const auto tasks = published_tasks();
  return {tasks.begin(), tasks.end()};
}

std::vector<std::string> known_licences() {
  const auto licences = spdx_licences();
  return {licences.begin(), licences.end()};
}

}  // namespace tacore
