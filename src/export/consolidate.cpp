#include "tacore/ops/consolidate.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "container/read_hints.hpp"
#include "container/zip_container.hpp"
#include "dataset/open_container.hpp"
#include "dataset/partitions.hpp"
#include "format/names.hpp"
#include "io/coalesce.hpp"
#include "io/entry_at.hpp"
#include "io/output_file.hpp"
#include "io/proved_here.hpp"
#include "io/spill_buffer.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_json.hpp"
#include "model/identifier.hpp"
#include "model/source_bounds.hpp"
#include "net/storage.hpp"
#include "table/level_checksums.hpp"
#include "table/parquet_write.hpp"
#include "table/row_order.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"
#include "writer/staging.hpp"
#include "writer/tacocat_writer.hpp"

namespace tacore {
namespace {

/// Threads wait for responses: there are more of them than processors.
constexpr int kRemoteJobs = 16;

/// An input, and its location.
struct Input {
  std::string path = {};    ///< as the caller wrote it
  std::string parent = {};  ///< the folder it is in, as the caller wrote it
  std::string folder = {};  ///< the same folder, absolute and without symbolic links; a remote one unchanged
  std::string name = {};    ///< file name in `folder`
};

std::string canonical(const std::string& path, const std::string& shown) {
  std::error_code error;
  const auto out = std::filesystem::canonical(path.empty() ? "." : path, error);
  if (error) throw IoError("cannot open", {.path = shown}, error.value());
  return out.string();
}

/// Resolves the folders of many inputs, most of which are in one.
class Folders {
 public:
  Input locate(const std::string& path) {
    if (is_remote(path)) return locate_remote(path);
    std::string whole = path;
    if (const auto name = file_name(path); name.empty() || name == "." || name == "..") whole = canonical(path, path);
    const std::string parent = parent_folder(whole);
    auto [known, is_new] = known_.emplace(parent, "");
    if (is_new) known->second = canonical(parent, path);
    return {.path = path,
            .parent = parent.empty() ? "." : parent.substr(0, std::max<std::size_t>(parent.size() - 1, 1)),
            .folder = known->second,
            .name = file_name(whole)};
  }

 private:
  static Input locate_remote(const std::string& path) {
    const std::string url = from_vsi(path.substr(0, path.starts_with("http") ? path.find('?') : path.npos));
    const std::string folder = without_slashes(parent_folder(url));
    return {.path = path, .parent = folder, .folder = folder, .name = file_name(url)};
  }

  std::map<std::string, std::string> known_;
};

void check_once(std::set<std::string>& seen, const Input& input) {
  if (!seen.insert(path_join(input.folder, input.name)).second)
    throw ValidationError("is the same dataset as a previous input", {.path = input.path});
}

/// Rows that are listed twice are a mistake that no reader detects.
void check_once(std::map<std::pair<dev_t, ino_t>, std::string>& seen, const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) throw IoError("cannot open", {.path = path}, errno);
  const auto [at, is_new] = seen.emplace(std::pair{status.st_dev, status.st_ino}, path);
  if (!is_new)
    throw ValidationError("is the same dataset as a previous input, " + tacore::in_quotes(at->second), {.path = path});
}

std::vector<Input> locate_inputs(const std::vector<std::string>& paths) {
  if (paths.empty()) throw ValidationError("no inputs; one dataset or more expected");
  std::vector<Input> out;
  Folders folders;
  std::map<std::pair<dev_t, ino_t>, std::string> seen;
  std::set<std::string> seen_remote;
  for (const auto& path : paths) {
    if (path.find('\0') != path.npos)
      throw ValidationError("the input " + tacore::in_quotes(path) + " is not a file name");
    if (is_remote(path) != is_remote(paths[0])) {
      throw ValidationError("is " + std::string(is_remote(path) ? "remote" : "local") + ", and " +
                                tacore::in_quotes(paths[0]) + " is not; an index has one base path for all",
                            {.path = path});
    }
    if (!is_remote(path)) check_once(seen, path);
    out.push_back(folders.locate(path));
    if (is_remote(path)) check_once(seen_remote, out.back());
    const std::string& name = out.back().name;
    const std::string why = is_utf8(name) ? why_unsafe_id(name) : "is not UTF-8";
    if (!why.empty()) throw ValidationError("its name " + why + ", so an index cannot refer to it", {.path = path});
  }
  return out;
}

void check_names(const std::vector<Input>& inputs) {
  std::map<std::string, std::string> seen;
  for (const auto& input : inputs) {
    const auto [at, is_new] = seen.emplace(input.name, input.path);
    if (!is_new) {
      throw ValidationError("has the same file name as " + tacore::in_quotes(at->second) +
                                "; an index refers to its ZIPs by their file names alone",
                            {.path = input.path});
    }
  }
}

/// The folder for the index, which must exist.
std::string output_folder(const std::vector<Input>& inputs, const std::string& output) {
  require_local(output, "written");
  if (output.empty() && is_remote(inputs[0].path)) {
    throw ValidationError("is remote; a local folder for the index expected", {.path = inputs[0].path});
  }
  if (output.empty()) {
    for (const auto& input : inputs) {
      if (input.folder == inputs[0].folder) continue;
      throw ValidationError("the inputs are in several folders, " + tacore::in_quotes(inputs[0].parent) + " and " +
                            tacore::in_quotes(input.parent) + "; a folder for the index expected");
    }
    return inputs[0].parent == "." ? "" : inputs[0].parent;
  }
  struct stat status = {};
  if (::stat(output.c_str(), &status) != 0) throw IoError("cannot open", {.path = output}, errno);
  if (!S_ISDIR(status.st_mode)) throw ValidationError("is a file, a folder for the index expected", {.path = output});
  return output;
}

void check_target(const std::string& target, bool is_folder, bool overwrite) {
  const auto found = entry_at(target);
  if (!found) return;
  if (!overwrite) throw ValidationError("exists already", {.path = target});
  if (is_folder != S_ISDIR(found->st_mode)) {
    throw ValidationError(is_folder ? "is a file, a folder expected" : "is a folder, the name of a file expected",
                          {.path = target});
  }
  std::error_code unreadable;
  if (is_folder && !std::filesystem::exists(path_join(target, names::kCollection), unreadable) &&
      !std::filesystem::is_empty(target, unreadable)) {
    throw ValidationError("is a folder of other files, an index to be replaced expected", {.path = target});
  }
}

/// A remote ZIP, some ranges of which were fetched, in one request each, and are kept in memory, or on the disk where
/// they are many. Other bytes, which are rarely read, are requested again.
class FetchedZip final : public ByteSource {
 public:
  FetchedZip(const ByteSource& zip, std::string path, const std::vector<ByteRange>& ranges)
      : path_(std::move(path)), name_(zip.name()), size_(zip.size()) {
    constexpr uint64_t kMostAtOnce = 16 << 20;  // in memory, for each of many threads
    for (const MergedRange& merged : coalesce(ranges, kRemoteCoalesceGap)) {
      const uint64_t end = merged.range.offset + merged.range.size;
      for (uint64_t begin = merged.range.offset; begin < end; begin += kMostAtOnce) {
        Bytes bytes = zip.read({begin, std::min(end - begin, kMostAtOnce)});
        pieces_.emplace(begin, std::make_unique<const SpillBuffer>(std::move(bytes), ""));
      }
    }
  }

  const std::string& name() const noexcept override { return name_; }
  uint64_t size() const override { return size_; }
  bool is_local() const noexcept override { return false; }
  bool has(ByteRange range) const override {
    const uint64_t end = range.offset + range.size;
    for (uint64_t at = range.offset; at < end;) {
      const Piece* piece = find(at);
      if (!piece) return false;
      at = piece->first + piece->second->size();
    }
    return true;
  }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    while (!out.empty()) {
      const Piece* piece = find(offset);
      if (!piece) return again().read(offset, out);
      const uint64_t skip = offset - piece->first;
      const auto part = out.first(std::min<uint64_t>(out.size(), piece->second->size() - skip));
      piece->second->read(skip, part);
      offset += part.size();
      out = out.subspan(part.size());
    }
  }

 private:
  using Pieces = std::map<uint64_t, std::unique_ptr<const SpillBuffer>>;
  using Piece = Pieces::value_type;

  /// The piece that contains the byte at `offset`.
  const Piece* find(uint64_t offset) const {
    const auto next = pieces_.upper_bound(offset);
    if (next == pieces_.begin()) return nullptr;
    const Piece& piece = *std::prev(next);
    return offset - piece.first < piece.second->size() ? &piece : nullptr;
  }

  const ByteSource& again() const {
    std::call_once(opened_again_, [this] { again_ = any_storage()->open(path_, kReadZip); });
    if (again_->size() != size_) throw IoError("the file changed while it was read", {.path = path_});
    return *again_;
  }

  std::string path_, name_;
  uint64_t size_;
  Pieces pieces_;  ///< by offset, disjoint
  mutable std::once_flag opened_again_;
  mutable std::shared_ptr<const ByteSource> again_;
};

/// An input dataset of an index. Throws ValidationError for one that an index cannot list.
Detected detect_input(const std::string& path, bool zips_only) {
  Detected at = detect(*any_storage(), path);
  if (at.format == Format::Tacocat || at.format == Format::Tacollection) {
    throw ValidationError("is an index; the datasets in it expected", {.path = path});
  }
  if (is_v1(at.format)) {
    throw ValidationError("is a dataset before 2.0; taco convert makes one that an index can list", {.path = path});
  }
  if (zips_only && at.format != Format::Zip) {
    throw ValidationError("is a FOLDER; a TACOCAT is an index of ZIPs, a TACOLLECTION.json of both", {.path = path});
  }
  return at;
}

/// Progress as a callback that throws when it is cancelled.
template <class Options>
struct Progress {
  const Options& options;
  const std::string& output;

  void tell(uint64_t num_done, uint64_t num_bytes) const { report(options.task, num_done, num_bytes, output); }
};

IndexParts parts_of(const std::vector<Input>& inputs, bool zips_only) {
  IndexParts out;
  for (const auto& input : inputs) {
    out.files.push_back(input.name);
    out.paths.push_back(input.path);
  }
  // All tables of a remote ZIP, whose rows are to be merged, are fetched when it is first opened.
  const auto fetched = std::make_shared<std::vector<std::optional<Detected>>>(inputs.size());
  out.open = [&inputs, zips_only, fetched](std::size_t part) {
    const std::string& path = inputs[part].path;
    IndexPart opened;
    Detected at = detect_input(path, zips_only);
    if (zips_only) opened.level_crc32s = level_checksums(*at.source);
    if (zips_only && !at.source->is_local()) {
      at.source = std::make_shared<FetchedZip>(*at.source, path, ranges_of_rows(*at.source, path));
      (*fetched)[part] = at;
    }
    const auto container = open_container(any_storage(), at, path, "");
    opened.collection = container->collection();
    const int tables = container->num_levels(), depth = opened.collection.pit_schema.max_depth() + 1;
    if (tables > depth) {
      throw ValidationError("has " + std::to_string(tables) + " levels, but taco:pit_schema describes " +
                                std::to_string(depth) + "; the index would lose rows",
                            {.path = path});
    }
    for (int level = 0; level < tables; ++level) {
      opened.levels.push_back(container->stored_level(level));
    }
    return opened;
  };
  out.open_level = [&inputs, zips_only, fetched](std::size_t part, int level) {
    const std::string& path = inputs[part].path;
    const auto& known = (*fetched)[part];
    const auto container = open_container(any_storage(), known ? *known : detect_input(path, zips_only), path, "");
    // Readers of the index verify each offset again, so no request for the directories of all ZIPs is made here.
    return container->is_local() || level > 0 ? container->level(level) : container->stored_level(level);
  };
  return out;
}

int num_jobs(const IndexParts& parts, int jobs) { return is_remote(parts.paths[0]) ? kRemoteJobs : num_threads(jobs); }

template <class Options>
Index merge_inputs(const IndexParts& parts, bool has_internal, const Progress<Options>& progress) {
  MergeRules rules{.same_columns = progress.options.validate_schema, .has_internal = has_internal};
  bool with_bounds = false;
  if constexpr (requires { progress.options.parquet; }) rules.has_covering = progress.options.parquet.covering;
  if constexpr (requires { progress.options.bounds; }) with_bounds = progress.options.bounds;
  Index out = merge_parts(
      parts, rules, num_jobs(parts, progress.options.task.jobs),
      [&](uint64_t num_bytes) { progress.tell(0, num_bytes); }, with_bounds);
  if (out.levels[0].num_rows() == 0) throw ValidationError("the inputs have no samples");
  return out;
}

/// "a/b" of "/x/a/b" and "/x"; nullopt when the path is not below the folder.
std::optional<std::string> inside(const std::string& path, const std::string& folder) {
  const std::string start = folder.ends_with('/') ? folder : folder + '/';
  if (path + '/' == start) return "";
  if (!path.starts_with(start)) return std::nullopt;
  return path.substr(start.size());
}

std::string common_folder(const std::vector<Input>& inputs) {
  std::string out = inputs[0].folder;
  for (const auto& input : inputs) {
    while (!inside(input.folder, out)) {
      const auto slash = out.rfind('/');
      out.resize(std::max<std::size_t>(slash, 1));
      if (is_remote(input.path) && out.ends_with('/')) {  // the slashes of s3://
        throw ValidationError("has no folder in common with " + tacore::in_quotes(inputs[0].path) +
                                  "; an index has one base path for all",
                              {.path = input.path});
      }
    }
  }
  return out;
}

/// `error`, about a file in a staging directory, with the final name of the file.
[[noreturn]] void throw_renamed(const IoError& error, const std::string& staging, const std::string& target) {
  ErrorContext where = error.context();
  if (!where.path.starts_with(staging)) throw error;
  where.path = target + where.path.substr(staging.size());
  std::string message = error.message();
  const std::string reason = ": " + std::generic_category().message(error.error_number());
  if (message.ends_with(reason)) message.resize(message.size() - reason.size());  // it is added again
  throw IoError(message, where, error.error_number());
}

void write_folder(const Index& index, const IndexParts& parts, const std::string& target, const WriteOptions& options) {
  const std::string name = file_name(target);
  const StagingDir staging(target, "");
  try {
    write_tacocat_folder(index, parts, staging.path(name), options);
    options.progress(index.num_bytes());  // the last chance to cancel
    publish(staging.path(), parent_folder(target), {name}, options.overwrite);
  } catch (const IoError& error) {
    throw_renamed(error, staging.path(name), target);
  }
}

std::vector<Source> index_sources(const std::vector<std::string>& files) {
  std::vector<Source> out;
  for (const auto& file : files) out.push_back({.file = file});
  return out;
}

void warn_of_base(const std::string& target, const std::string& base) {
  log::warning(target + ": its datasets are in " + tacore::in_quotes(base) + "; readers need this folder as base path");
}

}  // namespace

std::string create_tacocat(const std::vector<std::string>& paths, const TacocatOptions& given) {
  TacocatOptions options = given;
  check_order(options.order);
  options.parquet.covering = options.parquet.covering || options.order == kByPlace;
  check_parquet_options(options.parquet);
  const auto inputs = locate_inputs(paths);
  check_names(inputs);
  const std::string folder = output_folder(inputs, options.output);
  const std::string name(options.single_file ? names::kTacocatFile : names::kTacocatFolder);
  const std::string target = path_join(folder, name);
  check_target(target, !options.single_file, options.overwrite);
  require_apart(target, paths);
  const Progress<TacocatOptions> progress{options, target};
  const IndexParts parts = parts_of(inputs, true);
  const Index index = merge_inputs(parts, true, progress);
  if (!options.order.empty() && index.levels.size() > 1 && index.levels[0].type_of(names::kCurrentId).empty()) {
    throw ValidationError("order " + tacore::in_quotes(options.order) +
                          ": the inputs have no internal:current_id, by which readers find the children of a sample; "
                          "taco convert makes ZIPs that have it");
  }
  const uint64_t num_bytes = index.num_bytes();
  const WriteOptions write{.overwrite = options.overwrite,
                           .jobs = num_jobs(parts, options.task.jobs),
                           .parquet = options.parquet,
                           .order = options.order,
                           .progress = [&](uint64_t num_done) { progress.tell(num_done, num_bytes); }};
  if (options.single_file) {
    write_tacocat_file(index, parts, target, write);
  } else {
    write_folder(index, parts, target, write);
  }
  const auto elsewhere = std::ranges::find_if(
      inputs, [&, here = canonical(folder, folder)](const Input& input) { return input.folder != here; });
  if (elsewhere != inputs.end()) {
    const bool together =
        std::ranges::all_of(inputs, [&](const Input& input) { return input.folder == elsewhere->folder; });
    if (together) {
      warn_of_base(target, elsewhere->parent);
    } else {
      log::warning(target + ": its ZIPs are in several folders, such as " + tacore::in_quotes(elsewhere->parent) +
                   "; readers look for them in one");
    }
  }
  return target;
}

std::string create_tacollection(const std::vector<std::string>& paths, const TacollectionOptions& options) {
  if (options.bounds && !options.validate_schema)
    throw ValidationError("bounds are stated of inputs with the same columns only: validate_schema expected");
  const auto inputs = locate_inputs(paths);
  const std::string folder = output_folder(inputs, options.output);
  const std::string target = path_join(folder, names::kTacollection);
  check_target(target, false, options.overwrite);
  require_apart(target, paths);
  std::string base = canonical(folder, folder);
  const bool is_beside =
      std::ranges::all_of(inputs, [&](const Input& input) { return inside(input.folder, base).has_value(); });
  if (!is_beside) base = common_folder(inputs);
  IndexParts parts = parts_of(inputs, false);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    parts.files[i] = path_join(*inside(inputs[i].folder, base), inputs[i].name);
    if (!is_utf8(parts.files[i])) {
      throw ValidationError("a folder in its path is not UTF-8, so an index cannot refer to it",
                            {.path = inputs[i].path});
    }
  }
  const Progress<TacollectionOptions> progress{options, target};
  const auto fact = [&](const std::string& text) -> std::optional<std::string> {
    return options.bounds ? fact_of_bounds(text, base, index_sources(parts.files)) : std::nullopt;
  };
  const auto before = fact("");
  const Index index = merge_inputs(parts, options.bounds, progress);
  std::string text = encode_collection(index.collection);
  if (options.bounds) text = with_bounds(text, index.bounds);
  OutputFile file(target, options.overwrite);
  file.write(0, std::as_bytes(std::span(text)));
  file.sync();
  progress.tell(index.num_bytes(), index.num_bytes());  // the last chance to cancel
  file.commit();
  // An input that changed since its rows were read has another stamp here, or where the stamp is taken again.
  const auto proved = fact(text);
  if (before && proved && fact("") == before && !remember_proved(*proved)) {
    log::warning(target + ": its bounds cannot be remembered as proved, because the user's cache cannot be written");
  }
  if (!is_beside) warn_of_base(target, base == inputs[0].folder ? inputs[0].parent : base);
  return target;
}

}  // namespace tacore
