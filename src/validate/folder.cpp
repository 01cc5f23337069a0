#include "validate/folder.hpp"

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/text.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "model/identifier.hpp"

namespace tacore::validator {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFilesAtOnce = 100;

/// Walks DATA/. Symbolic links are resolved here: one that leaves DATA/ would expose any file of the machine, and one
/// to a folder may form a circle.
class Listing {
 public:
  Listing(Report& report, const std::string& folder) : report_(report), root_(path_join(folder, names::kData)) {
    while (root_.ends_with('/')) root_.pop_back();
  }

  std::optional<Entries> list() {
    std::error_code error;
    const auto status = fs::status(root_, error);
    if (!fs::status_known(status)) {
      fail(root_, error);
      return std::nullopt;
    }
    if (!fs::is_directory(status)) return std::move(entries_);
    real_root_ = fs::canonical(root_, error);
    if (error) {
      fail(root_, error);
      return std::nullopt;
    }
    folders_.push_back(root_);
    while (!folders_.empty()) {
      const std::string folder = std::move(folders_.back());
      folders_.pop_back();
      list(folder);
    }
    if (!is_whole_) return std::nullopt;
    entries_.sort();
    return std::move(entries_);
  }

 private:
  void list(const std::string& folder) {
    std::error_code error;
    auto at = fs::directory_iterator(folder, error);
    // The iterator ends at a folder that cannot be read further.
    for (; !error && at != fs::directory_iterator(); at.increment(error)) add(*at);
    if (!error) return;
    fail(folder, error);
    is_whole_ = false;
  }

  void add(const fs::directory_entry& file) {
    std::error_code error;
    const std::string path = file.path().string();
    const bool is_link = file.is_symlink(error);
    if (error) return fail(path, error);
    if (is_link && !is_inside(file.path())) return;
    if (file.is_directory(error)) {
      if (!is_link) return folders_.push_back(path);
      return report_.add("DIR-2", "is a symbolic link to a folder", {.path = path});
    }
    const auto size = file.file_size(error);
    if (error) return fail(path, error);
    entries_.add(std::string(names::kData).append(std::string_view(path).substr(root_.size() + 1)), 0, size);
  }

  bool is_inside(const fs::path& link) {
    std::error_code error;
    const fs::path target = fs::canonical(link, error);
    if (error) {
      fail(link.string(), error);
      return false;
    }
    const auto [end, rest] = std::mismatch(real_root_.begin(), real_root_.end(), target.begin(), target.end());
    if (end == real_root_.end()) return true;
    report_.add("DIR-2", "is a symbolic link to " + tacore::in_quotes(target.string()) + ", which is not below DATA/",
                {.path = link.string()});
    return false;
  }

  void fail(const std::string& path, const std::error_code& error) {
    report_.add("DIR-4", "cannot be read: " + error.message(), {.path = path});
  }

  Report& report_;
  std::string root_;
  fs::path real_root_;
  std::vector<std::string> folders_;  ///< still to be listed
  bool is_whole_ = true;
  Entries entries_;
};

}  // namespace

std::optional<Entries> list_data(Report& report, const std::string& folder) { return Listing(report, folder).list(); }

Entries list_remote_data(const Storage& storage, const std::string& folder,
                         std::span<const std::shared_ptr<const LevelTable>> levels) {
  Entries out;
  std::vector<std::string> names;
  for (const auto& table : levels) {
    if (!table) continue;
    const int id = table->find(names::kId), relative_path = table->find(names::kRelativePath);
    const int type = table->find(names::kType), path = table == levels[0] || relative_path < 0 ? id : relative_path;
    if (path < 0 || type < 0) continue;
    for (int64_t row = 0; row < table->num_rows(); ++row) {
      const std::string name = without_slashes(table->text(path, row).value_or(""));
      const auto parts = split(name, '/');
      if (!std::all_of(parts.begin(), parts.end(), [](const auto& part) { return why_unsafe_id(part).empty(); }))
        continue;  // reported by the rules of rows
      const bool is_folder = table->text(type, row) == "FOLDER";
      names.push_back(std::string(names::kData) + name + (is_folder ? "/" + std::string(names::kMeta) : ""));
    }
  }
  for (std::size_t begin = 0; begin < names.size(); begin += kFilesAtOnce) {
    const auto some = std::span(names).subspan(begin, std::min(kFilesAtOnce, names.size() - begin));
    std::vector<std::string> paths;
    for (const auto& name : some) paths.push_back(path_join(folder, name));
    const auto files = storage.open_all(paths);
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i]) out.add(some[i], 0, files[i]->size());
    }
  }
  out.sort();
  return out;
}

void check_metadata_folder(Report& report, const std::string& folder, std::size_t num_levels) {
  const auto levels = std::span(names::kLevelFiles).first(num_levels);
  std::error_code error;
  std::vector<std::string> foreign;
  const std::string path = path_join(folder, names::kMetadata);
  auto at = fs::directory_iterator(path, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (std::find(levels.begin(), levels.end(), name) == levels.end()) foreign.push_back(name);
  }
  // If METADATA/ is missing, SCH-1 has reported it.
  if (error && error != std::errc::no_such_file_or_directory)
    report.add("DIR-4", "cannot be read: " + error.message(), {.path = path});
  std::sort(foreign.begin(), foreign.end());
  for (const auto& name : foreign) {
    report.add("DIR-5", tacore::in_quotes(name) + " in METADATA/ is not a level table of this dataset",
               {.path = path_join(path, name)});
  }
}

}  // namespace tacore::validator
