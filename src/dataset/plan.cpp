#include "tacore/plan.hpp"

#include <numeric>

#include "dataset/dataset_impl.hpp"
#include "net/http_requests.hpp"
#include "query/query_plan.hpp"

namespace tacore {
namespace {

/// The cost of decoding all columns of a level: a row group at a time, as rows are read that no query computes.
ReadCost cost_of_columns(const LevelTable& level) {
  std::vector<int> columns(level.file_columns().size());
  std::iota(columns.begin(), columns.end(), 0);
  ReadCost out;
  for (int group = 0; group < level.num_row_groups(); ++group) {
    out += level.source()->cost_of(level.stored_ranges(columns, group));
  }
  return out;
}

}  // namespace

RequestPlan plan_opening(std::string_view path, const LoadOptions& options) {
  const ReadCost before = net::requests_so_far();
  const Dataset dataset = load(path, options);
  const ReadCost after = net::requests_so_far();
  const auto& impl = *impl_of(dataset);
  const int64_t partitions = impl.partitions ? impl.partitions->num_opened() : impl.view().num_leaves;
  return {after.requests - before.requests, after.bytes - before.bytes, partitions};
}

RequestPlan plan_rows(const Dataset& dataset) {
  const auto& impl = *impl_of(dataset);
  const View& view = impl.view();
  const auto* container = view.container();
  const ReadCost cost = container && view.steps.empty() ? cost_of_columns(*container->known_level(0))
                                                        : cost_of(QueryPlan(view, Dataset::Impl::describe).rows());
  return {cost.requests, cost.bytes, view.num_leaves};
}

}  // namespace tacore
