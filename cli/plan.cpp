#include <string>
#include <utility>
#include <vector>

#include <tacore/plan.hpp>
#include <tacore/raster/loader.hpp>

#include "commands.hpp"
#include "json.hpp"
#include "layout.hpp"
#include "loaded_library.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "selection.hpp"

namespace tacore::cli {
namespace {

using Named = std::pair<const char*, RequestPlan>;

std::string plan_json(const std::vector<Named>& plans) {
  std::vector<JsonField> out;
  for (const auto& [name, plan] : plans) {
    out.emplace_back(name, json_object({{"requests", std::to_string(plan.requests)},
                                        {"bytes", std::to_string(plan.bytes)},
                                        {"partitions", std::to_string(plan.partitions)}}));
  }
  return json_object_lines(out);
}

std::string plan_text(const std::vector<Named>& plans) {
  std::vector<std::vector<std::string>> lines{{"", "requests", "bytes", "partitions"}};
  for (const auto& [name, plan] : plans) {
    lines.push_back({name, grouped(static_cast<uint64_t>(plan.requests)), bytes_text(static_cast<double>(plan.bytes)),
                     grouped(static_cast<uint64_t>(plan.partitions))});
  }
  return aligned(lines);
}

}  // namespace

int run_plan(const PlanOptions& options) {
  check_selection(options.selection);
  const bool is_epoch = options.is_epoch;
  if (!is_epoch && (options.batch_size || options.seed || !options.inputs.empty())) {
    throw UsageError("--batch-size, --seed and --input are those of an epoch: add --epoch");
  }
  std::vector<Named> plans{{"opening", plan_opening(options.selection.path, options.selection.load)}};
  const Dataset dataset = select(options.selection);
  if (is_epoch) {
    LoaderOptions loader{.batch_size = options.batch_size.value_or(1), .fallback = raster_opener()};
    if (options.seed) loader.seed = static_cast<uint64_t>(*options.seed);
    if (!options.inputs.empty()) loader.inputs.clear();
    for (const auto& path : options.inputs) loader.inputs.push_back({.path = path});
    plans.emplace_back("epoch", Loader::plan(dataset.data(), loader));
  } else {
    plans.emplace_back("rows", plan_rows(dataset));
  }
  print(options.json ? plan_json(plans) : plan_text(plans));
  return 0;
}

}  // namespace tacore::cli
