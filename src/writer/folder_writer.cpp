#include "writer/folder_writer.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <utility>

#include "format/names.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_json.hpp"
#include "tacore/error.hpp"
#include "writer/payload_reader.hpp"
#include "writer/tables.hpp"
#include "writer/work.hpp"

namespace tacore {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kPiece = 1 << 20;

[[noreturn]] void fail(const std::string& what, const std::string& path) { throw IoError(what, {.path = path}, errno); }

/// A new file, written from its start. Closing tells of late errors; the sync of all of them comes at the end.
class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail("cannot be created", path_);
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
      if (count < 0) fail("cannot be written", path_);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }
  /// Keeps the time of the sample's own file, as copies of the published writers do.
  void set_time(int64_t seconds) {
    const struct timespec times[2] = {{.tv_sec = seconds, .tv_nsec = 0}, {.tv_sec = seconds, .tv_nsec = 0}};
    ::futimens(descriptor_, times);
  }
  void close() {
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0) fail("cannot be written", path_);
  }

 private:
  std::string path_;
  int descriptor_ = -1;
};

void make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) != 0) fail("cannot be created", path);
}

/// A folder that is removed with all it holds, unless it is kept.
class Draft {
 public:
  explicit Draft(const std::string& target) : path_(temporary_beside(target)) { make_folder(path_); }
  ~Draft() {
    std::error_code ignored;  // nothing can be done about what cannot be removed
    fs::remove_all(path_, ignored);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
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
    const Draft draft(target_);
    const std::string data = path_join(draft.path(), "DATA");
    make_folder(data);
    for (int level = 0; level < static_cast<int>(tree_.levels.size()); ++level) write_samples(level, data);
    const std::string metadata = path_join(draft.path(), "METADATA");
    make_folder(metadata);
    for (int level = 0; level < static_cast<int>(tree_.levels.size()); ++level) {
      const auto table = with_paths(tree_, level, with_numbers(tree_, level, samples_table(tree_, level)));
      write_file(path_join(metadata, names::kLevelFiles[level]), encode_parquet(table));
    }
    const std::string text = encode_collection(collection);
    write_file(path_join(draft.path(), names::kCollection), std::as_bytes(std::span(text)));
    publish(draft.path());
  }

 private:
  static void write_file(const std::string& path, std::span<const std::byte> bytes) {
    NewFile file(path);
    file.write(bytes);
    file.close();
  }

  /// The folders of a level are made first, with their tables, then its files are copied side by side.
  void write_samples(int level, const std::string& data) {
    const auto& here = tree_.levels[static_cast<std::size_t>(level)];
    const auto path_of = [&](std::size_t row) { return path_join(data, tree_.path(level, static_cast<int64_t>(row))); };
    std::vector<int64_t> first;
    std::shared_ptr<arrow::Table> below;
    for (std::size_t row = 0; row < here.ids.size(); ++row) {
      if (here.types[row] == SampleType::File) continue;
      if (!below) {
        first = tree_.first_children(level);
        below = samples_table(tree_, level + 1);
      }
      make_folder(path_of(row));
      write_file(path_join(path_of(row), names::kMeta), encode_parquet(slice_rows(below, first[row], first[row + 1])));
    }
    run_parallel(here.ids.size(), options_.jobs, [&](std::size_t row) {
      if (here.types[row] == SampleType::File) copy(here.payloads[row], path_of(row));
    });
  }

  void copy(const Payload& payload, const std::string& path) {
    PayloadReader reader(payload);
    NewFile file(path);
    Bytes piece(std::min(payload.size, kPiece));
    for (uint64_t done = 0; done < payload.size;) {
      const std::span part = std::span(piece).first(std::min<uint64_t>(kPiece, payload.size - done));
      reader.read(part);
      file.write(part);
      done += part.size();
    }
    reader.finish();
    file.set_time(payload.time);
    file.close();
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    num_written_ += payload.size;
    options_.progress(num_written_);
  }

  void publish(const std::string& draft) const {
    const int descriptor = ::open(draft.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool synced = descriptor >= 0 && ::syncfs(descriptor) == 0;
    if (descriptor >= 0) ::close(descriptor);
    if (!synced) fail("cannot be written to the disk", target_);
    if (exists_) {
      // Both names change at once: the old folder is what the draft removes then.
      if (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0) {
        fail("cannot be replaced", target_);
      }
    } else {
      rename_to(draft, target_, false);
    }
    sync_folder_of(target_);
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
