#include "export/migrate.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "export/dataset_tree.hpp"
#include "export/legal_ids.hpp"
#include "io/public_path.hpp"
#include "model/identifier.hpp"
#include "tacore/v1/convert.hpp"
#include "tacore/v1/create.hpp"
#include "tortilla/collection.hpp"
#include "tortilla/container.hpp"
#include "tortilla/write/tree.hpp"
#include "validate/zip.hpp"
#include "writer/create.hpp"
#include "writer/extent.hpp"
#include "writer/pad.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore::v1 {
namespace {

/// `base` overridden by `given`: completely when that has a JSON document, else by its members that are set.
Collection put_over(const Collection& base, const Collection& given) {
  if (!given.json.empty()) return given;
  Collection out = base;
  if (!given.id.empty()) out.id = given.id;
  if (given.dataset_version != Collection().dataset_version) out.dataset_version = given.dataset_version;
  if (!given.description.empty()) out.description = given.description;
  if (!given.licenses.empty()) out.licenses = given.licenses;
  if (!given.providers.empty()) out.providers = given.providers;
  if (!given.tasks.empty()) out.tasks = given.tasks;
  if (given.title) out.title = given.title;
  if (given.curators) out.curators = given.curators;
  if (given.keywords) out.keywords = given.keywords;
  if (given.extent.spatial) out.extent.spatial = given.extent.spatial;
  if (given.extent.temporal) out.extent.temporal = given.extent.temporal;
  return out;
}

/// Lower case, with `_` for characters that an id of a collection must not have.
std::string legal_collection_id(std::string_view id) {
  std::string out = lower(id);
  for (char& c : out) {
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != '-') c = '_';
  }
  return out.empty() ? "dataset" : out;
}

/// Sets what 2.0 requires and versions before do not, each with a warning.
Collection filled(Collection out, const std::string& path) {
  std::vector<std::string> made;
  const auto fill = [&](const char* name, bool is_missing, const auto& set) {
    if (!is_missing) return;
    set();
    made.emplace_back(name);
  };
  const std::string id = legal_collection_id(out.id);
  fill("id", id != out.id, [&] { out.id = id; });
  const bool no_version = out.dataset_version.empty() || out.dataset_version == Collection().dataset_version;
  fill("dataset_version", no_version, [&] { out.dataset_version = "1.0.0"; });
  fill("description", out.description.empty(),
       [&] { out.description = "Converted from " + file_name(without_query(path)); });
  fill("licenses", out.licenses.empty(), [&] { out.licenses = {"LicenseRef-unknown"}; });
  fill("providers", out.providers.empty(), [&] { out.providers = {{.name = "unknown"}}; });
  fill("tasks", out.tasks.empty(), [&] { out.tasks = {"other"}; });
  if (!made.empty())
    log::warning(path + ": filled in members of the collection that TACO 2.0 requires: " + tacore::join(made, ", "));
  return out;
}

CreateTacoOptions v1_options(const CreateOptions& options) {
  return {.task = options.task, .output = options.output, .split_size = options.split_size, .stats = false};
}

/// The extent that the user gives, else the stated one where it contains all samples.
Extent extent_of(const Tree& tree, const Extent& stated, const Extent& given, const CrsTransformer* transformer) {
  Extent out = corrected(stated, stated_extent(tree, {.transformer = transformer, .is_strict = false}));
  if (given.spatial) out.spatial = given.spatial;
  if (given.temporal) out.temporal = given.temporal;
  return out;
}

/// The input of a conversion, as a tree with ids of versions before 2.0.
struct Input {
  Tree tree;
  Collection collection;
};

Input read_v1(const Detected& at, const std::shared_ptr<const Storage>& storage, const std::string& path, int jobs) {
  Input out;
  const auto paths = at.num_partitions == 1 ? std::vector<std::string>{at.path} : partition_paths(*storage, at, false);
  out.tree = tree_of_tortillas(storage, paths, num_threads(jobs));
  if (chunk_table(*open_tortilla(at.source, at.path))) {
    log::warning(
        path + ": the chunk table and histograms of a streaming file are not converted; `taco create` makes new ones");
  }
  out.collection = read_collection(*storage, at, path);
  if (at.format == Format::Taco) out.collection = parse_stored_collection(out.collection.json, path);
  else out.collection = {.id = out.collection.id};
  return out;
}

/// Padding is dropped when v1 is written, and none of these samples is padding.
void check_ids(const Tree& tree) {
  for (const auto& level : tree.levels) {
    const auto found = std::find_if(level.ids.begin(), level.ids.end(), is_padding_id);
    if (found != level.ids.end())
      throw ValidationError("sample " + in_quotes(*found) + " has an id that is reserved for padding");
  }
}

/// Samples and table of a single file stay unchanged.
void change_kind(const std::string& input, const std::string& output, const Collection& collection,
                 const CreateOptions& options) {
  const ConvertOptions how{.task = options.task, .output = options.output};
  if (is_taco_name(output)) tortilla2taco(input, output, collection, how);
  else taco2tortilla(input, output, how);
}

std::vector<std::string> write_v1(Input input, const Collection& collection, const std::string& output,
                                  const CreateOptions& options) {
  check_ids(input.tree);
  const Extent extent = extent_of(input.tree, input.collection.extent, collection.extent, options.transformer);
  const Tortilla samples = tortilla_of(std::move(input.tree));
  if (!is_taco_name(output)) return create_tortilla(samples, output, v1_options(options));
  Taco taco{samples, put_over(input.collection, collection)};
  taco.collection.extent = extent;
  return create_taco(taco, output, v1_options(options));
}

}  // namespace

bool is_taco_name(std::string_view path) { return ends_with_ignoring_case(path, ".taco"); }

bool is_v1_name(std::string_view path) { return is_taco_name(path) || ends_with_ignoring_case(path, ".tortilla"); }

Collection collection_for_v2(const Collection& found, const Collection& given, const std::string& path) {
  return filled(put_over(to_v2(found), given), path);
}

std::vector<std::string> migrate(const std::shared_ptr<const Storage>& storage, const Detected& at,
                                 const std::string& input, const std::string& output, const Collection& collection,
                                 const CreateOptions& given) {
  CreateOptions options = given;
  options.split_size = given.split_size.value_or(0);
  check_max_concurrent_requests(options.max_concurrent_requests);
  if (!is_v1(at.format)) {
    if (at.format == Format::Zip) validator::require_strict_zip(*at.source);
    const Dataset dataset = open_dataset(input, at, {}, storage);
    Tree tree = with_original_ids(tree_of_view(dataset, options.max_concurrent_requests));
    return write_v1({std::move(tree), dataset.collection()}, collection, output, options);
  }
  if (is_v1_name(output) && at.num_partitions == 1 && options.split_size == 0 &&
      (at.format == Format::Taco) != is_taco_name(output) && options.output.parquet == ParquetOptions() &&
      !read_header(*at.source, input).file_format) {
    change_kind(input, output, collection, options);
    return {output};
  }
  Input found = read_v1(at, storage, input, options.task.jobs);
  if (is_v1_name(output)) return write_v1(std::move(found), collection, output, options);
  Tree tree = regular(with_legal_ids(std::move(found.tree)));
  Collection about = collection_for_v2(found.collection, collection, input);
  about.taco_version.clear();
  about.extent = extent_of(tree, about.extent, collection.extent, options.transformer);
  return create_found(Taco{tortilla_of(std::move(tree)), std::move(about)}, output, options);
}

}  // namespace tacore::v1
