#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include <tacore/plumbing/apart.hpp>
#include <tacore/write/create.hpp>
#include <tacore/error.hpp>
#include <tacore/extensions/stac.hpp>
#include <tacore/raster/stac.hpp>
#include <tacore/v1/create.hpp>

#include "commands.hpp"
#include "copying.hpp"
#include "extensions.hpp"
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

Tortilla samples_of(const CreateCommandOptions& options) {
  Tortilla out =
      is_folder(options.source) ? Tortilla::from_folder(options.source) : Tortilla::from_table(options.source);
  // STAC and ISTAC take places from the rasters themselves; other extensions need them.
  const bool asks = std::any_of(options.extensions.begin(), options.extensions.end(), [](const std::string& name) {
    return name.starts_with("stac") || name.starts_with("istac");
  });
  if (!options.no_places && !asks) out = with_places(out, options.writing.jobs);
  out = extend(std::move(out), options.extensions);
  if (!options.no_places && asks) out = with_places(out, options.writing.jobs);
  if (options.pad) out = out.pad();
  return options.pad_to ? out.pad_to(*options.pad_to) : out;
}

Collection versioned(Collection collection) {
  if (collection.dataset_version == Collection().dataset_version) collection.dataset_version = "1.0.0";
  return collection;
}

/// What to do about a tree that is refused, when --pad would help.
std::string hint(const CreateCommandOptions& options, const SchemaError& error) {
  if (options.pad || !error.message().starts_with("PIT violation")) return "";
  CreateCommandOptions padded = options;
  padded.pad = true;
  try {
    samples_of(padded);
    return "; --pad fills in what is missing";
  } catch (const Error&) {
    return "";
  }
}

/// TACO 0.2.0, or Tortilla 0.5.0, which has no collection.
int create_v1(const CreateCommandOptions& options, bool is_taco) {
  if (options.allow_non_tog && !options.streaming) throw UsageError("--allow-non-tog is of --streaming");
  if (!options.group_by.empty()) throw UsageError("--group-by: .taco and .tortilla are divided by --split-size only");
  if (options.datetime && !is_taco) throw UsageError("--datetime: a .tortilla has no extent");
  const Tortilla samples = samples_of(options);
  run_copy({}, options.writing, [&](const CreateOptions& how) {
    const v1::CreateOptions all{.overwrite = how.overwrite,
                                .split_size = options.split_size,
                                .stats = !options.no_stats,
                                .streaming = options.streaming,
                                .allow_non_tog = options.allow_non_tog,
                                .block_size = options.block_size.value_or(0),
                                .zstd_level = options.zstd_level.value_or(13),
                                .fallback = raster_opener(),
                                .jobs = how.jobs,
                                .parquet = how.parquet,
                                .temp_dir = how.temp_dir,
                                .progress = how.progress,
                                .user = how.user};
    if (is_taco) {
      Taco taco{samples, versioned(collection_of(options, options.output))};
      if (options.datetime) taco.collection.extent.temporal = options.datetime;
      v1::create(taco, options.output, all);
    } else {
      v1::create(samples, options.output, all);
    }
  });
  return 0;
}

}  // namespace

int run_create(const CreateCommandOptions& options) {
  check_ending(options.output);
  if (options.split_size == 0 && options.group_by.empty()) check_output(options.output, options.writing);
  check_extensions(options.extensions);
  if ((options.block_size || options.zstd_level) && !options.streaming)
    throw UsageError("--block and --zstd-level are of --streaming");
  require_apart(options.output, {options.source, options.collection});
  const bool is_taco = ends_with(options.output, ".taco");
  if (is_taco || ends_with(options.output, ".tortilla")) return create_v1(options, is_taco);
  if (options.datetime) throw UsageError("--datetime: only a .taco has times that its samples do not state");
  if (options.streaming) throw UsageError("--streaming: only .taco and .tortilla have chunks in their footer");
  if (options.no_stats) throw UsageError("--no-stats: only .taco and .tortilla get statistics unasked");
  try {
    const Taco taco{samples_of(options), versioned(collection_of(options, options.output))};
    run_copy({.split_size = options.split_size, .group_by = options.group_by, .consolidate = !options.no_tacocat},
             options.writing, [&](const CreateOptions& how) { create(taco, options.output, how); });
  } catch (const SchemaError& error) {
    throw SchemaError(error.message() + hint(options, error), error.context());
  }
  return 0;
}

}  // namespace tacore::cli
