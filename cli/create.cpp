#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <tacore/error.hpp>
#include <tacore/extensions/stac.hpp>
#include <tacore/ops/inspect.hpp>
#include <tacore/plumbing/apart.hpp>
#include <tacore/raster/stac.hpp>
#include <tacore/raster/tog.hpp>
#include <tacore/v1/create.hpp>
#include <tacore/write/create.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "extensions.hpp"
#include "layout.hpp"
#include "loaded_library.hpp"

namespace tacore::cli {
namespace {

bool is_folder(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) throw IoError("cannot open", {.path = path}, errno);
  return S_ISDIR(status.st_mode);
}

Tortilla with_places(const Tortilla& samples, int jobs) {
  const auto of_rasters =
      extensions::with_raster_places(samples, {.transformer = transformer(), .fallback = raster_opener()}, jobs);
  return extensions::with_folder_places(of_rasters, transformer());
}

/// The samples of a folder or table. The times of a table are those of ISTAC where only ISTAC is asked for.
Tortilla listed_samples(const CreateCommandOptions& options, const std::vector<std::string>& extensions) {
  TableOptions table = options.table;
  if (is_folder(options.source)) {
    if (table == TableOptions()) return Tortilla::from_folder(options.source);
    throw UsageError("--separator, --rename, --id-column, --path-column and --time-column describe a table, but " +
                     options.source + " is a folder");
  }
  const auto asks = [&](const char* name) {
    return std::ranges::any_of(extensions, [&](const auto& each) { return each.starts_with(name); });
  };
  if (!table.time_column.empty() && asks("istac") && !asks("stac")) {
    table.rename.emplace_back(std::exchange(table.time_column, ""), "istac:time_start");
  }
  return Tortilla::from_table(options.source, table);
}

/// The folder on whose disk the output is written.
std::string folder_of_output(const CreateCommandOptions& options) {
  if (!options.how.output.temp_dir.empty()) return options.how.output.temp_dir;
  std::string output = options.output;
  while (output.size() > 1 && output.ends_with('/')) output.pop_back();
  const auto slash = output.rfind('/');
  return slash == output.npos ? "." : output.substr(0, slash + 1);
}

/// The samples with GeoTIFFs as TOGs. `said` becomes their number, for the line of success.
Tortilla as_togs(const Tortilla& samples, const CreateCommandOptions& options, const Task& task, std::string& said) {
  TogSamplesOptions how = options.togs;
  how.task = task;
  how.temp_dir = folder_of_output(options);
  how.fallback = raster_opener();
  TogSamples made = with_togs(samples, how);
  const auto num_togs = static_cast<uint64_t>(made.num_converted + made.num_unchanged);
  if (num_togs == 0) throw SchemaError("--tog: no FILE is a GeoTIFF", {.path = options.source});
  said = "; " + count_of(num_togs, "TOG");
  if (made.num_others > 0) said += " and " + count_of(static_cast<uint64_t>(made.num_others), "other file");
  return made.samples;
}

Tortilla samples_of(const CreateCommandOptions& options, const Task& task, std::string& said) {
  const auto extensions = separate_extensions(options.extensions);
  Tortilla out = listed_samples(options, extensions);
  if (options.is_tog) out = as_togs(out, options, task, said);
  // STAC and ISTAC take places from the rasters themselves; other extensions need them.
  const bool asks = state_places(extensions);
  if (!options.no_places && !asks) out = with_places(out, options.how.task.jobs);
  out = extend(std::move(out), extensions, options.how.task.jobs);
  if (!options.no_places && asks) out = with_places(out, options.how.task.jobs);
  if (options.pad) out = out.pad();
  return options.pad_to ? out.pad_to(*options.pad_to) : out;
}

/// Throws UsageError when a member is missing that the form of `output` needs.
Collection new_collection(const CreateCommandOptions& options, bool is_taco) {
  Collection collection = collection_of(options, options.output);
  require_members(collection, options, !is_taco);
  if (collection.dataset_version == Collection().dataset_version) collection.dataset_version = "1.0.0";
  return collection;
}

/// What to do about a tree that is refused, when --pad would help.
std::string hint(const CreateCommandOptions& options, const SchemaError& error) {
  if (options.pad || !error.message().starts_with("PIT violation")) return "";
  CreateCommandOptions padded = options;
  padded.pad = true;
  padded.is_tog = false;
  std::string said;
  try {
    samples_of(padded, {}, said);
    return "; --pad fills in what is missing";
  } catch (const Error&) {
    return "";
  }
}

/// A dataset with all that the command line says of its collection.
Taco described(Tortilla samples, const Collection& collection, const CreateCommandOptions& options) {
  Taco out{std::move(samples), collection};
  if (options.published) out.extend_with("published", *options.published);
  extend_collection(out, separate_extensions(options.extensions));
  if (!options.fields.empty()) out.describe_fields(options.fields);
  return out;
}

/// TACO 0.2.0, or Tortilla 0.5.0, which has no collection.
int create_v1(const CreateCommandOptions& options, bool is_taco) {
  if (!options.how.group_by.empty())
    throw UsageError("--group-by: .taco and .tortilla are divided by --split-size only");
  if (!options.fields.empty()) throw UsageError("--fields: .taco and .tortilla store no descriptions of columns");
  if (options.datetime && !is_taco) throw UsageError("--datetime: a .tortilla has no extent");
  if (options.published && !is_taco) throw UsageError("--published: a .tortilla has no collection");
  const Collection collection = is_taco ? new_collection(options, is_taco) : Collection();
  v1::CreateTacoOptions how = options.v1;
  how.task = options.how.task;
  how.output = options.how.output;
  how.split_size = options.how.split_size;
  how.fallback = raster_opener();
  how.block_size = options.togs.block_size;
  how.zstd_level = options.togs.zstd_level;
  std::string said;
  const auto work = [&] {
    const Tortilla samples = samples_of(options, how.task, said);
    if (is_taco) {
      Taco taco = described(samples, collection, options);
      if (options.datetime) taco.collection.extent.temporal = options.datetime;
      try {
        return v1::create_taco(taco, options.output, how);
      } catch (const ValidationError& error) {
        if (taco.collection.extent.temporal || compute_extent(samples).temporal) throw;
        throw ValidationError(error.message() + "; --datetime START/END states the time of all samples",
                              error.context());
      }
    }
    return v1::create_tortilla(samples, options.output, how);
  };
  run_writer(how.task, work, said);
  return 0;
}

}  // namespace

int run_create(const CreateCommandOptions& options) {
  check_ending(options.output);
  const bool is_taco = ends_with(options.output, ".taco"), is_v1 = is_taco || ends_with(options.output, ".tortilla");
  const bool is_zip = ends_with(options.output, ".tacozip") || ends_with(options.output, ".zip");
  const bool is_one = !is_v1 && (!is_zip || options.how.split_size == uint64_t{0}) && options.how.group_by.empty();
  // Converting takes long, so a ZIP that is most likely not split is looked for before it.
  const bool is_likely_one = is_one || (options.is_tog && !is_v1 && options.how.group_by.empty());
  if (is_likely_one) check_output(options.output, options.how.output.overwrite);
  check_extensions(separate_extensions(options.extensions), options.output);
  require_apart(options.output, {options.source, options.collection, options.fields});
  const TogSamplesOptions defaults;
  const bool is_default =
      options.togs.block_size == defaults.block_size && options.togs.zstd_level == defaults.zstd_level;
  if (!options.is_tog && !options.v1.streaming && !is_default)
    throw UsageError("--block-size and --zstd-level are those of TOGs: add --tog");
  if (is_v1) return create_v1(options, is_taco);
  if (options.datetime) throw UsageError("--datetime: only a .taco has times that its samples do not state");
  if (options.v1.streaming) throw UsageError("--streaming: only .taco and .tortilla have chunks in their footer");
  if (!options.v1.stats) throw UsageError("--no-stats: only .taco and .tortilla get statistics unasked");
  const Collection collection = new_collection(options, is_taco);
  try {
    CreateOptions how = completed(options.how);
    std::string said;
    const auto work = [&] {
      return create(described(samples_of(options, how.task, said), collection, options), options.output, how);
    };
    run_writer(how.task, work, said);
  } catch (const SchemaError& error) {
    throw SchemaError(error.message() + hint(options, error), error.context());
  }
  return 0;
}

}  // namespace tacore::cli
