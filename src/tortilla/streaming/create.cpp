#include "tacore/v1/create.hpp"

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "base/report.hpp"
#include "base/threads.hpp"
#include "io/entry_at.hpp"
#include "io/vsi_path.hpp"
#include "table/parquet_write.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"
#include "tortilla/partitions.hpp"
#include "tortilla/streaming/fill_stats.hpp"
#include "tortilla/streaming/histogram_blob.hpp"
#include "tortilla/streaming/tables.hpp"
#include "tortilla/streaming/togs.hpp"
#include "tortilla/write/footer_tree.hpp"
#include "tortilla/write/output_rules.hpp"
#include "tortilla/write/writer.hpp"
#include "writer/extent.hpp"
#include "writer/parts.hpp"
#include "writer/staging.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore::v1 {
namespace {

void check_options(const std::string& output, Kind kind, const CreateTacoOptions& options) {
  check_name(output, kind);
  if (options.first_part != 0 && options.first_part != 1)
    throw ValidationError("first_part is " + std::to_string(options.first_part) + "; 0 or 1 expected");
  check_temp_dir(output, options.output.temp_dir);
  check_v1_parquet_options(options.output.parquet);
}

/// The names of the files of a dataset.
std::vector<std::string> names_of_parts(const std::string& name, std::size_t count, int first) {
  if (count == 1) return {name};
  std::vector<std::string> out;
  const auto point = name.rfind('.');
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(partition_name({name.substr(0, point), i + static_cast<uint64_t>(first), name.substr(point)}));
  return out;
}

class Creation {
 public:
  Creation(Tree tree, std::string output, Kind kind, std::string collection, const CreateTacoOptions& options)
      : tree_(std::move(tree)), output_(std::move(output)), options_(options) {
    file_.kind = kind;
    file_.collection = std::move(collection);
  }

  std::vector<std::string> run(const std::function<void()>& go_on) {
    const int jobs = num_threads(options_.task.jobs);
    const uint64_t split_size = options_.split_size.value_or(kDefaultSplitSize);
    // Checked before rasters are encoded; the names of parts depend on their sizes, so they are checked later.
    if (split_size == 0) check_absent(output_, options_.output.overwrite);
    if (options_.streaming) stream(jobs, go_on);
    const TortillaPlan plan(tree_, options_.output.parquet, jobs, options_.output.temp_dir, go_on);
    const std::vector<uint64_t> sizes(plan.sizes(0).begin(), plan.sizes(0).end());
    const auto ends = part_ends(sizes, split_size);
    Output parts{.path = output_,
                 .folder = parent_folder(output_),
                 .names = names_of_parts(file_name(output_), ends.size(), options_.first_part),
                 .num_bytes = tree_.num_bytes()};
    for (const auto& name : parts.names) check_target(path_join(parts.folder, name));
    file_.num_partitions = ends.size();
    parts.write = [&](std::size_t part, const std::string& path, const WriteOptions& how) {
      const TortillaPart rows(plan, part == 0 ? 0 : static_cast<int64_t>(ends[part - 1]),
                              static_cast<int64_t>(ends[part]));
      write_tortilla(rows, file_, path, how);
      return rows.num_bytes();
    };
    auto out = publish_parts(parts, options_.task,
                             {.overwrite = options_.output.overwrite,
                              .jobs = jobs,
                              .temp_dir = options_.output.temp_dir,
                              .parquet = options_.output.parquet});
    warn_of_parts(parts, "files", split_size, "any of them");
    return out;
  }

 private:
  void stream(int jobs, const std::function<void()>& go_on) {
    check_streamable(tree_);
    togs_folder_.emplace(output_, options_.output.temp_dir);
    togs_ = make_togs(tree_, *togs_folder_,
                      {.allow_others = options_.allow_non_tog,
                       .block_size = options_.block_size,
                       .zstd_level = options_.zstd_level,
                       .fallback = options_.fallback,
                       .jobs = jobs,
                       .go_on = go_on});
    if (options_.histograms) components_ = find_components(tree_, togs_, jobs, go_on);
    file_.tables = [this, jobs, go_on](const TortillaPart& part) {
      return streaming_tables(part, togs_, options_.output.parquet,
                              encode_histograms(part, togs_, components_, jobs, go_on));
    };
  }

  void check_target(const std::string& path) const {
    check_absent(path, options_.output.overwrite);
    if (entry_at(path)) require_apart(path, tree_.files());
  }

  Tree tree_;
  const std::string output_;
  const CreateTacoOptions& options_;
  TortillaFile file_;
  std::optional<StagingDir> togs_folder_ = {};
  Togs togs_ = {};
  std::vector<Component> components_ = {};
};

std::vector<std::string> create(const Tortilla& samples, const std::string& output, Kind kind, std::string collection,
                                const CreateTacoOptions& options) {
  const int jobs = num_threads(options.task.jobs);
  std::mutex mutex;
  const auto go_on = [&, num_bytes = samples.num_bytes()] {
    if (!options.task.progress) return;
    const std::lock_guard lock(mutex);
    report(options.task, 0, num_bytes, output);
  };
  const Tortilla all = options.stats ? fill_stats(samples, options.fallback, jobs, go_on) : samples;
  Creation creation(footer_tree(impl_of(all)->tree, kind, jobs), output, kind, std::move(collection), options);
  return creation.run(go_on);
}

}  // namespace

std::vector<std::string> create_taco(const Taco& taco, const std::string& output, const CreateTacoOptions& options) {
  check_options(output, Kind::Taco, options);
  Collection collection = taco.collection;
  const Extent found = stated_extent(impl_of(taco.tortilla)->tree,
                                     {.warn_as = output, .is_strict = !collection.extent.spatial.has_value()});
  warn_of_extent(collection.extent, found, output);
  collection.extent = completed(collection.extent, found);
  return create(taco.tortilla, output, Kind::Taco, collection_text(collection), options);
}

std::vector<std::string> create_tortilla(const Tortilla& samples, const std::string& output,
                                         const CreateTacoOptions& options) {
  check_options(output, Kind::Tortilla, options);
  return create(samples, output, Kind::Tortilla, "", options);
}

}  // namespace tacore::v1
