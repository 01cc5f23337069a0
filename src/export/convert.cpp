#include <filesystem>
#include <set>
#include <system_error>

#include "base/log.hpp"
#include "base/text.hpp"
#include "dataset/dataset_impl.hpp"
#include "dataset/open_container.hpp"
#include "export/dataset_tree.hpp"
#include "export/migrate.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_json.hpp"
#include "model/collection_members.hpp"
#include "net/storage.hpp"
#include "tacore/error.hpp"
#include "tacore/ops/export.hpp"
#include "tacore/plumbing/apart.hpp"
#include "validate/zip.hpp"
#include "writer/create.hpp"
#include "writer/extent.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore {
namespace {

namespace fs = std::filesystem;

/// COLLECTION.json, unchanged except for an extent that lacks samples: one of centroids, or from before an edit.
std::string document_of(const Dataset& dataset, const Tree& tree, const CrsTransformer* transformer) {
  const auto& [spatial, temporal] = dataset.extent();
  const Extent extent =
      corrected(dataset.extent(), stated_extent(tree, {.transformer = transformer, .is_strict = false}));
  if (extent.spatial == spatial && extent.temporal == temporal) return dataset.collection().json;
  log::warning(dataset.path() + ": its extent does not cover all samples; the output has the extent of all samples");
  return with_members(dataset.collection().json, {{"extent", extent_to_json(extent)}});
}

/// Warns of files of a FOLDER that are no samples, since a ZIP has no room for them.
void warn_of_other_files(const std::string& folder, const Tree& tree) {
  constexpr std::size_t kMostTold = 3;
  const auto whole = [](const fs::path& path) { return fs::absolute(path).lexically_normal().string(); };
  std::set<std::string> samples;
  for (const auto& file : tree.files()) samples.insert(whole(file));
  std::size_t count = 0;
  std::vector<std::string> told;
  std::error_code ignored;  // what cannot be listed is reported when it is read
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
    const fs::path inside = entry.path().lexically_relative(folder);
    const bool is_metadata = inside == names::kCollection || entry.path().filename() == names::kMeta ||
                             (inside.begin() != inside.end() && *inside.begin() == "METADATA");
    if (entry.is_directory(ignored) || is_metadata || samples.contains(whole(entry.path()))) continue;
    if (++count <= kMostTold) told.push_back(inside.string());
  }
  if (count == 0) return;
  log::warning(folder + ": " + std::to_string(count) +
               (count == 1 ? " file is not a sample and is" : " files are not samples and are") +
               " left out: " + tacore::join(told, ", ") + (count > kMostTold ? ", ..." : ""));
}

void convert(const Dataset& dataset, const std::string& output, CreateOptions options) {
  check_max_concurrent_requests(options.max_concurrent_requests);
  options.split_size = options.split_size.value_or(0);
  options.output.parquet = with_indexes_of(*impl_of(dataset)->view().container(), options.output.parquet);
  Tree tree = tree_of_container(dataset, options.max_concurrent_requests);
  const std::string document = document_of(dataset, tree, options.transformer);
  if (dataset.format() == Format::Folder && !is_remote(dataset.path()))
    warn_of_other_files(without_slashes(dataset.path()), tree);
  try {
    create_as(tortilla_of(std::move(tree)), document, output, options);
  } catch (const SchemaError& error) {
    if (!error.message().starts_with("PIT violation")) throw;
    throw SchemaError(error.message() + "; export fills in what is missing", error.context());
  }
}

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw ValidationError(what, {.path = path});
}

/// The members of a collection that are set, by name; a whole document is `collection`.
std::vector<std::string> members_of(const Collection& given) {
  if (!given.json.empty()) return {"collection"};
  std::vector<std::string> out;
  const auto add = [&](const char* name, bool is_set) {
    if (is_set) out.emplace_back(name);
  };
  add("id", !given.id.empty());
  add("dataset_version", given.dataset_version != Collection().dataset_version);
  add("title", given.title.has_value());
  add("description", !given.description.empty());
  add("licenses", !given.licenses.empty());
  add("providers", !given.providers.empty());
  add("curators", given.curators.has_value());
  add("tasks", !given.tasks.empty());
  add("keywords", given.keywords.has_value());
  add("extent", given.extent.spatial || given.extent.temporal);
  return out;
}

/// Throws ValidationError for options that a conversion to `output` does not use.
void refuse_unused(const std::string& output, bool from_v1, const CreateOptions& options,
                   const Collection& collection) {
  const bool to_v1 = v1::is_v1_name(output), to_taco = v1::is_taco_name(output);
  if (from_v1 && !to_v1) return;
  std::vector<std::string> unused = to_taco ? std::vector<std::string>() : members_of(collection);
  if (!to_v1 && options.split_size.value_or(0) > 0) unused.emplace_back("split_size");
  if (!options.group_by.empty()) unused.emplace_back("group_by");
  if (!options.order.empty()) unused.emplace_back("order");
  if (options.output.parquet.covering) unused.emplace_back("covering");
  if (options.output.parquet.id_index) unused.emplace_back("id_index");
  if (unused.empty()) return;
  fail("options that a conversion " +
           std::string(to_taco ? "to .taco"
                       : to_v1 ? "to .tortilla"
                               : "between ZIP and FOLDER") +
           " does not take: " + tacore::join(unused, ", ") + "; it takes jobs, overwrite, temp_dir, parquet, " +
           (to_v1 ? "split_size, " : "") + (to_taco ? "a collection, " : "") + "max_concurrent_requests",
       output);
}

}  // namespace

std::vector<std::string> convert(const std::string& input, const std::string& output, const CreateOptions& options,
                                 const Collection& collection) {
  const auto storage = any_storage();
  const Detected at = detect(*storage, input);
  const bool from_v1 = is_v1(at.format), to_v1 = v1::is_v1_name(output);
  if (!from_v1 && !to_v1 && at.format != Format::Zip && at.format != Format::Folder) {
    fail("is an index of datasets; a ZIP or FOLDER expected, export makes one dataset of an index", input);
  }
  require_apart(output, {at.path});
  refuse_unused(output, from_v1, options, collection);
  if (from_v1 || to_v1) return v1::migrate(storage, at, input, output, collection, options);
  const bool to_zip = is_zip_name(without_slashes(output));
  if (to_zip != (at.format == Format::Folder)) {
    fail(to_zip ? "is a ZIP already; the name of a folder expected for the output"
                : "is a FOLDER already; a name in .tacozip expected for the output",
         input);
  }
  if (!to_zip) validator::require_strict_zip(*at.source);
  convert(open_dataset(input, at, {}, storage), output, options);
  return {output};
}

void zip2folder(const std::string& zip, const std::string& folder, const CreateOptions& options) {
  if (is_zip_name(without_slashes(folder))) fail("is the name of a ZIP; that of a folder expected", folder);
  convert(zip, folder, options);
}

void folder2zip(const std::string& folder, const std::string& zip, const CreateOptions& options) {
  if (!is_zip_name(without_slashes(zip))) fail("is the name of a folder; one in .tacozip or .zip expected", zip);
  convert(folder, zip, options);
}

}  // namespace tacore
