#include "writer/tables.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "base/log.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "tacore/error.hpp"

namespace tacore {

void log_written(const Tree& tree, const std::string& target) {
  std::vector<std::string> samples;
  int64_t num_files = 0;
  for (const auto& level : tree.levels) {
    samples.push_back(std::to_string(level.ids.size()));
    num_files += std::count(level.types.begin(), level.types.end(), SampleType::File);
  }
  log::info(target + ": wrote " + std::to_string(samples.size()) + (samples.size() == 1 ? " level" : " levels") +
            " with " + join(samples, ", ") + " samples, " + std::to_string(num_files) + " files, " +
            std::to_string(tree.num_bytes()) + " bytes of data");
}

std::shared_ptr<arrow::Table> samples_table(const Tree& tree, int level) {
  const auto& here = tree.levels[static_cast<std::size_t>(level)];
  return make_level(here.ids, here.types, here.columns);
}

std::shared_ptr<arrow::Table> with_numbers(const Tree& tree, int level, const std::shared_ptr<arrow::Table>& table) {
  const auto& here = tree.levels[static_cast<std::size_t>(level)];
  std::vector<int64_t> numbers(here.ids.size());
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  return add_column(add_column(table, names::kCurrentId, numbers), names::kParentId,
                    level == 0 ? numbers : here.parents);
}

std::shared_ptr<arrow::Table> with_paths(const Tree& tree, int level, const std::shared_ptr<arrow::Table>& table) {
  if (level == 0) return table;
  const auto& here = tree.levels[static_cast<std::size_t>(level)];
  std::vector<std::string> paths;
  paths.reserve(here.ids.size());
  for (std::size_t row = 0; row < here.ids.size(); ++row) {
    paths.push_back(tree.path(level, static_cast<int64_t>(row)));
    if (here.types[row] == SampleType::Folder) paths.back() += '/';
  }
  return add_column(table, names::kRelativePath, paths);
}

std::shared_ptr<arrow::Table> exported_table(const Tree& tree, int level) {
  const auto& here = tree.levels[static_cast<std::size_t>(level)];
  std::vector<std::optional<std::string>> paths;
  paths.reserve(here.payloads.size());
  for (const auto& payload : here.payloads)
    paths.push_back(payload.path.empty() ? std::nullopt : std::optional(payload.path));
  const auto table = add_column(make_level(here.ids, here.types, nullptr), names::kPath, paths);
  const auto whole = beside(table, here.columns);
  return level == 0 ? whole : with_numbers(tree, level, whole);
}

namespace {

/// The descriptions of the columns that every dataset has.
std::string core_description(const std::string& name) {
  static const std::map<std::string_view, const char*> known{
      {names::kId, "name of the sample, unique among its siblings"},
      {names::kType, "FILE (data) or FOLDER (children)"},
      {names::kCurrentId, "number of the row in its level"},
      {names::kParentId, "internal:current_id of the parent"},
      {names::kRelativePath, "path of the sample below DATA/"}};
  const auto found = known.find(name);
  return found == known.end() ? "" : found->second;
}

}  // namespace

void check_field_names(const Tree& tree) {
  for (int level = 0; level < static_cast<int>(tree.levels.size()); ++level) {
    std::map<std::string, std::string> folded;
    for (const auto& field : level_fields(tree, level)) {
      const auto [known, is_new] = folded.emplace(lower(field.name), field.name);
      if (is_new) continue;
      throw SchemaError("level " + std::to_string(level) + " has fields " + in_quotes(known->second) + " and " +
                        in_quotes(field.name) + ", which differ in case only; SQL takes them for one");
    }
  }
}

std::vector<FieldDescription> level_fields(const Tree& tree, int level) {
  // Names and types are taken from empty columns: nothing is computed for a million samples.
  const auto& columns = tree.levels[static_cast<std::size_t>(level)].columns;
  Tree none;
  none.levels.resize(static_cast<std::size_t>(level) + 1);
  none.levels.back().columns = columns ? slice_rows(columns, 0, 0) : nullptr;
  auto out = describe_fields(*with_paths(none, level, with_numbers(none, level, samples_table(none, level))));
  const auto& known = tree.levels[static_cast<std::size_t>(level)].descriptions;
  for (auto& field : out) {
    const auto found = known.find(field.name);
    field.description = found == known.end() ? core_description(field.name) : found->second;
  }
  return out;
}

}  // namespace tacore
