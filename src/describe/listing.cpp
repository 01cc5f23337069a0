#include "describe/listing.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "base/epoch.hpp"
#include "base/log.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "dataset/dataset_impl.hpp"
#include "dataset/open_container.hpp"
#include "describe/facts.hpp"
#include "format/names.hpp"
#include "io/document.hpp"
#include "io/public_path.hpp"
#include "model/json_node.hpp"
#include "net/storage.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"

namespace tacore {
namespace descriptions {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSummary = "taco:dataset";

/// What is expected where a listing finds nothing.
constexpr const char* kExpected =
    "a .tacozip, .zip, .tortilla or .taco file, or a folder with COLLECTION.json, .tacocat/, __TACOCAT__ or "
    "TACOLLECTION.json expected";

bool exists(const std::string& path) { return local_storage()->exists(path); }

bool is_folder(const std::string& path) { return !is_remote(path) && local_storage()->exists(path, true); }

/// Whether a local folder is an index of datasets, whose parts may be beside it or anywhere else.
bool is_index(const std::string& folder) {
  return exists(path_join(path_join(folder, names::kTacocatFolder), names::kCollection)) ||
         exists(path_join(folder, names::kTacocatFile)) || exists(path_join(folder, names::kTacollection)) ||
         (exists(path_join(folder, names::kCollection)) &&
          !local_storage()->exists(path_join(folder, names::kMetadata), true));
}

bool is_dataset(const std::string& folder) { return exists(path_join(folder, names::kCollection)) || is_index(folder); }

/// The files and folders of a dataset. An index names its ZIPs as parts of them, for GDAL.
std::vector<std::string> plain_files_of(const Dataset& dataset) {
  auto out = files_of(dataset);
  for (auto& path : out) {
    if (path.starts_with("/vsisubfile/")) path = parse_vsi_subfile(path).root;
  }
  return out;
}

/// Whether a ZIP begins as those of TACO do: any other .zip is no broken dataset.
bool begins_with_header(const std::string& path) {
  constexpr std::size_t kName = 30;  // of the first entry, behind the fixed part of its local header
  const auto file = local_storage()->open(path);
  const ByteRange range{.offset = 0, .size = kName + names::kHeader.size()};
  if (file->size() < range.size) return false;
  const Bytes head = file->read(range);
  return std::string_view(reinterpret_cast<const char*>(head.data()), head.size()).substr(kName) == names::kHeader;
}

/// The name alone decides but for .zip, of which there are many others.
bool is_dataset_file(const std::string& path) {
  if (ends_with_ignoring_case(path, ".zip")) return begins_with_header(path);
  return is_zip_name(path) || ends_with_ignoring_case(path, ".tortilla") || ends_with_ignoring_case(path, ".taco");
}

/// Collects the datasets of folders and lists.
class Finder {
 public:
  explicit Finder(const ListOptions& options) : options_(options) {}

  void search(const std::string& folder) {
    throw_if_interrupted();
    if (!is_new(folder)) return;  // a symbolic link to a folder above or beside it
    const bool has_index = is_index(folder), has_collection = exists(path_join(folder, names::kCollection));
    if (has_index) add_index(folder);
    else if (has_collection) found_.push_back({.path = folder, .is_required = options_.strict});
    if (has_collection) return;
    for (const auto& name : names_in(folder)) {
      const std::string path = path_join(folder, name);
      tolerate(path, [&] {
        if (is_folder(path)) return search(path);
        if (!exists(path) || !is_dataset_file(path)) return;
        if (groups_.insert(partition_group(path)).second && is_new(path))
          found_.push_back({.path = path, .is_required = options_.strict});
      });
    }
  }

  void read_list(const std::string& path) {
    const Bytes bytes = read_document(*local_storage()->open(path));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.find('\0') != text.npos) {
      throw FormatError(
          "neither a folder of datasets nor a list: a text file with a path or URL in each line expected (taco "
          "describe describes a single dataset)",
          {.path = path});
    }
    std::size_t number = 0;
    for (const std::string& line : split(text, '\n')) {
      ++number;
      const std::string_view words = trimmed(line);
      if (words.empty() || words.starts_with('#')) continue;
      const auto tab = std::min(words.find('\t'), words.size());
      add_line(path, number, std::string(trimmed(words.substr(0, tab))), std::string(trimmed(words.substr(tab))));
    }
  }

  /// Without those that an index lists.
  std::vector<Place> take() {
    std::erase_if(found_, [&](const Place& place) {
      const auto here = identity(place.path);
      return here && covered_.contains(*here);
    });
    return std::move(found_);
  }

 private:
  using Identity = std::pair<dev_t, ino_t>;

  /// nullopt for what is remote or absent.
  static std::optional<Identity> identity(const std::string& path) {
    struct stat status = {};
    if (is_remote(path)) return std::nullopt;
    if (::stat(path.c_str(), &status) == 0) return Identity{status.st_dev, status.st_ino};
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw IoError("cannot stat", {.path = path}, errno);
  }

  bool is_new(const std::string& path) {
    const auto here = identity(path);
    return !here || seen_.insert(*here).second;
  }

  void add_line(const std::string& list, std::size_t number, const std::string& given, const std::string& name) {
    const bool is_url = is_remote(given) || given.starts_with("file://");
    const std::string path = is_url || given.starts_with('/') ? given : path_join(parent_folder(list), given);
    if (!is_url && !exists(path) && !is_folder(path)) {
      throw IoError("line " + std::to_string(number) + ": there is no file or folder " + tacore::in_quotes(path),
                    {.path = list}, ENOENT);
    }
    if (is_folder(path) && !is_dataset(path)) return search(path);
    if (is_folder(path) && is_index(path)) cover(path);
    if (groups_.insert(partition_group(path)).second && is_new(path)) found_.push_back({.path = path, .name = name});
  }

  void add_index(const std::string& folder) {
    tolerate(folder, [&] {
      cover(folder);
      found_.push_back({.path = folder, .is_required = options_.strict});
    });
  }

  /// Notes the datasets that the index in a folder lists.
  void cover(const std::string& folder) {
    for (const auto& file : plain_files_of(load(folder, options_.load))) {
      if (const auto here = identity(file); here && here != identity(folder)) covered_.insert(*here);
    }
  }

  /// Calls `work`. What it throws about `path` is a warning, unless options are strict.
  void tolerate(const std::string& path, const std::function<void()>& work) const {
    for_each_place({{.path = path, .is_required = options_.strict}}, {.jobs = 1}, [&](std::size_t) { work(); });
  }

  /// Sorted; without hidden ones.
  static std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> out;
    try {
      for (const auto& entry : fs::directory_iterator(folder)) {
        std::string name = entry.path().filename().string();
        if (!name.starts_with('.')) out.push_back(std::move(name));
      }
    } catch (const fs::filesystem_error& error) {
      throw IoError("cannot be listed", {.path = folder}, error.code().value());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  const ListOptions& options_;
  std::vector<Place> found_ = {};
  std::set<Identity> seen_ = {}, covered_ = {};
  std::set<std::string> groups_ = {};  ///< of partitions
};

/// The size of a file, or of all files in a folder; 0 where nothing is.
uint64_t size_at(const std::string& path) {
  std::error_code why;
  const auto status = fs::status(path, why);
  if (status.type() == fs::file_type::not_found) return 0;
  uint64_t out = 0;
  if (!why && fs::is_regular_file(status)) out = fs::file_size(path, why);
  if (!why && fs::is_directory(status)) {
    for (fs::directory_iterator at(path, why), end; !why && at != end; at.increment(why)) {
      out += size_at(at->path().string());
    }
  }
  if (why) throw IoError("its size cannot be told", {.path = path}, why.value());
  return out;
}

/// nullopt for files that are remote and several, as each costs a request.
std::optional<uint64_t> size_of_all(const Dataset& dataset) {
  const auto files = plain_files_of(dataset);
  if (std::ranges::any_of(files, [](const auto& path) { return is_remote(path); })) {
    const auto& impl = *impl_of(dataset);
    const Container* container = impl.partitions ? nullptr : impl.view().container();
    return container && files.size() == 1 ? container->file_size() : std::nullopt;
  }
  uint64_t out = 0;
  for (const auto& path : described_files(files)) out += size_at(path);
  return out;
}

Format parse_container(const JsonNode& name) {
  for (const Format each :
       {Format::Zip, Format::Folder, Format::Tacocat, Format::Tacollection, Format::Tortilla, Format::Taco}) {
    if (name.text() == to_string(each)) return each;
  }
  name.fail("is " + tacore::in_quotes(name.text()) + ", the name of a container expected");
}

std::vector<std::string> texts(const JsonNode& list) {
  std::vector<std::string> out;
  for (const auto& each : list.elements()) out.push_back(each.text());
  return out;
}

uint64_t count(const JsonNode& node) {
  constexpr uint64_t kMost = uint64_t{1} << 62;
  if (!node.value().is_number_unsigned() || node.value().get<uint64_t>() > kMost) node.wrong("a count");
  return node.value().get<uint64_t>();
}

Timestamp time(const JsonNode& node, Timestamp open) {
  if (node.is_null()) return open;
  try {
    return Timestamp::parse(node.text());
  } catch (const QueryError&) {
    node.fail("is " + tacore::in_quotes(node.text()) + ", a time such as 2023-01-31T12:00:00Z expected");
  }
}

Extent parse_extent(const JsonNode& summary) {
  Extent out;
  if (const auto box = summary["bbox"].elements(); !box.empty()) {
    if (box.size() != 4) summary["bbox"].wrong("four numbers");
    out.spatial = {box[0].number(), box[1].number(), box[2].number(), box[3].number()};
  }
  if (const auto ends = summary["interval"].elements(); !ends.empty()) {
    if (ends.size() != 2) summary["interval"].wrong("two times");
    out.temporal = {time(ends[0], kOpenStart), time(ends[1], kOpenEnd)};
  }
  return out;
}

DatasetSummary parse_summary(const JsonNode& node, const std::string& folder) {
  DatasetSummary out;
  const std::string path = node["path"].text();
  out.path = is_remote(path) || path.starts_with('/') ? path : path_join(folder, path);
  if (!is_remote(out.path)) out.path = fs::path(out.path).lexically_normal().string();
  out.format = parse_container(node["format"]);
  out.id = node["id"].text();
  out.title = node["title"].text();
  out.version = node["version"].text_or_empty();
  out.description = node["description"].text_or_empty();
  out.licenses = texts(node["licenses"]);
  out.tasks = texts(node["tasks"]);
  out.keywords = texts(node["keywords"]);
  out.num_samples = static_cast<int64_t>(count(node["samples"]));
  if (!node["size"].is_null()) out.num_bytes = count(node["size"]);
  out.extent = parse_extent(node);
  return out;
}

template <class Kind>
void rethrow_as(const Error& error, const std::string& path) {
  if (dynamic_cast<const Kind*>(&error) == nullptr) return;
  ErrorContext where = error.context();
  where.path = path;
  throw Kind(error.message(), where);
}

/// Throws the current `error` again, about `path` where it names none: of many datasets it has to say which.
[[noreturn]] void rethrow_about(const std::string& path, const Error& error) {
  if (error.context().path.empty()) {
    rethrow_as<FormatError>(error, path);
    rethrow_as<SchemaError>(error, path);
    rethrow_as<QueryError>(error, path);
  }
  throw;
}

}  // namespace

std::vector<bool> for_each_place(const std::vector<Place>& places, const Task& task,
                                 const std::function<void(std::size_t)>& read,
                                 const std::function<void(std::size_t)>& write) {
  std::vector<std::string> failures(places.size());
  std::mutex mutex;
  std::size_t num_done = 0;
  run_parallel(places.size(), num_threads(task.jobs), [&](std::size_t i) {
    try {
      const log::Subject subject(places[i].path);
      read(i);
    } catch (const Error& error) {
      throw_if_interrupted();
      if (places[i].is_required) rethrow_about(places[i].path, error);
      failures[i] = error.context().path.empty() ? places[i].path + ": " + error.what() : error.what();
    }
    if (write && failures[i].empty()) write(i);
    const std::lock_guard lock(mutex);
    report(task, ++num_done, places.size());
  });
  std::vector<bool> out;
  for (const auto& failure : failures) {
    if (!failure.empty()) log::warning(failure + "; it is left out");
    out.push_back(failure.empty());
  }
  return out;
}

std::vector<Place> find_datasets(const std::string& path, const ListOptions& options) {
  if (is_remote(path)) {
    throw IoError("a remote folder cannot be searched; a local text file with a URL in each line expected",
                  {.path = path});
  }
  Finder finder(options);
  if (is_folder(path)) finder.search(path);
  else finder.read_list(path);
  auto out = finder.take();
  if (out.empty()) throw FormatError(std::string("no datasets found: ") + kExpected, {.path = path});
  return out;
}

DatasetSummary summarize(const Dataset& dataset, const Place& place) {
  const Collection& collection = dataset.collection();
  DatasetSummary out{.path = place.path, .format = dataset.format(), .id = collection.id};
  if (out.id.empty()) out.id = file_name(without_query(place.path));
  const std::string title(trimmed(collection.title.value_or("")));
  out.title = !place.name.empty() ? place.name : title.empty() ? out.id : title;
  out.version = collection.dataset_version;
  out.description = collection.description;
  out.licenses = collection.licenses;
  out.tasks = collection.tasks;
  out.keywords = collection.keywords.value_or(std::vector<std::string>());
  out.num_samples = dataset.num_rows();
  out.num_bytes = size_of_all(dataset);
  out.extent = dataset.known_extent();
  return out;
}

Json to_json(const DatasetSummary& dataset) {
  Json out = {
      {"path", dataset.path}, {"format", to_string(dataset.format)}, {"id", dataset.id}, {"title", dataset.title}};
  set_text(out, "version", dataset.version);
  set_text(out, "description", dataset.description);
  out["licenses"] = dataset.licenses;
  out["tasks"] = dataset.tasks;
  out["keywords"] = dataset.keywords;
  out["samples"] = dataset.num_samples;
  if (dataset.num_bytes) out["size"] = *dataset.num_bytes;
  if (const auto& box = dataset.extent.spatial) out["bbox"] = {box->minx, box->miny, box->maxx, box->maxy};
  if (const auto& time = dataset.extent.temporal) {
    const auto text = [](Timestamp at) { return is_open(at) ? Json() : Json(at.to_string()); };
    out["interval"] = Json::array({text(time->start), text(time->end)});
  }
  return out;
}

std::vector<DatasetSummary> read_catalogue(const std::string& path, const LoadOptions& options) {
  const bool is_file = file_name(without_query(path)) == kCatalogueFile;
  const std::string file = is_file ? path : path_join(path, kCatalogueFile);
  const auto source = (options.remote ? any_storage(*options.remote) : any_storage())->open(file);
  const Bytes bytes = read_document(*source);
  const auto document = parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
  std::vector<DatasetSummary> out;
  for (const JsonNode& link : JsonNode(document, file, "").object()["links"].elements()) {
    const JsonNode summary = link.object()[kSummary];
    if (!summary.is_null()) out.push_back(parse_summary(summary.object(), parent_folder(without_query(file))));
  }
  if (out.empty()) {
    throw FormatError(
        std::string("no catalogue of TACO datasets: links with ") + kSummary + " expected, as taco site writes them",
        {.path = file});
  }
  return out;
}

bool is_catalogue(const std::string& folder) {
  if (!exists(path_join(folder, kCatalogueFile))) return false;
  try {
    read_catalogue(folder, {});
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

}  // namespace descriptions

bool is_listing(std::string_view given) {
  using namespace descriptions;
  const std::string path(given);
  if (file_name(without_query(path)) == kCatalogueFile) return true;
  return is_folder(path) && !is_dataset(path);
}

std::vector<DatasetSummary> list_datasets(std::string_view given, const ListOptions& options) {
  using namespace descriptions;
  const std::string path = without_slashes(std::string(given));
  const bool has_catalogue = !is_remote(path) && is_folder(path) && !is_dataset(path) && is_catalogue(path);
  if (file_name(without_query(path)) == kCatalogueFile || has_catalogue) return read_catalogue(path, options.load);
  const auto places = find_datasets(path, options);
  std::vector<DatasetSummary> all(places.size());
  const auto is_read = for_each_place(
      places, options.task, [&](std::size_t i) { all[i] = summarize(load(places[i].path, options.load), places[i]); });
  auto out = chosen(std::move(all), is_read);
  if (out.empty()) throw FormatError("none of its datasets can be read", {.path = path});
  return out;
}

}  // namespace tacore
