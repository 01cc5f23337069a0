#include "publish/prepare.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "base/log.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "describe/document.hpp"
#include "describe/facts.hpp"
#include "describe/zenodo.hpp"
#include "format/names.hpp"
#include "io/entry_at.hpp"
#include "io/open_uninterrupted.hpp"
#include "io/vsi_path.hpp"
#include "net/remote_address.hpp"
#include "tacore/error.hpp"
#include "tacore/ops/describe.hpp"
#include "tacore/ops/validate.hpp"
#include "tacore/plumbing/apart.hpp"
#include "writer/staging.hpp"

namespace tacore::publishing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChecksums = "CHECKSUMS";
constexpr const char* kTable = "table";
/// Suffix of the index of the TIFFs of a dataset, a file beside it.
constexpr const char* kTiffIndex = ".headers";
/// More STAC Items are rows of a table, not a file each.
constexpr int64_t kMostItems = 5'000;
constexpr std::size_t kMostFaults = 20;

// Limits of the platforms.
constexpr uint64_t kGigabyte = 1'000'000'000;
constexpr uint64_t kZenodoBytes = 50 * kGigabyte;
constexpr std::size_t kZenodoFiles = 100;
constexpr uint64_t kHubFileBytes = 50 * kGigabyte;
constexpr std::size_t kHubFolderFiles = 10'000;

constexpr const char* kPlatformNames[] = {"Hugging Face", "Zenodo", "Source Cooperative"};

std::string name_of(Platform platform) { return kPlatformNames[static_cast<std::size_t>(platform)]; }

/// Documents that are files of their own: README.md, index.html, croissant.json, LICENSE, CHECKSUMS, DataCite, Zenodo,
/// and the two of STAC.
constexpr std::size_t kDocuments = 9;

uint64_t size_of(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) throw IoError("cannot stat", {.path = path}, errno);
  return static_cast<uint64_t>(found.st_size);
}

/// The files below a folder, relative to it, also where they are symbolic links: validate() allows none that lead out
/// of the dataset (DIR-2).
std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> out;
  try {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_directory()) out.push_back(entry.path().lexically_relative(folder).generic_string());
    }
  } catch (const fs::filesystem_error& error) {
    throw IoError("the folder cannot be read", {.path = folder}, error.code().value());
  }
  return out;
}

void add_file(const std::string& path, const fs::path& root, std::vector<DataFile>& out) {
  const std::string name = fs::absolute(path).lexically_normal().lexically_relative(root).generic_string();
  if (name.empty() || name.starts_with("..")) {
    throw ValidationError(
        "is outside of the folder " + root.string() + " of the dataset; put all files of the dataset into one folder",
        {.path = path});
  }
  out.push_back({name, path, size_of(path)});
}

/// The name of the dataset in the folder: of its file, its FOLDER or its index.
std::string entry_name(const Dataset& dataset, const std::vector<DataFile>& files) {
  const std::string& first = files.at(0).name;
  if (dataset.format() == Format::Folder || first.starts_with(std::string(names::kTacocatFolder) + "/")) {
    return first.substr(0, first.find('/'));
  }
  return first;
}

// --- requirements ---

bool is_word(std::string_view text, std::string_view others) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_digit(c) || (lower({&c, 1})[0] >= 'a' && lower({&c, 1})[0] <= 'z') || others.find(c) != others.npos;
  });
}

/// Whether the Hub accepts it as the name of an owner or a repository.
bool is_hub_name(std::string_view name) {
  const auto at_end = [](char c) { return c == '-' || c == '.'; };
  return is_word(name, "-_.") && !at_end(name.front()) && !at_end(name.back()) && name.find("--") == name.npos &&
         name.find("..") == name.npos && !name.ends_with(".git");
}

/// The parts of a URL after its scheme.
std::vector<std::string> url_parts(const std::string& url) {
  std::string rest = url.substr(std::min(url.size(), url.find("://") + 3));
  while (rest.ends_with('/')) rest.pop_back();
  return split(rest, '/');
}

void check_url(Platform platform, const std::string& to, std::vector<std::string>& faults) {
  if (to.empty()) return;
  const auto parts = url_parts(to);
  switch (platform) {
    case Platform::Zenodo:
      faults.push_back(
          "Zenodo is prepared, not uploaded: leave --to out, and upload the files of the folder at "
          "https://zenodo.org/uploads/new");
      return;
    case Platform::HuggingFace: {
      if (!to.starts_with("hf://datasets/") || parts.size() < 3) {
        faults.push_back("--to is " + in_quotes(to) + "; hf://datasets/OWNER/NAME expected");
        return;
      }
      const std::string name = parts[2].substr(0, parts[2].find('@'));
      if (!is_hub_name(parts[1]) || !is_hub_name(name) || (parts[1] + name).size() + 1 > 96) {
        faults.push_back(
            "the repository is " + in_quotes(parts[1] + "/" + name) +
            "; OWNER/NAME of letters, digits, -, _ and . expected, at most 96 characters, neither begun nor "
            "ended by - or ., without -- and .., and not ended by .git");
      }
      return;
    }
    case Platform::SourceCooperative:
      if (!to.starts_with("s3://") || parts.size() < 3 || !is_word(parts[1], "-") || !is_word(parts[2], "-_.")) {
        faults.push_back("--to is " + in_quotes(to) + "; s3://BUCKET/ACCOUNT/REPOSITORY expected");
      }
      return;
  }
}

void check_metadata(const descriptions::Facts& facts, Platform platform, std::vector<std::string>& faults) {
  const Collection& about = facts.collection;
  const auto lacks = [&](const char* what, const char* option) {
    faults.push_back(std::string("COLLECTION.json has no ") + what + ": add it with `taco edit PATH " + option + "`");
  };
  if (about.licenses.empty()) lacks("licence", "--set licenses=CC-BY-4.0");
  if (trimmed(about.description).empty()) lacks("description", "--set description=TEXT");
  if (platform != Platform::Zenodo) return;
  if (!about.title || trimmed(*about.title).empty()) lacks("title", "--set title=TEXT");
  if (descriptions::creators_of(facts).empty()) lacks("provider or curator with a name", "--set-json providers=LIST");
  if (facts.published.empty()) {
    faults.push_back("the date of publication is unknown: give it with --published YYYY-MM-DD");
  }
}

void check_files(const std::vector<DataFile>& files, Platform platform, std::vector<std::string>& faults) {
  uint64_t num_bytes = 0;
  std::map<std::string, std::size_t> in_folder;
  for (const DataFile& file : files) {
    num_bytes += file.size;
    ++in_folder[parent_folder(file.name)];
    if (platform == Platform::HuggingFace && file.size > kHubFileBytes) {
      faults.push_back(file.name + " has " + std::to_string(file.size) +
                       " bytes; at most 50 GB expected: make parts with `taco create` or `taco convert` and "
                       "--split-size 10GB");
    }
  }
  if (platform == Platform::HuggingFace) {
    for (const auto& [folder, count] : in_folder) {
      if (count <= kHubFolderFiles) continue;
      faults.push_back("the folder " + folder + " has " + std::to_string(count) +
                       " files; at most 10,000 expected: make a ZIP with `taco convert`");
    }
  }
  if (platform != Platform::Zenodo) return;
  if (in_folder.size() > 1 || !in_folder.contains("")) {
    faults.push_back("Zenodo stores no folders: make one file with `taco convert DATASET NAME.tacozip`");
  } else if (files.size() + kDocuments > kZenodoFiles) {
    faults.push_back("the dataset has " + std::to_string(files.size()) + " files; at most " +
                     std::to_string(kZenodoFiles - kDocuments) +
                     " expected, since Zenodo takes 100, and 9 are descriptions");
  }
  if (num_bytes > kZenodoBytes) {
    faults.push_back("the dataset has " + std::to_string(num_bytes) +
                     " bytes; at most 50 GB expected by Zenodo, unless it has granted more");
  }
}

// --- the folder ---

/// The folder while it is made: under a temporary name, with errors that refer to the final one.
struct Draft {
  const StagingDir& staging;
  std::string name;

  std::string path(const std::string& file = {}) const { return staging.path(path_join(name, file)); }
  void write(const std::string& file, const std::string& text) const {
    staging.write_file(path_join(name, file), bytes_of(text));
  }
};

/// Gives the file a second name, or copies it where the file system allows none.
void link_or_copy(const DataFile& file, const Draft& draft, const std::function<void(uint64_t)>& tell) {
  const std::string to = path_join(draft.name, file.name);
  if (::linkat(AT_FDCWD, file.path.c_str(), AT_FDCWD, draft.path(file.name).c_str(), AT_SYMLINK_FOLLOW) == 0) {
    return tell(file.size);
  }
  if (errno != EXDEV && errno != EPERM && errno != EMLINK && errno != EOPNOTSUPP) {
    throw IoError("cannot be linked", {.path = draft.staging.target(to)}, errno);
  }
  const int from = open_uninterrupted(file.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (from < 0) throw IoError("cannot be read", {.path = file.path}, errno);
  const std::unique_ptr<const int, void (*)(const int*)> closed(&from, [](const int* opened) { ::close(*opened); });
  struct stat found = {};
  if (::fstat(from, &found) != 0) throw IoError("cannot stat", {.path = file.path}, errno);
  StagedFile out(draft.staging, to);
  out.copy({from, file.path}, file.size, tell);
  out.set_time(found.st_mtim.tv_sec);  // tells whether a prepared folder has this version of the file
  out.close();
}

std::string licence_note(const descriptions::Facts& facts) {
  std::string out;
  for (const auto& licence : facts.collection.licenses) {
    const auto spdx = descriptions::spdx_of(licence);
    if (!spdx.empty())
      out += "SPDX-License-Identifier: " + spdx + "\nText: https://spdx.org/licenses/" + spdx + ".html\n";
  }
  return out.empty() ? out : "This dataset may be used under the terms of the licence:\n\n" + out;
}

void write_stac_files(const Dataset& dataset, const Draft& draft, Platform platform, const DescribeOptions& how) {
  try {
    if (platform != Platform::Zenodo && dataset.num_rows() <= kMostItems) {
      return write_stac(dataset, draft.path("stac"), 0, how);
    }
    draft.write("stac-collection.json", collection2stac(dataset, how));
    footer2geoparquetstac(dataset, 0, draft.path("stac-items.parquet"), how);
  } catch (const SchemaError& error) {
    log::warning("the folder has no STAC Items: " + error.message());
  }
}

/// URL of the folder on the platform; "" where it is unknown.
std::string public_url_of(Platform platform, const PublishOptions& options) {
  if (!options.base_url.empty() || options.to.empty()) return options.base_url;
  const auto parts = url_parts(options.to);
  if (platform == Platform::SourceCooperative) {
    std::string out = "https://data.source.coop";
    for (std::size_t i = 1; i < parts.size(); ++i) out += "/" + parts[i];
    return out;
  }
  const auto at = parts[2].find('@');
  std::string out = net::hub_endpoint() + "/datasets/" + parts[1] + "/" + parts[2].substr(0, at) + "/resolve/" +
                    (at == parts[2].npos ? "main" : parts[2].substr(at + 1));
  for (std::size_t i = 3; i < parts.size(); ++i) out += "/" + parts[i];
  return out;
}

/// The files that the page links to.
std::vector<descriptions::Cell> links_of_page(const Draft& draft) {
  constexpr std::pair<const char*, const char*> kLinks[] = {
      {"README.md", "Dataset card (Markdown)"},
      {"croissant.json", "Croissant (JSON-LD, for machine learning and search engines)"},
      {"datacite.json", "DataCite (JSON, for a DOI)"},
      {"stac/collection.json", "STAC (JSON, with an Item for each sample)"},
      {"stac-collection.json", "STAC (JSON)"},
      {"stac-items.parquet", "STAC Items as a table (Parquet)"},
      {"LICENSE", "Licence"}};
  std::vector<descriptions::Cell> out;
  for (const auto& [name, about] : kLinks) {
    if (entry_at(draft.path(name))) out.push_back({about, name});
  }
  return out;
}

void write_documents(const Dataset& dataset, const std::string& dataset_name, const Draft& draft, Platform platform,
                     const PublishOptions& options) {
  const bool is_folder = dataset.format() == Format::Folder;
  const bool has_url_only = options.to.empty() && !options.base_url.empty();  // examples load from there
  DescribeOptions how{.base_url = public_url_of(platform, options),
                      .transformer = options.transformer,
                      .published = options.published,
                      .example_path = has_url_only ? "" : path_join(options.to, dataset_name)};
  // The files of a FOLDER are in a folder below.
  if (is_folder && !how.base_url.empty()) how.base_url = path_join(how.base_url, dataset_name);
  write_stac_files(dataset, draft, platform, how);
  if (is_folder && how.base_url.empty()) how.base_url = dataset_name;
  const descriptions::Facts facts = descriptions::gather_stated(dataset, how);
  draft.write("croissant.json", collection2croissant(dataset, how));
  if (!facts.published.empty()) draft.write("datacite.json", collection2datacite(dataset, how));
  if (platform == Platform::Zenodo) draft.write(".zenodo.json", descriptions::zenodo_metadata(facts));
  if (const auto note = licence_note(facts); !note.empty()) draft.write("LICENSE", note);
  // The table for the viewer of the Hub.
  if (platform == Platform::HuggingFace) how.viewer_tables = write_viewer_tables(dataset, draft.path(kTable), how);
  how.checksums = false;  // croissant.json has them; a search engine does not need them in the page
  draft.write("README.md", platform == Platform::HuggingFace ? collection2datacard(dataset, how)
                                                             : collection2markdown(dataset, how));
  draft.write("index.html",
              descriptions::html_page(dataset, descriptions::gather(dataset, how), how, links_of_page(draft)));
}

/// The files below a folder, in the order of the upload.
std::vector<std::string> names_below(const std::string& folder) {
  std::vector<std::string> out = files_below(folder);
  std::ranges::sort(out, {}, [](const std::string& name) { return std::pair(upload_rank(name), name); });
  return out;
}

/// The files `names` of a folder, hashed by several threads.
std::vector<upload::Upload> hashed(const std::string& folder, const std::vector<std::string>& names, const Task& task) {
  std::vector<upload::Upload> out(names.size());
  std::mutex mutex;
  uint64_t num_done = 0, num_bytes = 0;
  for (const auto& name : names) num_bytes += size_of(path_join(folder, name));
  run_parallel(names.size(), num_threads(task.jobs), [&](std::size_t i) {
    out[i] = upload::upload_of(names[i], path_join(folder, names[i]));
    const std::lock_guard lock(mutex);
    report(task, num_done += out[i].size, num_bytes, folder);
  });
  return out;
}

/// A line of CHECKSUMS, as sha256sum writes it: a backslash in front marks a name with escapes.
std::string checksum_line(const std::string& name, const std::string& hash) {
  std::string escaped;
  for (const char c : name) escaped += c == '\\' ? "\\\\" : c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string(1, c);
  return (escaped == name ? "" : "\\") + hash + "  " + escaped + "\n";
}

}  // namespace

int upload_rank(const std::string& name) {
  constexpr std::string_view kPages[] = {"README.md", "index.html"};
  constexpr std::string_view kEntries[] = {names::kCollection, names::kTacollection, names::kTacocatFile};
  constexpr std::string_view kDescriptions[] = {"croissant.json",       "datacite.json",      ".zenodo.json", "LICENSE",
                                                "stac-collection.json", "stac-items.parquet", kChecksums};
  const std::string file = file_name(name);
  const bool is_index = ("/" + name).find("/" + std::string(names::kTacocatFolder) + "/") != std::string::npos;
  if (std::ranges::count(kPages, name) > 0) return 3;
  if (std::ranges::count(kDescriptions, name) > 0 || name.starts_with("stac/") ||
      name.starts_with(std::string(kTable) + "/")) {
    return 2;
  }
  return is_index || std::ranges::count(kEntries, file) > 0 ? 1 : 0;
}

std::vector<DataFile> data_files(const Dataset& dataset, const std::string& path) {
  if (is_remote(path)) {
    throw ValidationError("is remote; copy the dataset first, with `taco convert PATH NAME.tacozip`", {.path = path});
  }
  std::vector<std::string> paths = files_of(dataset);
  // An index may have been opened by the folder that it is in.
  const bool is_opened_by_folder =
      fs::is_directory(path) && fs::path(without_slashes(path)).filename() != names::kTacocatFolder;
  if (dataset.format() == Format::Tacocat && is_opened_by_folder) {
    const bool has_folder = fs::exists(path_join(path, names::kTacocatFolder));
    paths.at(0) = path_join(path, has_folder ? names::kTacocatFolder : names::kTacocatFile);
  } else if (dataset.format() == Format::Tacollection && is_opened_by_folder) {
    paths.insert(paths.begin(), path_join(path, names::kTacollection));
  }
  paths = described_files(paths);
  fs::path root = fs::absolute(paths.at(0)).lexically_normal().parent_path();
  if (dataset.format() == Format::Folder) root = root.parent_path();
  std::vector<DataFile> out;
  for (std::string& each : paths) {
    if (each.starts_with("/vsisubfile/")) each = parse_vsi_subfile(each).root;
    if (dataset.format() == Format::Folder && !fs::exists(each)) continue;  // it may have no index
    if (!fs::is_directory(each)) {
      add_file(each, root, out);
      if (fs::exists(each + kTiffIndex)) add_file(each + kTiffIndex, root, out);
      continue;
    }
    for (const auto& name : files_below(each)) add_file(path_join(each, name), root, out);
  }
  return out;
}

void require_publishable(const Dataset& dataset, const std::string& path, const std::vector<DataFile>& files,
                         Platform platform, const PublishOptions& options) {
  std::vector<std::string> faults;
  check_url(platform, options.to, faults);
  check_metadata(descriptions::gather_stated(dataset, {.published = options.published}), platform, faults);
  check_files(files, platform, faults);
  for (const Issue& issue : validate(path)) {
    if (issue.severity == Severity::Error) faults.push_back(issue.rule + ": " + issue.message);
    else log::warning(path + ": " + issue.rule + ": " + issue.message);
  }
  if (faults.empty()) return;
  std::string text = "cannot be published on " + name_of(platform) + ":";
  for (std::size_t i = 0; i < faults.size() && i < kMostFaults; ++i) {
    text += (i > 0 ? "; " : " ") + (faults.size() > 1 ? "(" + std::to_string(i + 1) + ") " : "") + faults[i];
  }
  if (faults.size() > kMostFaults) text += "; and " + std::to_string(faults.size() - kMostFaults) + " more";
  throw ValidationError(text, {.path = path});
}

std::vector<upload::Upload> prepare(const std::vector<DataFile>& files, const Dataset& dataset,
                                    const StagingDir& staging, const std::string& name, Platform platform,
                                    const PublishOptions& options) {
  const Draft draft{staging, name};
  staging.make_folder(name);
  uint64_t num_bytes = 0, num_done = 0;
  for (const DataFile& file : files) num_bytes += file.size;
  std::set<std::string> folders;
  for (const DataFile& file : files) {
    for (auto slash = file.name.find('/'); slash != file.name.npos; slash = file.name.find('/', slash + 1)) {
      const std::string folder = file.name.substr(0, slash);
      if (folders.insert(folder).second) staging.make_folder(path_join(name, folder));
    }
    link_or_copy(file, draft, [&](uint64_t count) { report(options.task, num_done += count, num_bytes, file.path); });
  }
  const std::string entry = entry_name(dataset, files);
  write_documents(load(draft.path(entry)), entry, draft, platform, options);
  std::vector<upload::Upload> out = hashed(draft.path(), names_below(draft.path()), options.task);
  std::string text;
  for (const auto& file : out) text += checksum_line(file.key, hex(file.sha256));
  draft.write(kChecksums, text);
  out.push_back(upload::upload_of(kChecksums, draft.path(kChecksums)));
  std::ranges::stable_sort(out, {}, [](const upload::Upload& file) { return upload_rank(file.key); });
  return out;
}

std::vector<upload::Upload> prepared_before(const std::vector<DataFile>& files, const std::string& folder,
                                            const Task& task) {
  const auto refuse = [&](const std::string& why) {
    throw ValidationError(why + "; --overwrite prepares the folder again", {.path = folder});
  };
  const std::string list = path_join(folder, kChecksums);
  if (!entry_at(list)) refuse("exists, and is no folder that was prepared for publication");
  for (const DataFile& file : files) {
    struct stat here = {}, there = {};
    const std::string copy = path_join(folder, file.name);
    if (::stat(file.path.c_str(), &here) != 0) throw IoError("cannot stat", {.path = file.path}, errno);
    const bool is_there = ::stat(copy.c_str(), &there) == 0;
    const bool is_link = is_there && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
    // A copy has the time of the file in seconds.
    const bool is_copy = is_there && here.st_size == there.st_size && here.st_mtim.tv_sec == there.st_mtim.tv_sec &&
                         there.st_mtim.tv_nsec == 0;
    if (!is_link && !is_copy) refuse("was prepared of another version of " + file.path);
  }
  const Bytes bytes = local_storage()->open(list)->read_all();
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<upload::Upload> out = hashed(folder, names_below(folder), task);
  std::string expected;
  for (const auto& file : out) {
    if (file.key == kChecksums) continue;
    const std::string line = checksum_line(file.key, hex(file.sha256));
    if (("\n" + text).find("\n" + line) == std::string::npos) refuse(file.key + " is not as CHECKSUMS has it");
    expected += line;
  }
  if (expected.size() != text.size()) refuse("a file of CHECKSUMS is missing");
  return out;
}

}  // namespace tacore::publishing
