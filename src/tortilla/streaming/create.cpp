#include "tacore/v1/create.hpp"

#include <functional>
#include <mutex>
#include <numeric>
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
#include "writer/staging.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore::v1 {
namespace {

/// A file, and its roots [begin, end).
struct Part {
  std::string name;
  int64_t begin, end;
};

void check_options(const std::string& output, Kind kind, const CreateTacoOptions& options) {
  check_name(output, kind);
  if (options.first_part != 0 && options.first_part != 1)
    throw ValidationError("first_part is " + std::to_string(options.first_part) + "; 0 or 1 expected");
  check_temp_dir(output, options.output.temp_dir);
  check_parquet_options(options.output.parquet);
}

/// Files are filled in order, each with at least one root.
std::vector<Part> plan_parts(const std::string& name, const std::vector<int64_t>& sizes,
                             const CreateTacoOptions& options) {
  std::vector<Part> out{{name, 0, 0}};
  const uint64_t split_size = options.split_size.value_or(kDefaultSplitSize);
  uint64_t size = 0;
  for (const int64_t more : sizes) {
    const auto bytes = static_cast<uint64_t>(more);
    const bool is_full = size > split_size || bytes > split_size - size;
    if (split_size > 0 && out.back().end > out.back().begin && is_full) {
      out.push_back({name, out.back().end, out.back().end});
      size = 0;
    }
    ++out.back().end;
    size += bytes;
  }
  if (out.size() == 1) return out;
  const auto point = name.rfind('.');
  auto number = static_cast<uint64_t>(options.first_part);
  for (auto& part : out) part.name = partition_name({name.substr(0, point), number++, name.substr(point)});
  return out;
}

/// The progress of several files as one.
std::function<void(uint64_t)> progress_after(uint64_t done, uint64_t num_bytes, const std::string& output,
                                             const CreateTacoOptions& options) {
  if (!options.task.progress) return {};
  return [=, &options](uint64_t more) { report(options.task, done + more, num_bytes, output); };
}

class Creation {
 public:
  Creation(Tree tree, std::string output, Kind kind, std::string collection, const CreateTacoOptions& options)
      : tree_(std::move(tree)), output_(std::move(output)), options_(options) {
    file_.kind = kind;
    file_.collection = std::move(collection);
  }

  std::vector<std::string> run(const std::function<void()>& go_on) {
    WriteOptions write{.overwrite = options_.output.overwrite,
                       .jobs = num_threads(options_.task.jobs),
                       .temp_dir = options_.output.temp_dir,
                       .parquet = options_.output.parquet};
    // Checked before rasters are encoded; the names of parts depend on their sizes, so they are checked later.
    if (options_.split_size == uint64_t{0}) check_absent(output_, options_.output.overwrite);
    if (options_.streaming) stream(write.jobs, go_on);
    const TortillaPlan plan(tree_, options_.output.parquet, write.jobs, options_.output.temp_dir, go_on);
    const auto parts = plan_parts(file_name(output_), plan.sizes(0), options_);
    const std::string folder = parent_folder(output_);
    std::vector<std::string> out;
    for (const auto& part : parts) out.push_back(path_join(folder, part.name));
    check_targets(out);
    file_.num_partitions = parts.size();
    if (parts.size() == 1) {
      write.progress = progress_after(0, tree_.num_bytes(), output_, options_);
      write_tortilla(TortillaPart(plan, parts[0].begin, parts[0].end), file_, out[0], write);
    } else {
      write_parts(plan, parts, folder, write);
    }
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

  void check_targets(const std::vector<std::string>& paths) const {
    for (const auto& path : paths) {
      check_absent(path, options_.output.overwrite);
      if (entry_at(path)) require_apart(path, tree_.files());
    }
  }

  /// All files are written to a staging directory, and renamed together.
  void write_parts(const TortillaPlan& plan, const std::vector<Part>& parts, const std::string& folder,
                   WriteOptions write) const {
    const StagingDir staging(output_, std::exchange(write.temp_dir, {}));
    const bool overwrite = std::exchange(write.overwrite, false);
    std::vector<std::string> names;
    uint64_t done = 0;
    for (const auto& part : parts) {
      write.progress = progress_after(done, tree_.num_bytes(), output_, options_);
      const TortillaPart rows(plan, part.begin, part.end);
      write_tortilla(rows, file_, path_join(staging.path(), part.name), write);
      names.push_back(part.name);
      done += rows.num_bytes();
    }
    if (const auto last = progress_after(done, tree_.num_bytes(), output_, options_)) last(0);
    publish(staging.path(), folder, names, overwrite);
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
  const auto ask = progress_after(0, samples.num_bytes(), output, options);
  const auto go_on = [&] {
    if (!ask) return;
    const std::lock_guard lock(mutex);
    ask(0);
  };
  const Tortilla all = options.stats ? fill_stats(samples, options.fallback, jobs, go_on) : samples;
  Creation creation(footer_tree(all.impl()->tree, kind, jobs), output, kind, std::move(collection), options);
  return creation.run(go_on);
}

}  // namespace

std::vector<std::string> create_taco(const Taco& taco, const std::string& output, const CreateTacoOptions& options) {
  check_options(output, Kind::Taco, options);
  Collection collection = taco.collection;
  const Extent found = stated_extent(taco.tortilla.impl()->tree,
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
