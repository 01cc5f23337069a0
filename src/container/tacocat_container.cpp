#include "container/tacocat_container.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <set>

#include "base/log.hpp"
#include "base/text.hpp"
#include "container/level_files.hpp"
#include "container/read_hints.hpp"
#include "container/zip_offsets.hpp"
#include "format/names.hpp"
#include "format/tacocat_header.hpp"
#include "io/document.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_json.hpp"
#include "model/collection_members.hpp"
#include "model/identifier.hpp"
#include "table/level_checksums.hpp"

namespace tacore {
namespace {

std::shared_ptr<const LevelTable> open_level(const LevelFiles& files, int level, const std::string& path) {
  if (const auto source = files.open(level)) {
    return LevelTable::open(source, {.path = files.path(level), .offset = {}, .level = level});
  }
  throw FormatError("taco:pit_schema has level " + std::to_string(level) + ", but there is no " +
                        std::string(names::kLevelFiles[level]),
                    {.path = path});
}

/// An index: it has the metadata; the data is in the ZIPs that `internal:source_file` names, in the folder `base`.
class TacocatContainer : public Container {
 public:
  TacocatContainer(std::shared_ptr<const Storage> storage, const std::string& path, const std::string& base,
                   Collection collection, std::vector<std::shared_ptr<const LevelTable>> levels, bool verify,
                   std::unique_ptr<const LevelFiles> files = {})
      : Container(path, std::move(collection), std::move(levels)),
        storage_(std::move(storage)),
        files_(std::move(files)),
        base_(base),
        root_(path_join(to_vsi(base.empty() ? "." : base), "")),
        verify_(verify) {
    const auto& level0 = stored_level(0);
    if (level0->find(names::kSourceFile) < 0) {
      throw SchemaError("no column 'internal:source_file': the ZIPs of its rows are unknown", level0->where());
    }
    const auto crc32s = level_crc32s(this->collection());
    for (std::size_t i = 0; i < crc32s.size(); ++i) {
      if (!crc32s[i].empty()) level_crc32s_.emplace(this->collection().sources[i].file, crc32s[i]);
    }
  }

  /// Calls stat(); false for an absent file. Throws IoError.
  static bool look_at(const std::string& path, struct stat& out) {
    if (::stat(path.c_str(), &out) == 0) return true;
    if (errno != ENOENT && errno != ENOTDIR) throw IoError("cannot stat", {.path = path}, errno);
    return false;
  }

  /// Checks the parts that were modified after `index`, a local file: their values may have changed. Other parts are
  /// checked when they are read.
  void check_newer_parts(const std::string& index) const {
    if (is_remote(base_) || level_crc32s_.empty()) return;
    struct stat made = {}, changed = {};
    if (!look_at(index, made)) return;
    const auto time = [](const struct stat& of) { return std::pair(of.st_mtim.tv_sec, of.st_mtim.tv_nsec); };
    for (const auto& [file, crc32s] : level_crc32s_) {
      const std::string part = path_of_name(base_, file);
      if (!why_unsafe_id(file).empty() || !look_at(part, changed) || time(changed) < time(made)) continue;
      try {
        check_part(file, *storage_->open(part, kReadZip));
      } catch (const Error&) {  // reading the part reports it
      }
    }
  }

  Format format() const noexcept override { return Format::Tacocat; }

  std::string vsi_path(const RowAddress& row) const override {
    return vsi_subfile(range_of(row), path_of_name(root_, file_of(row)));
  }

  std::string vsi_sql(int) const override {
    // Like file_of(), the SQL function refuses a source file that leads out of the folder.
    return subfile_sql("',' || tacore_folder_path(" + sql_literal(root_) + ", " + sql_identifier(names::kSourceFile) +
                       ", 'FILE')");
  }

  RowAddress proved(RowAddress row) const override {
    if (row.is_proved || !row.offset || !row.size) return row;
    const std::string& file = file_of(row);
    const ZipEntry entry = entry_of(row, path());
    const auto warn = [&](const std::string& why) {
      std::call_once(warned_, [&] { warn_unproved(*stored_level(0), why); });
      return row;
    };
    std::shared_ptr<const ByteSource> archive;
    try {
      archive = known_archive(file);
    } catch (const IoError& error) {  // not all users may have access to the ZIPs
      if (!error.not_found()) throw;
      return warn(error.what());
    }
    if (!archive) return warn("the ZIPs are on a server");
    const ByteRange place = prove_place(*archive, *proofs_of(file), entry);
    row.offset = static_cast<int64_t>(place.offset);
    row.size = static_cast<int64_t>(place.size);
    row.is_proved = true;
    return row;
  }

  std::shared_ptr<const ByteSource> open_data(const RowAddress& row) const override {
    const std::string& file = file_of(row);
    auto archive = open_archive(file);
    return verify_ ? open_sample(std::move(archive), proofs_of(file), entry_of(row, path()))
                   : slice(std::move(archive), range_of(row));
  }

  std::shared_ptr<const LevelTable> open_meta(const RowAddress& row, int level) const override {
    auto source = open_data(row);
    const ErrorContext at{.path = source->name(), .offset = {}, .level = level + 1};
    return open_meta_table(std::move(source), at);
  }

 private:
  /// A remote file stays open, since opening it takes a request; a local one does not, to save file descriptors.
  std::shared_ptr<const ByteSource> open_archive(const std::string& name) const {
    if (auto known = known_archive(name)) {
      check_part(name, *known);
      return known;
    }
    const std::string file = path_of_name(base_, name);
    auto archive = storage_->open(file, kReadZip);
    check_part(name, *archive);
    const std::lock_guard lock(mutex_);
    return archives_.emplace(file, std::move(archive)).first->second;
  }
  /// The archive that open_archive() opens; nullptr where that would take a request to a server.
  std::shared_ptr<const ByteSource> known_archive(const std::string& name) const {
    const std::string file = path_of_name(base_, name);
    if (!is_remote(file)) return storage_->open(file, kReadZip);
    const std::lock_guard lock(mutex_);
    const auto found = archives_.find(file);
    return found == archives_.end() ? nullptr : found->second;
  }

  std::shared_ptr<const ZipProofs> proofs_of(const std::string& file) const {
    const std::lock_guard lock(mutex_);
    auto& proofs = proofs_[file];
    if (!proofs) proofs = std::make_shared<const ZipProofs>(is_remote(base_));
    return proofs;
  }

  /// Warns, once, of a part whose level tables have changed since the index was made.
  void check_part(const std::string& name, const ByteSource& archive) const {
    const auto expected = level_crc32s_.find(name);
    if (expected == level_crc32s_.end()) return;
    {
      const std::lock_guard lock(mutex_);
      if (!checked_.insert(name).second) return;
    }
    const auto found = level_checksums(archive);
    if (found.empty() || found == expected->second) return;
    log::warning(path() + ": " + in_quotes(name) +
                 " was changed after the index was made, which has the old values; `taco index` makes a new one");
  }

  ByteRange range_of(const RowAddress& row) const {
    const ByteRange out = place_of(row, path());
    if (*row.offset >= 0 && *row.size >= 0) return out;
    throw FormatError("sample " + in_quotes(row.id) + ": negative internal:offset or internal:size", {.path = path()});
  }

  const std::string& file_of(const RowAddress& row) const {
    if (const auto why = why_unsafe_id(row.source_file); !why.empty()) {
      throw FormatError(
          "sample " + in_quotes(row.id) + ": internal:source_file " + in_quotes(row.source_file) + " " + why,
          {.path = path()});
    }
    return row.source_file;
  }

  std::shared_ptr<const LevelTable> assemble(int level) const override { return open_level(*files_, level, path()); }

  std::shared_ptr<const LevelTable> repair(int level, bool& is_proved) const override {
    const auto& table = stored_level(level);
    is_proved = !is_remote(base_) || (level > 0 && has_few_files(*table));
    if (!is_proved) {
      warn_unproved(*table, "the ZIPs are on a server");
      return nullptr;
    }
    const auto path_of = [&](int64_t row) { return relative_path(level, row); };
    const auto open = [&](const std::string& name) {
      const std::string file = file_of({.id = name, .source_file = name});
      auto archive = open_archive(file);
      // Kept only where it took a request: the directories of thousands of ZIPs take more memory than their rows.
      auto directory =
          archive->is_local() ? std::make_shared<const ZipDirectory>(*archive) : proofs_of(file)->directory(*archive);
      return OpenDirectory{std::move(archive), std::move(directory)};
    };
    try {
      return with_proved_places(*table, path_of, open, is_proved);
    } catch (const FormatError& error) {  // no ZIP, or a damaged one
      warn_unproved(*table, error.message());
    } catch (const IoError& error) {  // not all users may have access to the ZIPs
      if (!error.not_found() && !is_remote(base_)) throw;
      warn_unproved(*table, error.what());
    }
    is_proved = false;
    return nullptr;
  }

  /// Whether reading the directories of all ZIPs takes only a few requests.
  static bool has_few_files(const LevelTable& table) {
    constexpr std::size_t kFewFiles = 16;
    std::set<std::string> files;
    const int source = table.find(names::kSourceFile);
    for (int64_t row = 0; row < table.num_rows() && files.size() <= kFewFiles; ++row)
      files.insert(table.text(source, row).value_or(""));
    return files.size() <= kFewFiles;
  }

  std::shared_ptr<const Storage> storage_;
  std::unique_ptr<const LevelFiles> files_;  ///< nullptr where all levels lie in one file
  std::string base_;
  std::string root_;
  bool verify_;
  mutable std::once_flag warned_ = {};
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const ZipProofs>> proofs_ = {};
  mutable std::map<std::string, std::shared_ptr<const ByteSource>> archives_ = {};  ///< remote ZIPs that were read
  std::map<std::string, std::vector<uint32_t>> level_crc32s_ = {};                  ///< of parts, as taco:sources says
  mutable std::set<std::string> checked_ = {};  ///< parts that were compared with level_crc32s_
};

tacocat_header::Header read_header(const ByteSource& source, const std::string& path) {
  const Bytes head = source.read({0, std::min(source.size(), tacocat_header::kSize)});
  try {
    return tacocat_header::parse(head, source.size());
  } catch (const FormatError& error) {
    throw FormatError(error.message(), {.path = path, .offset = error.context().offset});
  }
}

}  // namespace

std::shared_ptr<Container> open_tacocat_folder(std::shared_ptr<const Storage> storage, FolderFiles opened,
                                               const std::string& folder, const std::string& base,
                                               const std::string& path, bool verify) {
  auto files = std::make_unique<const LevelFiles>(storage, folder, folder, std::move(opened), path);
  std::vector<std::shared_ptr<const LevelTable>> levels(static_cast<std::size_t>(files->num_levels()));
  for (int k = 0; k < files->num_first_levels(); ++k) levels[static_cast<std::size_t>(k)] = open_level(*files, k, path);
  auto out = std::make_shared<TacocatContainer>(std::move(storage), path, base, files->collection(), std::move(levels),
                                                verify, std::move(files));
  if (!is_remote(folder)) out->check_newer_parts(path_join(folder, names::kCollection));
  return out;
}

std::shared_ptr<Container> open_tacocat_file(std::shared_ptr<const Storage> storage,
                                             std::shared_ptr<const ByteSource> source, const std::string& base,
                                             const std::string& path, bool verify) {
  const auto header = read_header(*source, path);
  check_document_size(header.collection, path);
  const std::string file = source->name();
  const auto near = with_metadata(std::move(source), header.collection, header.levels);
  const Bytes text = near->read(header.collection);
  Collection collection = parse_collection({reinterpret_cast<const char*>(text.data()), text.size()}, path);
  std::vector<std::shared_ptr<const LevelTable>> levels;
  for (std::size_t k = 0; k < header.levels.size(); ++k) {
    levels.push_back(
        LevelTable::open(slice(near, header.levels[k]), {.path = path, .offset = {}, .level = static_cast<int>(k)}));
  }
  check_levels(collection, levels.size(), path);
  auto out = std::make_shared<TacocatContainer>(std::move(storage), path, base, std::move(collection),
                                                std::move(levels), verify);
  if (out->is_local()) out->check_newer_parts(file);
  return out;
}

Collection read_tacocat_collection(const ByteSource& source, const std::string& path) {
  const Bytes text = read_document(source, read_header(source, path).collection);
  return parse_collection({reinterpret_cast<const char*>(text.data()), text.size()}, path);
}

}  // namespace tacore
