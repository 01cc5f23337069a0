#include "container/folder_container.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <ctime>

#include "base/text.hpp"
#include "container/level_files.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "model/identifier.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

std::shared_ptr<const LevelTable> open_level(const Storage& storage, const LevelFiles& files, int level,
                                             const std::string& path) {
  const auto source = files.open(level);
  if (source) return LevelTable::open(source, {.path = files.path(level), .offset = {}, .level = level});
  if (level > 0) throw IoError("cannot open", {.path = files.path(level)}, ENOENT);
  throw FormatError(is_remote(path) || storage.exists(path_join(path, names::kMetadata), true)
                        ? "No metadata files found in METADATA/: level0.parquet expected"
                        : "METADATA directory not found",
                    {.path = path});
}

constexpr int64_t kSecond = 1'000'000'000;
/// Clocks of file servers differ, and some store times in whole seconds.
constexpr int64_t kClockSlack = 2 * kSecond;

int64_t nanoseconds(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

int64_t now() {
  timespec out = {};
  ::clock_gettime(CLOCK_REALTIME, &out);
  return nanoseconds(out);
}

class FolderContainer : public Container {
 public:
  FolderContainer(std::shared_ptr<const Storage> storage, const std::string& path,
                  std::unique_ptr<const LevelFiles> files, std::vector<std::shared_ptr<const LevelTable>> levels)
      : Container(path, files->collection(), std::move(levels)),
        storage_(std::move(storage)),
        files_(std::move(files)),
        data_(path_join(to_vsi(path), names::kData)),
        opened_at_(now()) {}

  Format format() const noexcept override { return Format::Folder; }

  std::string vsi_path(const RowAddress& row) const override {
    return path_of_name(data_, checked(row)) + (row.type == SampleType::Folder ? "/" + std::string(names::kMeta) : "");
  }

  std::string vsi_sql(int level) const override {
    // The SQL function returns the same path as vsi_path(), with the same checks.
    const auto path =
        level > 0 && stored_level(level)->find(names::kRelativePath) >= 0 ? names::kRelativePath : names::kId;
    return "tacore_folder_path(" + sql_literal(data_) + ", " + sql_identifier(path) + ", " +
           sql_identifier(names::kType) + ")";
  }

  std::shared_ptr<const ByteSource> open_data(const RowAddress& row) const override { return open(file(row)); }

  /// Size and modification time of each FILE: nothing else identifies its version without reading it.
  std::string file_version() const override {
    std::string out;
    for (int level = 0; is_local() && level < num_levels(); ++level) {
      for (int64_t row = 0; row < stored_level(level)->num_rows(); ++row) {
        const RowAddress at = address(level, row);
        if (at.type != SampleType::File) continue;
        const std::string name = file(at);
        struct stat status = {};
        if (::stat(name.c_str(), &status) != 0) {
          if (errno == ENOENT || errno == ENOTDIR) continue;  // reading the file reports it
          throw IoError("cannot stat", {.path = name}, errno);
        }
        out += at.relative_path + ' ' + std::to_string(status.st_size) + ' ' +
               std::to_string(nanoseconds(status.st_mtim)) + '\n';
      }
    }
    return out;
  }

  std::shared_ptr<const LevelTable> open_meta(const RowAddress& row, int level) const override {
    const std::string name = path_join(file(row), names::kMeta);
    return open_meta_table(open(name), {.path = name, .offset = {}, .level = level + 1});
  }

 private:
  std::shared_ptr<const LevelTable> assemble(int level) const override {
    return open_level(*storage_, *files_, level, path());
  }

  /// The relative path, when it cannot lead out of DATA/.
  std::string checked(const RowAddress& row) const {
    for (const auto& part : split(row.relative_path, '/')) {
      if (const auto why = why_unsafe_id(part); !why.empty()) {
        throw FormatError("sample path " + quoted(row.relative_path) + " has a part that " + why, {.path = path()});
      }
    }
    return row.relative_path;
  }
  /// Refuses a file that was modified after the folder was opened: its rows may describe other bytes, and a file system
  /// has no checksums. Times in the future are ignored.
  std::shared_ptr<const ByteSource> open(const std::string& name) const {
    struct stat status = {};
    if (!is_local()) return storage_->open(name);
    if (::stat(name.c_str(), &status) == 0) {
      const int64_t changed = nanoseconds(status.st_mtim) - kClockSlack;
      if (changed > opened_at_ && changed <= now())
        throw IoError("changed since the dataset was opened; load it again", {.path = name});
    } else if (errno != ENOENT && errno != ENOTDIR) {  // opening the file reports it
      throw IoError("cannot stat", {.path = name}, errno);
    }
    return storage_->open(name);
  }

  std::string file(const RowAddress& row) const { return path_of_name(path_join(path(), names::kData), checked(row)); }

  std::shared_ptr<const Storage> storage_;
  std::unique_ptr<const LevelFiles> files_;
  std::string data_;
  int64_t opened_at_;  ///< nanoseconds since 1970
};

}  // namespace

std::shared_ptr<Container> open_folder(std::shared_ptr<const Storage> storage, FolderFiles opened,
                                       const std::string& path) {
  auto files =
      std::make_unique<const LevelFiles>(storage, path, path_join(path, names::kMetadata), std::move(opened), path);
  std::vector<std::shared_ptr<const LevelTable>> levels(static_cast<std::size_t>(files->num_levels()));
  for (int k = 0; k < files->num_first_levels(); ++k) {
    levels[static_cast<std::size_t>(k)] = open_level(*storage, *files, k, path);
  }
  return std::make_shared<FolderContainer>(std::move(storage), path, std::move(files), std::move(levels));
}

}  // namespace tacore
