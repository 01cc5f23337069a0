#include "tacore/write/create.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "format/names.hpp"
#include "io/entry_at.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_json.hpp"
#include "model/collection_rules.hpp"
#include "table/parquet_write.hpp"
#include "table/reserved_columns.hpp"
#include "table/row_order.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"
#include "writer/arrange.hpp"
#include "writer/create.hpp"
#include "writer/extent.hpp"
#include "writer/folder_writer.hpp"
#include "writer/parts.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/staging.hpp"
#include "writer/tables.hpp"
#include "writer/tacocat_writer.hpp"
#include "writer/tortilla_impl.hpp"
#include "writer/zip_writer.hpp"

namespace tacore {
namespace {

constexpr const char* kTacoVersion = "2.0.0";

/// The files that create() makes, and the samples of each.
struct Plan {
  std::string folder = {};
  std::vector<Part> parts = {};
  bool is_zip = false;
  bool has_index = false;
};

void check_output(const std::string& output, const CreateOptions& options) {
  if (output.empty() || output.find('\0') != output.npos) {
    throw ValidationError("the output is " + tacore::in_quotes(output) + "; the name of a file or folder expected");
  }
  for (const std::string_view reserved : {".tacocat", "DATA", "METADATA"}) {
    if (file_name(output) == reserved) {
      throw ValidationError("this name is reserved for a folder inside of a dataset", {.path = output});
    }
  }
  for (const std::string_view legacy : {".taco", ".tortilla"}) {
    if (ends_with_ignoring_case(output, legacy)) {
      throw ValidationError("has the extension of TACO before 2.0, and readers would refuse it; .tacozip expected",
                            {.path = output});
    }
  }
  require_local(output, "written");
  check_max_concurrent_requests(options.max_concurrent_requests);
  if (!is_zip_name(output) && (options.split_size.value_or(0) > 0 || !options.group_by.empty())) {
    throw ValidationError("a FOLDER cannot be split into parts; a name in .tacozip expected", {.path = output});
  }
}

uint64_t split_size_of(const CreateOptions& options) { return options.split_size.value_or(kDefaultSplitSize); }

Plan make_plan(const Tree& tree, const std::string& output, const CreateOptions& options) {
  const bool is_zip = is_zip_name(output);
  Plan out{.folder = parent_folder(output),
           .parts = plan_parts(tree, file_name(output), is_zip ? split_size_of(options) : 0, options.group_by),
           .is_zip = is_zip};
  out.has_index = options.consolidate && out.parts.size() > 1;
  return out;
}

/// True for a folder of files that are no dataset, for example of samples.
bool is_other_folder(const std::string& path) {
  const auto found = entry_at(path);
  if (!found || !S_ISDIR(found->st_mode)) return false;
  std::error_code unreadable;
  return !entry_at(path_join(path, names::kCollection)) && !std::filesystem::is_empty(path, unreadable);
}

/// Throws when an output of the plan exists, unless it may be replaced.
void check_targets(const Plan& plan, bool overwrite) {
  std::vector<std::string> names;
  for (const auto& part : plan.parts) names.push_back(part.name);
  if (plan.has_index) names.emplace_back(names::kTacocatFolder);
  for (const auto& name : names) {
    const std::string path = path_join(plan.folder, name);
    if (!overwrite && entry_at(path)) {
      throw ValidationError(name == names::kTacocatFolder
                                ? "exists already, the index of the ZIPs in this folder; write to another folder, or "
                                  "without an index (consolidate)"
                                : "exists already",
                            {.path = path});
    }
    if (overwrite && is_other_folder(path)) {
      throw ValidationError("is a folder of other files, a dataset to be replaced expected", {.path = path});
    }
  }
}

/// Throws when an output would replace a sample, or a folder with one. A missing output cannot be one.
void check_apart(const Plan& plan, const Tree& tree) {
  for (const auto& part : plan.parts) {
    const std::string path = path_join(plan.folder, part.name);
    if (entry_at(path)) require_apart(path, tree.files());
  }
}

/// The samples with columns of reserved names converted to the types of these columns.
Tortilla retyped(const Tortilla& samples) {
  const Tree& tree = impl_of(samples)->tree;
  std::optional<Tree> out;
  for (std::size_t k = 0; k < tree.levels.size(); ++k) {
    auto columns = with_reserved_types(tree.levels[k].columns, static_cast<int>(k));
    if (columns == tree.levels[k].columns) continue;
    if (!out) out = tree;
    out->levels[k].columns = std::move(columns);
  }
  return out ? tortilla_of(*std::move(out)) : samples;
}

void check_collection(const Collection& collection) {
  const auto faults = collection_faults(collection);
  if (!faults.empty())
    throw ValidationError("the collection breaks " + std::to_string(faults.size()) +
                          (faults.size() == 1 ? " rule: " : " rules: ") + join(faults, "; "));
}

std::vector<std::string> paths_of(const Plan& plan) {
  std::vector<std::string> out;
  for (const auto& part : plan.parts) out.push_back(path_join(plan.folder, part.name));
  return out;
}

/// The tree of a part has the patterns of the whole with its own counts: a position with only padding counts none.
PitSchema schema_of_part(const Tree& part, const PitSchema& whole) {
  const PitSchema counted = check_tree(part);
  PitSchema out = whole.with_n(counted.root_n);
  for (auto& [level, patterns] : out.hierarchy) {
    const auto& counts = counted.hierarchy.at(level);
    if (counts.size() != patterns.size()) {
      throw SchemaError("one part has only padding FILEs at a position of level " + std::to_string(level) +
                        " where others have FOLDERs; pad() replaces them by FOLDERs");
    }
    for (std::size_t p = 0; p < patterns.size(); ++p) patterns[p].n = counts[p].n;
  }
  return out;
}

Collection collection_of(const Tree& tree, const Collection& given, const Extent& extent, PitSchema pit_schema) {
  Collection out = given;
  out.taco_version = kTacoVersion;
  out.sources.clear();
  out.pit_schema = std::move(pit_schema);
  out.extent = extent;
  out.field_schema.clear();
  for (int level = 0; level < static_cast<int>(tree.levels.size()); ++level) {
    out.field_schema["level" + std::to_string(level)] = level_fields(tree, level);
  }
  return out;
}

/// COLLECTION.json for a file of these samples.
using CollectionText = std::function<std::string(const Tree&, const PitSchema&)>;

std::vector<std::string> create(const Tortilla& tortilla, const CollectionText& collection, const std::string& given,
                                const CreateOptions& options) {
  const std::string output = without_slashes(given);
  check_output(output, options);
  check_temp_dir(output, options.output.temp_dir);
  check_parquet_options(options.output.parquet);
  const Tree& tree = impl_of(tortilla)->tree;
  const PitSchema pit_schema = check_tree(tree);
  check_field_names(tree);
  const Plan plan = make_plan(tree, output, options);
  check_targets(plan, options.output.overwrite);
  check_apart(plan, tree);
  const std::size_t num_parts = plan.parts.size();
  Output parts{.path = output, .folder = plan.folder, .num_bytes = tortilla.num_bytes()};
  for (const auto& part : plan.parts) parts.names.push_back(part.name);
  parts.write = [&](std::size_t part, const std::string& path, const WriteOptions& how) {
    if (num_parts == 1) {
      (plan.is_zip ? write_zip : write_folder)(tree, collection(tree, pit_schema), path, how);
      return parts.num_bytes;
    }
    const Tree samples = take_roots(tree, plan.parts[part].roots);
    write_zip(samples, collection(samples, schema_of_part(samples, pit_schema)), path, how);
    return samples.num_bytes();
  };
  if (plan.has_index) {
    parts.write_index = [](const std::vector<std::string>& zips, const WriteOptions& how) {
      write_tacocat(zips, how);
      return std::string(names::kTacocatFolder);
    };
  }
  const auto out = publish_parts(parts, options.task,
                                 {.overwrite = options.output.overwrite,
                                  .jobs = num_threads(options.task.jobs),
                                  .max_concurrent_requests = options.max_concurrent_requests,
                                  .temp_dir = options.output.temp_dir,
                                  .parquet = parquet_of(options)});
  if (options.group_by.empty())
    warn_of_parts(parts, "ZIPs", split_size_of(options),
                  plan.has_index ? "their folder, which has the index .tacocat, or a list of them" : "a list of them");
  return out;
}

}  // namespace

std::vector<std::string> create(const Taco& taco, const std::string& output, const CreateOptions& options) {
  return create_found({retyped(taco.tortilla), taco.collection}, output, options);
}

std::vector<std::string> create_found(const Taco& given_taco, const std::string& output, const CreateOptions& options) {
  check_collection(given_taco.collection);
  check_order(options.order);
  const Taco taco{arranged(given_taco.tortilla, options), given_taco.collection};
  for (const auto& licence : unknown_licences(taco.collection)) {
    log::warning(output + ": the licence " + tacore::in_quotes(licence) +
                 " is not an SPDX identifier such as CC-BY-4.0");
  }
  const std::string& version = taco.collection.taco_version;
  if (!version.empty() && version != kTacoVersion) {
    log::warning(output + ": taco_version " + tacore::in_quotes(version) + " becomes " + kTacoVersion +
                 ", the version that is written");
  }
  const Tree& whole = impl_of(taco.tortilla)->tree;
  const Extent& given = taco.collection.extent;
  std::optional<Extent> all;
  const auto encode = [&](const Tree& tree, const PitSchema& pit_schema) {
    if (!all) {  // only after all checks
      all = stated_extent(
          whole, {.transformer = options.transformer, .warn_as = output, .is_strict = !given.spatial.has_value()});
      warn_of_extent(given, *all, output);
    }
    const ExtentRules again{.transformer = options.transformer, .is_strict = false};
    const Extent here = &tree == &whole ? *all : stated_extent(tree, again);
    return encode_collection(collection_of(tree, taco.collection, completed(given, here), pit_schema));
  };
  return create(taco.tortilla, encode, output, options);
}

void create_as(const Tortilla& tortilla, const std::string& collection, const std::string& output,
               const CreateOptions& options) {
  create(
      tortilla, [&](const Tree&, const PitSchema&) { return collection; }, output, options);
}

PlanCheck check_plan(const Taco& taco, const std::string& given, const CreateOptions& options) {
  const std::string output = without_slashes(given);
  const Tree& tree = impl_of(taco.tortilla)->tree;
  PlanCheck out{.num_bytes = taco.tortilla.num_bytes()};
  for (const auto& level : tree.levels) out.num_samples += static_cast<int64_t>(level.ids.size());
  const auto note = [&](const auto& check) {
    try {
      check();
      return true;
    } catch (const Error& error) {
      out.issues.emplace_back(error.what());
      return false;
    }
  };
  note([&] { check_output(output, options); });
  note([&] { check_temp_dir(output, options.output.temp_dir); });
  note([&] { check_parquet_options(options.output.parquet); });
  note([&] { check_order(options.order); });
  for (const auto& fault : collection_faults(taco.collection)) out.issues.push_back("the collection: " + fault);
  const bool regular = note([&] { check_tree(tree); });
  note([&] { check_field_names(tree); });
  note([&] { retyped(taco.tortilla); });
  note([&] {
    if (parquet_of(options).covering) arranged(taco.tortilla, {.output = {.parquet = {.covering = true}}});
  });
  note([&] { stated_extent(tree, {.transformer = options.transformer}); });
  if (regular) {
    note([&] {
      const Plan plan = make_plan(tree, output, options);
      out.parts = paths_of(plan);
      check_targets(plan, options.output.overwrite);
      check_apart(plan, tree);
    });
  }
  return out;
}

}  // namespace tacore
