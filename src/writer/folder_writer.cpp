#include "writer/folder_writer.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <utility>

#include "base/crc32.hpp"
#include "format/names.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_json.hpp"
#include "table/parquet_write.hpp"
#include "tacore/error.hpp"
#include "writer/draft.hpp"
#include "writer/payload_reader.hpp"
#include "writer/tables.hpp"
#include "writer/work.hpp"

namespace tacore {
namespace {

constexpr uint64_t kPiece = 1 << 20;

[[noreturn]] void fail(const std::string& what, const std::string& path) { throw IoError(what, {.path = path}, errno); }

/// A new file of a draft, written from its start. Closing tells of late errors; the sync of all comes at the end.
class NewFile {
 public:
  NewFile(const Draft& draft, const std::string& name) : target_(draft.target(name)) {
    descriptor_ = ::open(draft.path(name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail("cannot be created", target_);
  }
  ~NewFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail("cannot be written", target_);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      start_writeback(descriptor_, size_, static_cast<uint64_t>(count));
      size_ += static_cast<uint64_t>(count);
    }
  }
  /// Keeps the time of the sample's own file, as copies of the published writers do.
  void set_time(int64_t seconds) {
    const struct timespec times[2] = {{.tv_sec = seconds, .tv_nsec = 0}, {.tv_sec = seconds, .tv_nsec = 0}};
    ::futimens(descriptor_, times);
  }
  void close() {
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0) fail("cannot be written", target_);
  }

 private:
  std::string target_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

class FolderWriter {
 public:
  FolderWriter(const Tree& tree, const std::string& target, const WriteOptions& options)
      : tree_(tree), target_(target), options_(options) {
    struct stat status = {};
    exists_ = ::lstat(target.c_str(), &status) == 0;
    if (exists_ && !options.overwrite) throw IoError("exists already", {.path = target});
    if (exists_ && !S_ISDIR(status.st_mode))
      throw IoError("is a file, the name of a folder expected", {.path = target});
  }

  void run(const Collection& collection) {
    const Draft draft(target_, options_.temp_dir);
    draft.make_folder("DATA");
    for (int level = 0; level < static_cast<int>(tree_.levels.size()); ++level) write_samples(draft, level);
    draft.make_folder("METADATA");
    for (int level = 0; level < static_cast<int>(tree_.levels.size()); ++level) {
      tell(0);
      const auto table = with_paths(tree_, level, with_numbers(tree_, level, samples_table(tree_, level)));
      write_file(draft, path_join("METADATA", names::kLevelFiles[level]), encode_parquet(*table, options_.parquet));
    }
    const std::string text = encode_collection(collection);
    write_file(draft, std::string(names::kCollection), std::as_bytes(std::span(text)));
    publish(draft.path());
  }

 private:
  static void write_file(const Draft& draft, const std::string& name, std::span<const std::byte> bytes) {
    NewFile file(draft, name);
    file.write(bytes);
    file.close();
  }

  /// The samples of a level side by side: those above them are there.
  void write_samples(const Draft& draft, int level) {
    const auto& here = tree_.levels[static_cast<std::size_t>(level)];
    std::vector<int64_t> first;
    std::shared_ptr<arrow::Table> below;
    if (level + 1 < static_cast<int>(tree_.levels.size())) {
      first = tree_.first_children(level);
      below = samples_table(tree_, level + 1);
    }
    run_parallel(here.ids.size(), options_.jobs, [&](std::size_t row) {
      const std::string name = path_join("DATA", tree_.path(level, static_cast<int64_t>(row)));
      if (here.types[row] == SampleType::File) return copy(here.payloads[row], draft, name);
      draft.make_folder(name);
      write_file(draft, path_join(name, names::kMeta),
                 encode_parquet(*slice_rows(below, first[row], first[row + 1]), options_.parquet));
      tell(0);
    });
  }

  void copy(const Payload& payload, const Draft& draft, const std::string& name) {
    PayloadReader reader(payload);
    NewFile file(draft, name);
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
    reader.finish(crc);
    file.set_time(payload.time);
    file.close();
  }

  /// After each piece, and between whatever else takes time: `progress` may stop the work.
  void tell(uint64_t num_bytes) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    num_written_ += num_bytes;
    options_.progress(num_written_);
  }

  void publish(const std::string& draft) {
    tell(0);
    sync(draft);
    tell(0);
    if (exists_) {
      // Both names change at once: the old folder is what the draft removes then.
      exchange_names(draft, target_);
    } else {
      rename_to(draft, target_, false);
    }
    sync_folder_of(target_);
  }

  /// Its file system, which is quicker than file by file.
  void sync(const std::string& draft) const {
    const int descriptor = ::open(draft.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) fail("cannot be written to the disk", target_);
    const int error_number = ::syncfs(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    if (error_number != 0) throw IoError("cannot be written to the disk", {.path = target_}, error_number);
  }

  const Tree& tree_;
  const std::string& target_;
  const WriteOptions& options_;
  bool exists_ = false;
  std::mutex mutex_;
  uint64_t num_written_ = 0;
};

}  // namespace

void write_folder(const Tree& tree, const Collection& collection, const std::string& target,
                  const WriteOptions& options) {
  FolderWriter(tree, target, options).run(collection);
}

}  // namespace tacore
