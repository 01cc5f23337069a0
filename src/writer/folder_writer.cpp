#include "writer/folder_writer.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "base/crc32.hpp"
#include "base/log.hpp"
#include "base/threads.hpp"
#include "format/names.hpp"
#include "io/entry_at.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "table/parquet_write.hpp"
#include "tacore/error.hpp"
#include "writer/copy_payload.hpp"
#include "writer/payload_reader.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/staging.hpp"
#include "writer/tables.hpp"
#include "writer/whole_payloads.hpp"

namespace tacore {
namespace {

constexpr uint64_t kPiece = 1 << 20;
/// Large remote files that are written in parallel.
constexpr std::size_t kFilesAtOnce = 64;

class FolderWriter {
 public:
  FolderWriter(const Tree& tree, const std::string& target, const WriteOptions& options)
      : tree_(tree), target_(target), options_(options) {
    const auto found = entry_at(target);
    exists_ = found.has_value();
    if (exists_ && !options.overwrite) throw IoError("exists already", {.path = target});
    if (exists_ && !S_ISDIR(found->st_mode))
      throw IoError("is a file, the name of a folder expected", {.path = target});
  }

  void run(std::string_view collection) {
    const StagingDir staging(target_, options_.temp_dir);
    staging.make_folder("DATA");
    for (int level = 0; level < static_cast<int>(tree_.levels.size()); ++level) write_samples(staging, level);
    staging.make_folder("METADATA");
    for (int level = 0; level < static_cast<int>(tree_.levels.size()); ++level) {
      tell(0);
      const auto table = with_paths(tree_, level, with_numbers(tree_, level, samples_table(tree_, level)));
      const auto encoded = encode_parquet(*table, options_of_level(options_.parquet, level));
      staging.write_file(path_join("METADATA", names::kLevelFiles[level]), encoded);
      log::debug(target_ + ": level " + std::to_string(level) + " is " + std::to_string(encoded.size()) + " bytes");
    }
    staging.write_file(std::string(names::kCollection), std::as_bytes(std::span(collection)));
    publish(staging);
    log_written(tree_, target_);
  }

 private:
  /// Writes the samples of a level in parallel: the folders above exist.
  void write_samples(const StagingDir& staging, int level) {
    const auto& here = tree_.levels[static_cast<std::size_t>(level)];
    std::vector<int64_t> first;
    std::shared_ptr<arrow::Table> below;
    if (level + 1 < static_cast<int>(tree_.levels.size())) {
      first = tree_.first_children(level);
      below = samples_table(tree_, level + 1);
    }
    const auto is_apart = [&](std::size_t row) {
      const Payload& payload = here.payloads[row];
      return here.types[row] == SampleType::File &&
             (payload.is_remote() || (payload.part && payload.size < kCopyPiece));
    };
    run_parallel(here.ids.size(), options_.jobs, [&](std::size_t row) {
      if (is_apart(row)) return;
      const std::string name = path_join("DATA", tree_.path(level, static_cast<int64_t>(row)));
      if (here.types[row] == SampleType::File) return copy(level, static_cast<int64_t>(row), staging, name);
      staging.make_folder(name);
      staging.write_file(path_join(name, names::kMeta), encode_parquet(*slice_rows(below, first[row], first[row + 1]),
                                                                       options_of_meta(options_.parquet)));
      tell(0);
    });
    std::vector<std::size_t> small, large;
    for (std::size_t row = 0; row < here.ids.size(); ++row) {
      if (is_apart(row)) (here.payloads[row].size < kCopyPiece ? small : large).push_back(row);
    }
    const auto begins = pieces_of(small.size(), [&](std::size_t i) { return here.payloads[small[i]].size; });
    run_parallel(begins.size() - 1, tacore::has_remote(tree_) ? readers_.num_threads : options_.jobs,
                 [&](std::size_t i) {
                   copy_small(level, std::span(small).subspan(begins[i], begins[i + 1] - begins[i]), staging);
                 });
    for (std::size_t begin = 0; begin < large.size(); begin += kFilesAtOnce) {
      copy_large(level, std::span(large).subspan(begin, std::min(kFilesAtOnce, large.size() - begin)), staging);
    }
  }

  std::unique_ptr<StagedFile> create(const StagingDir& staging, int level, std::size_t row) const {
    return std::make_unique<StagedFile>(staging, path_join("DATA", tree_.path(level, static_cast<int64_t>(row))));
  }

  static void finish(StagedFile& file, const Payload& payload) {
    file.set_time(payload.time);
    file.close();
  }

  /// Reads FILEs together that may be neighbours in their source.
  void copy_small(int level, std::span<const std::size_t> rows, const StagingDir& staging) {
    const auto& payloads = tree_.levels[static_cast<std::size_t>(level)].payloads;
    uint64_t size = 0;
    for (const std::size_t row : rows) size += payloads[row].size;
    std::vector<WholePayload> files;
    std::span rest = scratch(size);
    for (const std::size_t row : rows) {
      files.push_back({&payloads[row], rest.first(payloads[row].size)});
      rest = rest.subspan(payloads[row].size);
    }
    read_whole(files, readers_.num_ranges);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Payload& payload = *files[i].payload;
      if (payload.crc32) check_crc32(tree_, level, static_cast<int64_t>(rows[i]), crc32(files[i].out));
      const auto file = create(staging, level, rows[i]);
      file->write(files[i].out);
      finish(*file, payload);
    }
    tell(size);
  }

  void copy_large(int level, std::span<const std::size_t> rows, const StagingDir& staging) {
    const auto& payloads = tree_.levels[static_cast<std::size_t>(level)].payloads;
    std::vector<RemoteCopy> copies;
    std::vector<std::unique_ptr<StagedFile>> files;
    for (const std::size_t row : rows) {
      copies.push_back({&payloads[row], 0});
      files.push_back(create(staging, level, row));
    }
    const auto crcs = copy_remote(copies, options_.max_concurrent_requests,
                                  [&](std::size_t i, uint64_t offset, std::span<const std::byte> bytes) {
                                    files[i]->write(offset, bytes);
                                    tell(bytes.size());
                                  });
    for (std::size_t i = 0; i < rows.size(); ++i) {
      check_crc32(tree_, level, static_cast<int64_t>(rows[i]), crcs[i]);
      finish(*files[i], payloads[rows[i]]);
    }
  }

  void copy(int level, int64_t row, const StagingDir& staging, const std::string& name) {
    const Payload& payload = tree_.levels[as_size(level)].payloads[as_size(row)];
    PayloadReader reader(payload);
    StagedFile file(staging, name);
    const std::span piece = scratch(std::min(payload.size, kPiece));
    uint32_t crc = 0;
    for (uint64_t done = 0; done < payload.size;) {
      const std::span part = piece.first(std::min<uint64_t>(kPiece, payload.size - done));
      reader.read(part);
      if (payload.crc32) crc = crc32(part, crc);
      file.write(part);
      done += part.size();
      tell(part.size());
    }
    reader.finish();
    check_crc32(tree_, level, row, crc);
    finish(file, payload);
  }

  /// Called after each piece, and between other slow steps: `progress` may stop the work.
  void tell(uint64_t num_bytes) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    num_written_ += num_bytes;
    options_.progress(num_written_);
  }

  void publish(const StagingDir& staging) {
    tell(0);
    staging.sync();
    tell(0);
    if (exists_) {
      // Both names change in one step: the staging directory then holds the old folder, and removes it.
      exchange_names(staging.path(), target_);
    } else {
      rename_to(staging.path(), target_, false);
    }
    sync_folder_of(target_);
  }

  const Tree& tree_;
  const std::string& target_;
  const WriteOptions& options_;
  const Readers readers_{options_.max_concurrent_requests};
  bool exists_ = false;
  std::mutex mutex_;
  uint64_t num_written_ = 0;
};

}  // namespace

void write_folder(const Tree& tree, std::string_view collection, const std::string& target,
                  const WriteOptions& options) {
  FolderWriter(tree, target, options).run(collection);
}

}  // namespace tacore
