#include "tacore/ops/export.hpp"

#include <algorithm>
#include <chrono>

#include "base/epoch.hpp"
#include "dataset/dataset_impl.hpp"
#include "export/dataset_tree.hpp"
#include "export/legal_ids.hpp"
#include "export/migrate.hpp"
#include "export/provenance.hpp"
#include "model/collection_members.hpp"
#include "model/collection_merge.hpp"
#include "proof/statement.hpp"
#include "tacore/plumbing/apart.hpp"
#include "tacore/v1/convert.hpp"
#include "writer/create.hpp"
#include "writer/extent.hpp"
#include "writer/pad.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore {
namespace {

/// The id and the extent of each container of a view.
void add_sources(const View& view, std::vector<Source>& out) {
  if (const Container* container = view.container()) {
    const Collection& collection = container->collection();
    return out.push_back({.id = collection.id, .extent = collection.extent});
  }
  for (const auto& part : std::get<Union>(view.base).parts) add_sources(*part.view, out);
}

/// The id and the extent of each container. Of a TACOLLECTION.json that states bounds, those that it states: they do
/// not depend on which partitions a filter opens.
std::vector<Source> sources_of(const Dataset::Impl& dataset) {
  if (dataset.partitions && dataset.partitions->states_bounds()) return dataset.partitions->sources();
  std::vector<Source> out;
  add_sources(dataset.view(), out);
  return out;
}

/// The id of the dataset, or those of all joined datasets.
Value ids_of(const std::vector<Source>& sources) {
  Value::List out;
  for (const Source& source : sources) {
    if (std::find(out.begin(), out.end(), Value(source.id)) == out.end()) out.emplace_back(source.id);
  }
  return out.size() == 1 ? out[0] : Value(out);
}

/// The present time, or that of SOURCE_DATE_EPOCH.
Timestamp now() {
  const auto clock = std::chrono::system_clock::now().time_since_epoch();
  const int64_t seconds = source_date_epoch().value_or(std::chrono::duration_cast<std::chrono::seconds>(clock).count());
  return Timestamp{seconds * 1'000'000};
}

/// The extent of the samples, or else of the original dataset.
Extent extent_of_subset(const Tree& tree, const std::vector<Source>& sources, const CrsTransformer* transformer) {
  const Extent stated = stated_extent(tree, {.transformer = transformer, .is_strict = false});
  Extent out;
  std::vector<BBox> boxes;
  for (const Source& source : sources) {
    if (source.extent.spatial) boxes.push_back(*source.extent.spatial);
    const auto& times = source.extent.temporal;
    if (!times) continue;
    if (!out.temporal) out.temporal = times;
    out.temporal = TimeRange{std::min(out.temporal->start, times->start), std::max(out.temporal->end, times->end)};
  }
  if (!boxes.empty()) out.spatial = merge_boxes(boxes);
  if (stated.spatial) out.spatial = stated.spatial;
  if (stated.temporal) out.temporal = stated.temporal;
  return out;
}

/// Samples whose files are of one time: those of a FOLDER are other ones in each copy of it.
void set_times(Tree& tree, Timestamp time) {
  constexpr int64_t kSecond = 1'000'000;
  for (auto& level : tree.levels) {
    for (auto& payload : level.payloads) payload.time = time.microseconds / kSecond;
  }
}

Taco to_taco(const Dataset& dataset, bool strict, int limit, const CrsTransformer* transformer,
             const SubsetFacts& facts) {
  const bool before_v2 = is_v1(dataset.format());
  Tree tree = tree_of_view(dataset, limit);
  if (before_v2) tree = with_legal_ids(std::move(tree));
  if (strict) check_tree(tree);
  else tree = regular(std::move(tree));
  if (!facts.provenance.empty()) set_times(tree, facts.date);
  const auto sources = sources_of(*impl_of(dataset));
  Collection collection =
      before_v2 ? v1::collection_for_v2(dataset.collection(), {}, dataset.path()) : dataset.collection();
  collection.extent = extent_of_subset(tree, sources, transformer);
  // A root over other samples, and how these came about.
  for (const std::string& member : {std::string(kRootMember), std::string(kProvenanceMember)}) {
    if (!before_v2 && collection.json.find(member) != std::string::npos)
      collection.json = with_members(collection.json, {{member, std::nullopt}});
  }
  Taco out{tortilla_of(std::move(tree)), std::move(collection)};
  out.extend_with("taco:subset_of", ids_of(sources));
  out.extend_with(std::string(kSubsetDateMember), Value(facts.date));
  if (!facts.provenance.empty()) {
    out.collection.json = with_members(out.collection.json, {{std::string(kProvenanceMember), facts.provenance}});
  }
  return out;
}

}  // namespace

Taco to_taco(const Dataset& dataset, bool strict) {
  return to_taco(dataset, strict, kDefaultConcurrentRequests, nullptr, {.date = now()});
}

std::vector<std::string> export_dataset(const Dataset& dataset, const std::string& output,
                                        const ExportOptions& options) {
  if (v1::is_v1_name(output)) {
    if (!options.id.empty() || !options.create.group_by.empty() || options.strict || !options.create.order.empty() ||
        options.create.output.parquet.covering || options.create.output.parquet.id_index || options.provenance)
      throw ValidationError(
          "is a file of a version before 2.0, for which id, groups, strict, order, covering, id_index and provenance "
          "do not exist",
          {.path = output});
    return v1::compile(dataset, output,
                       {.task = options.create.task,
                        .output = options.create.output,
                        .split_size = options.create.split_size.value_or(0)});
  }
  SubsetFacts facts{.date = now()};
  if (options.provenance) facts.provenance = encode_provenance(provenance_of(dataset, output, options));
  return export_with(dataset, output, options, facts);
}

std::vector<std::string> export_with(const Dataset& dataset, const std::string& output, const ExportOptions& options,
                                     const SubsetFacts& facts) {
  check_max_concurrent_requests(options.create.max_concurrent_requests);
  require_apart(output, files_of(dataset));
  Taco taco =
      to_taco(dataset, options.strict, options.create.max_concurrent_requests, options.create.transformer, facts);
  if (!options.id.empty()) taco.collection.id = options.id;
  taco.collection.taco_version.clear();  // not chosen by the caller
  CreateOptions create = options.create;
  create.split_size = options.create.split_size.value_or(0);
  return create_found(taco, output, create);
}

}  // namespace tacore
