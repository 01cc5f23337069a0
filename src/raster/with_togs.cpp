#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "base/checked_math.hpp"
#include "base/crc32.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "model/identifier.hpp"
#include "raster/about_sample.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tog.hpp"
#include "tacore/error.hpp"
#include "writer/sample_source.hpp"
#include "writer/tortilla_impl.hpp"
#include "writer/whole_payloads.hpp"

namespace tacore {
namespace {

constexpr uint64_t kPiece = 1 << 20;

/// Hands all bytes to `take`, a piece at a time, and returns their CRC-32.
template <class Take>
uint32_t read_pieces(const ByteSource& source, const Take& take) {
  uint32_t out = 0;
  for (uint64_t at = 0; at < source.size(); at += kPiece) {
    const std::span part = scratch(std::min(kPiece, source.size() - at));
    source.read(at, part);
    out = crc32(part, out);
    take(part);
  }
  return out;
}

/// A folder for TOGs below `temp_dir`, which is removed with the last sample in it. A forked child leaves it alone.
std::shared_ptr<const StagingDir> make_folder_of_togs(const std::string& temp_dir) {
  const char* system = std::getenv("TMPDIR");
  const std::string folder = !temp_dir.empty() ? temp_dir : system && *system != '\0' ? system : "/tmp";
  return {new StagingDir(path_join(folder, "togs"), ""), [owner = ::getpid()](const StagingDir* made) {
            if (::getpid() == owner) delete made;
          }};
}

/// Converts the FILEs of a tree.
class TogConversion {
 public:
  TogConversion(Tree& tree, const TogSamplesOptions& options) : tree_(tree), options_(options) {}

  TogSamples run() {
    // Otherwise it would depend on the threads which sample the error names.
    TogOptions given{.zstd_level = options_.zstd_level};
    if (options_.block_size != 0) given.block_size = options_.block_size;
    check_tog_options(given);
    find_rows();
    const auto jobs = static_cast<std::size_t>(num_threads(options_.task.jobs));
    for (const Row& row : rows_) num_bytes_ += payload(row).size;
    if (!rows_.empty()) folder_ = make_folder_of_togs(options_.temp_dir);
    const TogOptions how{
        .task = {.jobs = static_cast<int>(std::max<std::size_t>(1, jobs / std::max<std::size_t>(1, rows_.size()))),
                 .progress = &TogConversion::go_on,
                 .user = this},
        .block_size = options_.block_size,
        .zstd_level = options_.zstd_level};
    run_parallel(rows_.size(), static_cast<int>(jobs), [&](std::size_t i) {
      const Row& row = rows_[i];
      const uint64_t size = payload(row).size;
      Payload made = about_sample(
          path_of(row), [&] { return encode_payload(tree_, row.level, row.number, *folder_, how, options_.fallback); });
      made.time = payload(row).time;
      made.keep = folder_;
      payload(row) = std::move(made);
      tell(size);
    });
    return {tortilla_of(std::move(tree_)), static_cast<int64_t>(rows_.size()), num_unchanged_, num_others_};
  }

 private:
  struct Row {
    int level;
    std::size_t number;
  };
  enum class What { Nothing, Raster, Tog, Other };

  Payload& payload(const Row& row) { return tree_.levels[as_size(row.level)].payloads[row.number]; }
  std::string path_of(const Row& row) const { return tree_.path(row.level, static_cast<int64_t>(row.number)); }

  What look_at(int level, std::size_t number) {
    const TreeLevel& rows = tree_.levels[as_size(level)];
    if (rows.types[number] == SampleType::Folder || is_padding_id(rows.ids[number])) return What::Nothing;
    return about_sample(path_of({level, number}), [&] {
      const auto source = source_of(rows.payloads[number], rows.ids[number]);
      if (!find_tiff_directory(*source)) return What::Other;
      return is_tog(*source, options_.block_size) ? What::Tog : What::Raster;
    });
  }

  /// Reads the headers of all FILEs, so that the work is known before it begins.
  void find_rows() {
    for (int level = 0; level < static_cast<int>(tree_.levels.size()); ++level) {
      std::vector<What> found(tree_.levels[as_size(level)].ids.size());
      run_parallel(found.size(), num_threads(options_.task.jobs), [&](std::size_t i) { found[i] = look_at(level, i); });
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] == What::Raster) rows_.push_back({level, i});
        num_unchanged_ += found[i] == What::Tog ? 1 : 0;
        num_others_ += found[i] == What::Other ? 1 : 0;
      }
    }
  }

  void tell(uint64_t num_bytes) {
    const std::lock_guard lock(mutex_);
    report(options_.task, num_done_ += num_bytes, num_bytes_);
  }
  /// The progress of one raster: only whole ones count, but each call can cancel the work.
  static bool go_on(uint64_t, uint64_t, void* self) {
    auto& me = *static_cast<TogConversion*>(self);
    const std::lock_guard lock(me.mutex_);
    const Task& task = me.options_.task;
    return !task.progress || task.progress(me.num_done_, me.num_bytes_, task.user);
  }

  Tree& tree_;
  const TogSamplesOptions& options_;
  std::vector<Row> rows_ = {};  ///< GeoTIFFs to be converted
  int64_t num_unchanged_ = 0, num_others_ = 0;
  std::shared_ptr<const StagingDir> folder_ = {};
  std::mutex mutex_ = {};
  uint64_t num_done_ = 0, num_bytes_ = 0;
};

}  // namespace

bool is_tog(const ByteSource& source, int64_t block_size) {
  return check_tacotiff(source).empty() &&
         (block_size == 0 || read_tiff_directory(source).layout.block_width == block_size);
}

Payload encode_payload(const Tree& tree, int level, std::size_t row, const StagingDir& folder,
                       const TogOptions& options, const RasterOpener* fallback) {
  const TreeLevel& rows = tree.levels[as_size(level)];
  const Payload& from = rows.payloads[row];
  const std::string name = std::to_string(level) + "_" + std::to_string(row) + ".tif", copy = "held_" + name;
  const auto source = source_of(from, rows.ids[row]);
  std::string path = from.part ? vsi_subfile({from.offset, from.size}, from.path) : from.path;
  if (from.held || from.is_remote()) {  // opening by path would ignore the options of the dataset
    path = folder.path(copy);
    StagedFile held(folder, copy);
    check_crc32(tree, level, static_cast<int64_t>(row), read_pieces(*source, [&](auto part) { held.write(part); }));
    held.close();
  } else if (from.crc32) {  // the last time that these bytes are read
    check_crc32(tree, level, static_cast<int64_t>(row), read_pieces(*source, [](auto) {}));
  }
  StagedFile file(folder, name);
  Payload out{.path = folder.path(name), .size = encode_tog(path, file, options, fallback)};
  file.close();
  std::error_code none;
  std::filesystem::remove(folder.path(copy), none);
  return out;
}

TogSamples with_togs(const Tortilla& samples, const TogSamplesOptions& options) {
  Tree tree = impl_of(samples)->tree;
  return TogConversion(tree, options).run();
}

}  // namespace tacore
