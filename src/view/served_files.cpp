#include "view/served_files.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.hpp"
#include "container/container.hpp"
#include "container/tiff_index_file.hpp"
#include "dataset/dataset_impl.hpp"
#include "dataset/open_container.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOpened = 128;  // files that stay open

/// The name of a file or folder, local or remote, as a path of the server has it.
std::string served_name(const std::string& path) {
  std::string name = is_remote(path) ? percent_decoded(file_name(path.substr(0, path.find('?'))))
                                     : fs::absolute(path).lexically_normal().filename().string();
  if (name.empty() && !is_remote(path)) name = fs::absolute(path).lexically_normal().parent_path().filename().string();
  const bool is_usable = !name.empty() && name != "." && name != ".." && name.find('/') == name.npos;
  return is_usable ? name : "dataset";
}

/// True where `path` may lead below one of its folders only.
bool is_plain(const std::string& path) {
  const auto parts = split(path, '/');
  return std::ranges::none_of(parts,
                              [](const std::string& part) { return part.empty() || part == "." || part == ".."; });
}

/// True unless symbolic links lead from the part of a FOLDER dataset that a file is in to a place outside of that part.
bool stays_inside(const std::string& folder, const std::string& below) {
  std::error_code error;
  const fs::path part = fs::canonical(fs::path(folder) / below.substr(0, below.find('/')), error);
  const fs::path file = error ? fs::path() : fs::canonical(fs::path(folder) / below, error);
  if (error) return true;  // it does not exist, which opening it will say
  return std::mismatch(part.begin(), part.end(), file.begin(), file.end()).first == part.end();
}

/// Calls `use` with each container of a view, which must have no steps.
template <class Use>
void for_each_container(const View& view, const Use& use) {
  if (!view.steps.empty()) throw QueryError("view: a page shows whole datasets; set the filters in the page");
  if (const Container* container = view.container()) return use(*container);
  if (const Union* all = std::get_if<Union>(&view.base)) {
    for (const auto& part : all->parts) for_each_container(*part.view, use);
  }
}

}  // namespace

void check_whole(const Dataset& dataset) {
  const Dataset::Impl& impl = *impl_of(dataset);
  check_no_given_rows(impl, "view");
  for_each_container(impl.base, [](const Container&) {});
}

ServedFiles::ServedFiles(const Dataset& dataset) {
  check_whole(dataset);
  const Dataset::Impl& impl = *impl_of(dataset);
  if (impl.partitions) {
    const auto& storage = impl.partitions->storage();
    const std::string name = unused(served_name(impl.partitions->folder())), index = std::string(names::kTacollection);
    const std::string path = ends_with_ignoring_case(impl.path, ".json") ? impl.path : path_join(impl.path, index);
    files_[name + "/" + index] = {storage, path};
    datasets_.push_back(name + "/" + index);
    add_sources(storage, impl.partitions->folder(), name, impl.partitions->sources());
    return;
  }
  for_each_container(impl.base, [&](const Container& container) { add(container); });
}

void ServedFiles::add(const Container& container) {
  const auto& storage = container.storage();
  if (container.format() == Format::Tacocat) return add_index(container);
  std::string path = without_slashes(container.path());
  const bool is_folder = container.format() == Format::Folder;
  if (is_folder && file_name(path) == names::kCollection) path = without_slashes(parent_folder(path));
  if (path.empty()) path = ".";
  const std::string name = unused(served_name(path));
  (is_folder ? folders_ : files_)[name] = {storage, path};
  if (!is_folder) add_headers(storage, name, path);
  // A dataset before 2.0 may be split into several files, which have numbered names. The page finds the others by them.
  const bool is_further = is_v1(container.format()) && std::ranges::any_of(datasets_, [&](const std::string& other) {
                            return partition_group(other) == partition_group(name);
                          });
  if (!is_further) datasets_.push_back(name);
}

void ServedFiles::add_index(const Container& container) {
  const auto& storage = container.storage();
  const Detected at = detect(*storage, container.path());
  const auto& sources = container.collection().sources;
  // A base path may have set the folder of the ZIPs, which the container knows.
  std::string folder = at.folder;
  if (!sources.empty()) {
    const RowAddress any{.offset = 0, .size = 1, .source_file = sources[0].file};
    folder = without_slashes(parent_folder(from_vsi(parse_vsi_subfile(container.vsi_path(any)).root)));
  }
  const std::string name = unused(served_name(at.is_folder ? at.folder : parent_folder(at.path)));
  if (at.is_folder) {
    const std::string index = name + "/" + std::string(names::kTacocatFolder);
    files_[index + "/" + std::string(names::kCollection)] = {storage, path_join(at.path, names::kCollection)};
    for (const auto level : names::kLevelFiles)
      files_[index + "/" + std::string(level)] = {storage, path_join(at.path, level)};
    datasets_.push_back(index);
  } else {
    datasets_.push_back(name + "/" + std::string(names::kTacocatFile));
    files_[datasets_.back()] = {storage, at.path};
  }
  add_headers(storage, datasets_.back(), at.path);
  add_sources(storage, folder, name, sources);
}

void ServedFiles::add_headers(const std::shared_ptr<const Storage>& storage, const std::string& name,
                              const std::string& path) {
  const std::string headers = header_file_path(path);
  if (!headers.empty()) files_[name + std::string(kHeaderFileSuffix)] = {storage, headers};
}

void ServedFiles::add_sources(const std::shared_ptr<const Storage>& storage, const std::string& folder,
                              const std::string& name, const std::vector<Source>& sources) {
  for (const Source& source : sources) {
    const std::string path = path_of_name(folder, source.file);
    const bool is_folder = !is_remote(path) && storage->exists(path, true);
    (is_folder ? folders_ : files_)[name + "/" + source.file] = {storage, path};
  }
}

/// `name`, in a folder of its own where another dataset has it.
std::string ServedFiles::unused(std::string name) const {
  const auto is_used = [&](const std::string& path) {
    return files_.contains(path) || folders_.contains(path) ||
           std::ranges::any_of(files_, [&](const auto& file) { return file.first.starts_with(path + "/"); });
  };
  if (!is_used(name)) return name;
  for (int number = 2;; ++number) {
    const std::string other = std::to_string(number) + "/" + name;
    if (!is_used(other)) return other;
  }
}

const ServedFiles::File* ServedFiles::find(const std::string& path, File& in_folder) const {
  if (const auto file = files_.find(path); file != files_.end()) return &file->second;
  for (const auto& [name, folder] : folders_) {
    if (!path.starts_with(name + "/")) continue;
    const std::string below = path.substr(name.size() + 1);
    const bool is_part =
        below == names::kCollection || below.starts_with(names::kMetadata) || below.starts_with(names::kData);
    if (!is_part || !is_plain(below)) continue;
    if (!is_remote(folder.path) && !stays_inside(folder.path, below)) return nullptr;
    std::string there = folder.path;
    for (const auto& part : split(below, '/')) there = path_of_name(there, part);
    in_folder = {folder.storage, there};
    return &in_folder;
  }
  return nullptr;
}

std::shared_ptr<const ByteSource> ServedFiles::open(const std::string& path) const {
  File in_folder;
  const File* file = find(path, in_folder);
  if (!file) return nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = opened_.find(path); known != opened_.end()) return known->second;
  }
  std::shared_ptr<const ByteSource> opened;
  try {
    opened = file->storage->open(file->path);
  } catch (const IoError& error) {
    if (error.not_found()) return nullptr;
    throw;
  }
  const std::lock_guard lock(mutex_);
  if (opened_.size() >= kMostOpened) opened_.clear();
  return opened_.emplace(path, std::move(opened)).first->second;
}

}  // namespace tacore
