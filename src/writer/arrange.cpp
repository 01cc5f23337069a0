#include "writer/arrange.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "table/covering.hpp"
#include "table/row_order.hpp"
#include "tacore/error.hpp"
#include "writer/parts.hpp"
#include "writer/tortilla_impl.hpp"
#include "writer/tree.hpp"

namespace tacore {
namespace {

constexpr const char* kByPlace = "hilbert";
constexpr const char* kByTime = "time";

Tree ordered(Tree tree, const CreateOptions& options) {
  const auto& columns = tree.levels[0].columns;
  if (options.order.empty() || !columns) return tree;
  const int jobs = num_threads(options.task.jobs);
  const bool by_place = options.order == kByPlace;
  const NextBatch rows = batches_of(columns);
  const RowOrder order = by_place ? rows_by_place(rows, options.transformer, jobs) : rows_by_time(rows, jobs);
  if (order.num_unplaced > 0) {
    log::warning(std::to_string(order.num_unplaced) + " of " + std::to_string(order.rows.size()) + " samples have no " +
                 (by_place ? "location" : "time") + ", and are last in the order " + in_quotes(options.order));
  }
  return take_roots(tree, order.rows);
}

void add_boxes(TreeLevel& level, int number) {
  if (!level.columns) return;
  for (const auto& covering : coverings_in(*level.columns)) {
    level.descriptions.try_emplace(covering.boxes, covering_description(covering));
  }
  level.columns = with_coverings(level.columns, {.path = {}, .offset = {}, .level = number});
}

}  // namespace

void check_order(const CreateOptions& options) {
  if (options.order.empty() || options.order == kByPlace || options.order == kByTime) return;
  throw ValidationError("order " + in_quotes(options.order) + "; hilbert or time expected");
}

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
