#include "writer/arrange.hpp"

#include "base/threads.hpp"
#include "table/covering.hpp"
#include "table/row_order.hpp"
#include "writer/parts.hpp"
#include "writer/tortilla_impl.hpp"
#include "writer/tree.hpp"

namespace tacore {
namespace {

Tree ordered(Tree tree, const CreateOptions& options) {
  const auto& columns = tree.levels[0].columns;
  if (options.order.empty() || !columns) return tree;
  return take_roots(
      tree, rows_in_order(options.order, batches_of(columns), options.transformer, num_threads(options.task.jobs)));
}

void add_boxes(TreeLevel& level, int number) {
  if (!level.columns) return;
  for (const auto& covering : coverings_in(*level.columns)) {
    level.descriptions.try_emplace(covering.boxes, covering_description(covering));
  }
  level.columns = with_coverings(level.columns, {.path = {}, .offset = {}, .level = number});
}

}  // namespace

ParquetOptions parquet_of(const CreateOptions& options) {
  ParquetOptions out = options.output.parquet;
  out.covering = out.covering || options.order == kByPlace;
  return out;
}

Tortilla arranged(const Tortilla& samples, const CreateOptions& options) {
  const bool is_covered = parquet_of(options).covering;
  if (options.order.empty() && !is_covered) return samples;
  Tree tree = impl_of(samples)->tree;
  if (is_covered) {  // first, since this checks the geometries
    for (std::size_t k = 0; k < tree.levels.size(); ++k) add_boxes(tree.levels[k], static_cast<int>(k));
  }
  return tortilla_of(ordered(std::move(tree), options));
}

}  // namespace tacore
