#include "writer/arrange.hpp"

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

Tree ordered(const Tree& tree, const CreateOptions& options) {
  const auto& columns = tree.levels[0].columns;
  if (options.order.empty() || !columns) return tree;
  const int jobs = num_threads(options.task.jobs);
  return take_roots(tree, options.order == kByPlace ? rows_by_place(*columns, options.transformer, jobs)
                                                    : rows_by_time(*columns, jobs));
}

void add_boxes(TreeLevel& level) {
  if (!level.columns) return;
  for (const auto& covering : coverings_in(*level.columns)) {
    level.descriptions.try_emplace(covering.boxes, covering_description(covering));
  }
  level.columns = with_coverings(level.columns);
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
  Tree tree = ordered(impl_of(samples)->tree, options);
  if (is_covered) {
    for (auto& level : tree.levels) add_boxes(level);
  }
  return tortilla_of(std::move(tree));
}

}  // namespace tacore
