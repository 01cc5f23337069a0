#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/text.hpp"
#include "io/vsi_path.hpp"
#include "net/storage.hpp"
#include "tacore/error.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/tree_sources.hpp"

namespace tacore {
namespace {

/// Sorts names in the code-point order of `<name>/`.
std::vector<std::string> names_in(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(folder.c_str()), ::closedir);
  if (!listing) throw IoError("cannot list", {.path = folder}, errno);
  std::vector<std::string> out;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(listing.get());
    if (!entry) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") out.push_back(name + "/");
  }
  if (errno != 0) throw IoError("cannot list", {.path = folder}, errno);
  std::sort(out.begin(), out.end());
  for (auto& name : out) name.pop_back();
  return out;
}

bool is_folder(const std::string& path) {
  struct stat link = {};
  if (::lstat(path.c_str(), &link) != 0) throw IoError("cannot stat", {.path = path}, errno);
  if (S_ISDIR(link.st_mode)) return true;
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) throw IoError("cannot stat", {.path = path}, errno);
  if (S_ISDIR(status.st_mode)) throw SchemaError("a link to a folder; a folder or a file expected", {.path = path});
  return false;
}

/// The whole file as a payload, for parts of it: it is opened again when these are copied.
Payload remote_file(const std::string& path) {
  const auto storage = any_storage();
  const uint64_t size = storage->open(path)->size();
  return {.path = path, .remote = std::make_shared<const RemoteFiles>(RemoteFiles{.storage = storage}), .size = size};
}

}  // namespace

Payload part_of(const Payload& whole, const ByteRange& range) {
  if (range.offset > whole.size || range.size > whole.size - range.offset) {
    throw IoError("bytes " + std::to_string(range.offset) + " to " + std::to_string(range.offset + range.size) +
                      " are outside of the file of " + std::to_string(whole.size) + " bytes",
                  {.path = whole.path});
  }
  Payload out = whole;
  out.offset += range.offset;
  out.size = range.size;
  out.part = true;
  return out;
}

Payload payload_of(const std::string& path) {
  if (path.find('\0') != path.npos) throw SchemaError("path " + in_quotes(path) + " contains a NUL byte");
  if (path.starts_with("/vsisubfile/")) {
    const VsiSubfile part = parse_vsi_subfile(path);
    return part_of(is_remote(part.root) ? remote_file(part.root) : payload_of(part.root), part.range);
  }
  if (is_remote(path)) return remote_payloads(any_storage(), {path}, 1)[0];
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) throw IoError("cannot stat", {.path = path}, errno);
  if (S_ISDIR(status.st_mode)) throw IoError("a folder, the file of a sample expected", {.path = path});
  if (!S_ISREG(status.st_mode)) throw SchemaError("neither a file nor a folder", {.path = path});
  return {.path = path, .size = static_cast<uint64_t>(status.st_size), .time = status.st_mtim.tv_sec};
}

Payload payload_of(Bytes bytes, const std::string& temp_dir) {
  Payload out{.held = std::make_shared<const SpillBuffer>(std::move(bytes), temp_dir)};
  out.size = out.held->size();
  return out;
}

Tree tree_of_folder(const std::string& path) {
  Tree out;
  std::vector<std::string> folders{path};  // of the level above, in order
  std::vector<int64_t> rows{-1};
  while (!folders.empty()) {
    TreeLevel level;
    std::vector<std::string> below;
    std::vector<int64_t> below_rows;
    for (std::size_t f = 0; f < folders.size(); ++f) {
      const auto children = names_in(folders[f]);
      for (const auto& name : children) {
        const std::string child = path_join(folders[f], name);
        const bool folder = is_folder(child);
        if (folder) {
          below.push_back(child);
          below_rows.push_back(static_cast<int64_t>(level.ids.size()));
        }
        level.ids.push_back(name);
        level.types.push_back(folder ? SampleType::Folder : SampleType::File);
        level.payloads.push_back(folder ? Payload() : payload_of(child));
        if (rows[f] >= 0) level.parents.push_back(rows[f]);
      }
    }
    if (level.ids.empty()) break;  // empty folders, which pad() may fill
    out.levels.push_back(std::move(level));
    folders = std::move(below);
    rows = std::move(below_rows);
  }
  if (out.levels.empty()) throw SchemaError("an empty folder; samples expected", {.path = path});
  return out;
}

}  // namespace tacore
