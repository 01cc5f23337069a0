#include "writer/tables.hpp"

#include <numeric>

#include "format/names.hpp"

namespace tacore {

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

std::vector<FieldDescription> level_fields(const Tree& tree, int level) {
  // Names and types are those of no rows at all: nothing is made of a million samples for them.
  const auto& columns = tree.levels[static_cast<std::size_t>(level)].columns;
  Tree none;
  none.levels.resize(static_cast<std::size_t>(level) + 1);
  none.levels.back().columns = columns ? slice_rows(columns, 0, 0) : nullptr;
  return describe_fields(*with_paths(none, level, with_numbers(none, level, samples_table(none, level))));
}

}  // namespace tacore
