#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/threads.hpp"
#include "edit/plan.hpp"
#include "format/names.hpp"
#include "io/open_uninterrupted.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "table/edit_columns.hpp"
#include "table/parquet_write.hpp"
#include "tacore/error.hpp"
#include "writer/staging.hpp"

namespace tacore {
namespace {

namespace fs = std::filesystem;

class FolderEditor {
 public:
  FolderEditor(const EditPlan& plan, const Container& container, const std::string& path, const WriteOptions& options)
      : plan_(plan), samples_(container), path_(path), options_(options) {}

  void run(const std::vector<Unchanged>& unchanged) {
    find_metas();
    const StagingDir staging(path_, options_.temp_dir);
    list(staging);
    for (const auto& [level, table] : plan_.tables) {
      if (level > 0) below_.emplace(level - 1, meta_columns(table, false));
    }
    run_parallel(files_.size(), options_.jobs, [&](std::size_t i) {
      write(staging, files_[i]);
      tell();
    });
    staging.sync();
    tell();
    for (const auto& each : unchanged) each.check();
    exchange_names(staging.path(), path_);
    sync_folder_of(path_);
  }

 private:
  static std::string level_name(int level) { return path_join(names::kMetadata, names::kLevelFiles[level]); }

  /// The files whose content depends on rows of the edited level.
  void find_metas() {
    for (const auto& [level, table] : plan_.tables) {
      if (level == 0) continue;
      const auto& paths = samples_.of(level - 1);
      samples_.children(level - 1);  // computed now, because only one thread may
      for (std::size_t row = 0; row < paths.size(); ++row) {
        if (!samples_.is_folder(level - 1, static_cast<int64_t>(row))) continue;
        metas_.emplace(path_join(path_join(names::kData, paths[row]), names::kMeta),
                       FolderRow{level - 1, static_cast<int64_t>(row)});
      }
    }
  }

  /// Creates the folders in the staging directory, and lists the files for them. Symbolic links are not followed: they
  /// stay links.
  void list(const StagingDir& staging) {
    set_permissions(path_, staging.path());
    try {
      for (const auto& entry : fs::recursive_directory_iterator(path_)) {
        const std::string name = entry.path().string().substr(path_.size() + (path_.ends_with('/') ? 0 : 1));
        if (!entry.is_symlink() && entry.is_directory()) {
          staging.make_folder(name);
          set_permissions(entry.path().string(), staging.path(name));
        } else {
          files_.push_back(name);
        }
      }
    } catch (const fs::filesystem_error& error) {
      throw IoError("cannot be listed", {.path = path_}, error.code().value());
    }
    std::size_t num_metas = 0;
    for (const auto& file : files_) num_metas += metas_.count(file);
    if (num_metas != metas_.size())
      throw FormatError(std::to_string(metas_.size() - num_metas) + " of its " + std::to_string(metas_.size()) +
                            (metas_.size() - num_metas == 1 ? " FOLDERs has no __meta__" : " FOLDERs have no __meta__"),
                        {.path = path_});
  }

  static void set_permissions(const std::string& from, const std::string& to) {
    struct stat status = {};
    // A private folder must not become public because its permissions could not be read.
    if (::stat(from.c_str(), &status) != 0) throw IoError("cannot stat", {.path = from}, errno);
    // The owner can write until the folder is complete; other permissions are those of the original.
    ::chmod(to.c_str(), (status.st_mode & 07777) | S_IRWXU);
  }

  void write(const StagingDir& staging, const std::string& name) {
    if (name == names::kCollection) {
      staging.write_file(name, std::as_bytes(std::span(plan_.collection)));
    } else if (const auto table =
                   std::ranges::find(plan_.tables, name, [](const auto& one) { return level_name(one.first); });
               table != plan_.tables.end()) {
      staging.write_file(name, encode_parquet(*table->second, options_of_level(options_.parquet, table->first)));
    } else if (const auto meta = metas_.find(name); meta != metas_.end()) {
      const auto& [level, row] = meta->second;
      staging.write_file(
          name, encode_metas(below_.at(level), samples_.children(level), std::span(&row, 1), options_).front());
    } else {
      link(staging, name);
    }
  }

  /// A hard link to the file, or a copy where links are impossible.
  void link(const StagingDir& staging, const std::string& name) {
    const std::string old = path_join(path_, name);
    if (::linkat(AT_FDCWD, old.c_str(), AT_FDCWD, staging.path(name).c_str(), 0) == 0) return;
    const int error_number = errno;
    struct stat status = {};
    if (::lstat(old.c_str(), &status) != 0) throw IoError("cannot open", {.path = old}, errno);
    if (S_ISLNK(status.st_mode)) {
      std::error_code error;
      fs::copy_symlink(old, staging.path(name), error);
      if (error) throw IoError("cannot be copied", {.path = old}, error.value());
      return;
    }
    if (!S_ISREG(status.st_mode)) throw IoError("cannot be kept", {.path = old}, error_number);
    copy(staging, name, old, status);
  }

  void copy(const StagingDir& staging, const std::string& name, const std::string& old, const struct stat& status) {
    const int descriptor = open_uninterrupted(old.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw IoError("cannot open", {.path = old}, errno);
    const struct Closing {
      int descriptor;
      ~Closing() { ::close(descriptor); }
    } closing{descriptor};
    StagedFile file(staging, name);
    file.copy({.descriptor = descriptor, .name = old}, static_cast<uint64_t>(status.st_size),
              [&](uint64_t) { tell(); });
    file.set_permissions(status.st_mode);
    file.set_time(status.st_mtim.tv_sec);
    file.close();
  }

  void tell() {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    options_.progress(0);
  }

  const EditPlan& plan_;
  SamplePaths samples_;
  const std::string& path_;
  const WriteOptions& options_;
  struct FolderRow {
    int level = 0;
    int64_t row = 0;
  };
  std::map<std::string, FolderRow> metas_;  ///< by name, their FOLDER
  std::vector<std::string> files_;
  std::map<int, std::shared_ptr<arrow::Table>> below_;  ///< by the level of the FOLDERs, the columns of their children
  std::mutex mutex_;
};

}  // namespace

void edit_folder(const EditPlan& plan, const Container& container, const std::string& path,
                 const std::vector<Unchanged>& unchanged, const WriteOptions& options) {
  FolderEditor(plan, container, path, options).run(unchanged);
}

}  // namespace tacore
