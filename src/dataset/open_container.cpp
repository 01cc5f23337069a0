#include "dataset/open_container.hpp"

#include <algorithm>
#include <cerrno>

#include "base/log.hpp"
#include "base/text.hpp"
#include "container/folder_container.hpp"
#include "container/level_files.hpp"
#include "container/read_hints.hpp"
#include "container/tacocat_container.hpp"
#include "container/tiff_index_file.hpp"
#include "container/zip_container.hpp"
#include "format/names.hpp"
#include "format/taco_header.hpp"
#include "format/tacocat_header.hpp"
#include "io/document.hpp"
#include "io/prefetched_source.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_json.hpp"
#include "tortilla/container.hpp"
#include "tortilla/partitions.hpp"

namespace tacore {
namespace {

/// Identifies a file by its first bytes. As many as the longest header has are kept for the code that opens the file.
Detected detect_file(std::shared_ptr<const ByteSource> file, const std::string& path) {
  constexpr uint64_t kHead = std::max({taco_header::kSize, tacocat_header::kSize, v1::kHeaderUsed});
  if (ends_as_zip(*file)) return {.path = path, .folder = parent_folder(path), .source = std::move(file)};
  Detected out{.path = path, .folder = parent_folder(path), .source = prefetched(std::move(file), {{0, kHead}})};
  const Bytes head = out.source->read({0, std::min<uint64_t>(out.source->size(), 8)});
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (tacocat_header::is_header(head)) {
    out.format = Format::Tacocat;
  } else if (text.starts_with("PK")) {
    out.format = Format::Zip;
  } else if (v1::is_header(head)) {
    const v1::Header header = v1::read_header(*out.source, path);
    out.format = header.kind == v1::Kind::Taco ? Format::Taco : Format::Tortilla;
    out.num_partitions = header.num_partitions;
  } else if (text.find_first_not_of(" \t\r\n\xEF\xBB\xBF") != text.npos &&
             text[text.find_first_not_of(" \t\r\n\xEF\xBB\xBF")] == '{') {
    out.format = Format::Tacollection;
  } else if (text.starts_with("PAR1")) {
    throw FormatError("a Parquet table, not a dataset; name the .tacozip or folder it belongs to", {.path = path});
  } else {
    throw FormatError("not a TACO dataset: starts with " + in_quotes(text.substr(0, 4)) +
                          "; a ZIP, `TACOCAT`, JSON, Tortilla or TACO expected",
                      {.path = path, .offset = 0});
  }
  return out;
}

bool is_index_folder(const Storage& storage, const std::string& path) {
  return !storage.exists(path_join(path, names::kMetadata), true) &&
         storage.exists(path_join(path, names::kLevelFiles[0]));
}

Detected detect_folder(const Storage& storage, const std::string& path) {
  const std::string tacocat = path_join(path, names::kTacocatFolder);
  if (storage.exists(path_join(tacocat, names::kCollection))) {
    return {.format = Format::Tacocat, .path = tacocat, .folder = path, .source = nullptr, .is_folder = true};
  }
  if (storage.exists(path_join(path, names::kCollection))) {
    // A .tacocat under another name: its levels are beside the collection, its parts beside the folder that a symbolic
    // link leads to.
    if (is_index_folder(storage, path)) {
      return {.format = Format::Tacocat,
              .path = path,
              .folder = path_join(path, ".."),
              .source = nullptr,
              .is_folder = true};
    }
    return {.format = Format::Folder, .path = path, .folder = path, .source = nullptr, .is_folder = true};
  }
  for (const auto index : {names::kTacocatFile, names::kTacollection}) {
    const std::string file = path_join(path, index);
    if (storage.exists(file)) return detect_file(storage.open(file, hint_of(file)), file);
  }
  throw FormatError(
      "COLLECTION.json not found: a .tacozip or .zip file, a folder with COLLECTION.json, a folder with "
      ".tacocat/, __TACOCAT__ or TACOLLECTION.json expected",
      {.path = path});
}

/// True for names that only files have.
bool is_file_name(std::string_view path) {
  // A URL may be signed. In one form of GDAL's paths the URL itself follows the question mark.
  const std::string name = file_name(path.starts_with("/vsicurl?") ? path : path.substr(0, path.find('?')));
  constexpr std::string_view kSuffixes[] = {".tacozip", ".zip", ".tortilla", ".taco", ".json"};
  return name == names::kTacocatFile || std::any_of(std::begin(kSuffixes), std::end(kSuffixes),
                                                    [&](auto suffix) { return ends_with_ignoring_case(name, suffix); });
}

/// Remote storage cannot say what is at a path: the files that every dataset has are looked for one by one.
Detected detect_remote(const Storage& storage, std::string path) {
  const auto find = [&](const std::string& file) { return storage.open_all({&file, 1})[0]; };
  const auto folder = [&](Format format, const std::string& at, const std::string& base,
                          std::vector<std::shared_ptr<const ByteSource>> files) -> Detected {
    auto level0 = files.size() > 1 ? std::move(files[1]) : nullptr;
    return {.format = format, .path = at, .folder = base, .source = files[0], .level0 = level0, .is_folder = true};
  };
  // The collection in `at`, together with the level that every dataset has there.
  const auto open_first = [&](const std::string& at, const std::string& levels) {
    const std::string files[] = {path_join(at, names::kCollection), path_join(levels, names::kLevelFiles[0])};
    const ReadHint hints[] = {{}, {.suffix = kReadLevel.suffix, .may_wait = true}};
    return storage.open_all(files, hints);
  };
  const bool is_collection = file_name(path) == names::kCollection;
  if (is_file_name(path) && !is_collection) return detect_file(storage.open(path, hint_of(path)), path);
  if (is_collection) path = without_slashes(parent_folder(path));
  if (ends_with_ignoring_case(file_name(path), names::kTacocatFolder)) {
    auto files = open_first(path, path);
    if (!files[0]) files = {storage.open(path_join(path, names::kCollection))};  // throws the reason
    return folder(Format::Tacocat, path, without_slashes(parent_folder(path)), std::move(files));
  }
  const std::string tacocat = path_join(path, names::kTacocatFolder);
  if (auto collection = is_collection ? nullptr : find(path_join(tacocat, names::kCollection))) {
    return folder(Format::Tacocat, tacocat, path, {std::move(collection)});
  }
  if (auto files = open_first(path, path_join(path, names::kMetadata)); files[0]) {
    return folder(Format::Folder, path, path, std::move(files));
  }
  for (const auto index : {names::kTacocatFile, names::kTacollection}) {
    const std::string file = path_join(path, index);
    if (auto source = find(file)) return detect_file(std::move(source), file);
  }
  try {
    return detect_file(storage.open(path, hint_of(path)), path);
  } catch (const IoError& error) {
    if (!error.not_found()) throw;
    throw IoError("neither a file nor a folder with COLLECTION.json, .tacocat/, __TACOCAT__ or TACOLLECTION.json",
                  {.path = path}, ENOENT);
  }
}

Collection parse(const Bytes& text, const std::string& path) {
  return parse_collection({reinterpret_cast<const char*>(text.data()), text.size()}, path);
}

std::shared_ptr<Container> open_as(std::shared_ptr<const Storage> storage, const Detected& at, const std::string& path,
                                   const std::string& base, bool verify) {
  switch (at.format) {
    case Format::Zip: return open_zip(at.source, path, verify);
    case Format::Folder: return open_folder(std::move(storage), {at.source, at.level0}, at.path);
    case Format::Tacocat:
      return at.is_folder ? open_tacocat_folder(std::move(storage), {at.source, at.level0}, at.path, base, path, verify)
                          : open_tacocat_file(std::move(storage), at.source, base, path, verify);
    case Format::Tortilla:
    case Format::Taco: return v1::open_tortilla(at.source, path);
    case Format::Tacollection: break;
  }
  throw FormatError("an index of datasets, not a dataset", {.path = path});
}

}  // namespace

std::shared_ptr<const ByteSource> OpenedOnce::open(const std::string& path, const ReadHint& hint) const {
  if (!is_remote(path)) return storage_.open(path, hint);
  auto& source = opened_[path];
  if (!source) source = storage_.open(path, hint);
  return source;
}

bool OpenedOnce::exists(const std::string& path, bool directory) const {
  if (directory || !is_remote(path)) return storage_.exists(path, directory);
  const ReadHint hint = hint_of(path);
  return open_all({&path, 1}, {&hint, 1})[0] != nullptr;
}

std::vector<std::shared_ptr<const ByteSource>> OpenedOnce::open_all(std::span<const std::string> paths,
                                                                    std::span<const ReadHint> hints) const {
  std::vector<std::string> others;
  std::vector<ReadHint> other_hints;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (opened_[paths[i]]) continue;
    others.push_back(paths[i]);
    other_hints.push_back(hints.empty() ? ReadHint() : hints[i]);
  }
  const auto sources =
      others.empty() ? std::vector<std::shared_ptr<const ByteSource>>() : storage_.open_all(others, other_hints);
  for (std::size_t i = 0; i < others.size(); ++i) opened_[others[i]] = sources[i];
  std::vector<std::shared_ptr<const ByteSource>> out;
  for (const auto& path : paths) out.push_back(opened_[path]);
  return out;
}

Detected detect(const Storage& storage, const std::string& given) {
  if (given.starts_with("tacofoundation:")) {
    throw IoError("the name of a dataset in an online catalogue; the path of a file or folder expected",
                  {.path = given});
  }
  std::string path = given;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path.empty()) throw IoError("the path is empty", {}, 0);
  if (is_remote(path)) return detect_remote(storage, path);
  // The collection of a dataset stands for its folder; without levels there it is an index of datasets.
  if (file_name(path) == names::kCollection) {
    std::string folder = parent_folder(path);
    if (folder.empty()) folder = ".";
    if (is_index_folder(storage, folder) || storage.exists(path_join(folder, names::kMetadata), true)) path = folder;
  }
  // The name of a ZIP is enough: nothing is looked for, and its first bytes are checked when it is read.
  if (is_zip_name(path) || !storage.exists(path, true)) return detect_file(storage.open(path, hint_of(path)), path);
  if (ends_with_ignoring_case(file_name(path), names::kTacocatFolder) &&
      storage.exists(path_join(path, names::kCollection))) {
    std::string parent = parent_folder(path);
    return {.format = Format::Tacocat,
            .path = path,
            .folder = parent.empty() ? "." : parent,
            .source = nullptr,
            .is_folder = true};
  }
  return detect_folder(storage, path);
}

std::shared_ptr<const Container> open_container(std::shared_ptr<const Storage> storage, const Detected& at,
                                                const std::string& path, const std::string& base_path, bool verify,
                                                bool trust_sidecar) {
  log::info(path + ": " + to_string(at.format) + " container");
  auto out = open_as(storage, at, path, base_path.empty() ? at.folder : base_path, verify);
  out->look_for_headers(std::move(storage), header_file_path(at.path));
  out->look_for_sidecars(at.path, trust_sidecar);
  return out;
}

std::vector<std::string> partition_paths(const Storage& storage, const Detected& at, bool allow_partial) {
  try {
    return v1::partition_paths(storage, at.path, at.num_partitions, allow_partial);
  } catch (const IoError&) {
    // Each file is readable by itself (Tortilla 0.5.0): one that was copied alone is not an incomplete dataset.
    if (!v1::is_alone(storage, at.path, at.num_partitions)) throw;
    log::warning(at.path + ": one of " + std::to_string(at.num_partitions) +
                 " partitions; the others are not in its folder, so only this one is read");
    return {at.path};
  }
}

std::string partition_group(const std::string& path) {
  const auto name = v1::parse_partition_name(path);
  return name ? name->stem + name->suffix : path;
}

Collection read_collection(const Storage& storage, const Detected& at, const std::string& path) {
  switch (at.format) {
    case Format::Zip: return read_zip_collection(at.source, path);
    case Format::Tacollection: return parse(read_document(*at.source), path);
    case Format::Tacocat:
      if (!at.is_folder) return read_tacocat_collection(*at.source, path);
      break;
    case Format::Tortilla:
    case Format::Taco: return v1::read_tortilla_collection(*at.source, path);
    case Format::Folder: break;
  }
  return parse(read_document(at.source ? *at.source : *storage.open(path_join(at.path, names::kCollection))), path);
}

}  // namespace tacore
