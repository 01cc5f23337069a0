#include "tacore/ops/site.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "describe/catalogue_page.hpp"
#include "describe/listing.hpp"
#include "describe/page.hpp"
#include "describe/stac.hpp"
#include "io/byte_source.hpp"
#include "io/entry_at.hpp"
#include "io/output_file.hpp"
#include "io/public_path.hpp"
#include "tacore/error.hpp"
#include "tacore/ops/describe.hpp"
#include "tacore/plumbing/apart.hpp"
#include "tacore/plumbing/temporary.hpp"
#include "writer/staging.hpp"

namespace tacore {
namespace descriptions {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDatasets = "datasets";
constexpr std::size_t kMostOfName = 80;  // characters of the name of a folder

/// An id as the name of a folder and a part of a URL that needs no escapes on any system: a to z, digits, - and _.
std::string folder_name(const std::string& id) {
  std::string out;
  for (const char c : lower(id).substr(0, kMostOfName)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_';
    if (is_plain || (!out.empty() && out.back() != '-')) out += is_plain ? c : '-';
  }
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? "dataset" : out;
}

/// Names of folders that no other dataset has.
class FolderNames {
 public:
  std::string of(const std::string& id) {
    const std::string name = folder_name(id);
    std::string out = name;
    for (std::size_t number = 2; !taken_.insert(out).second; ++number) out = name + "-" + std::to_string(number);
    return out;
  }

 private:
  std::set<std::string> taken_ = {};
};

/// Paths and URLs, as seen from the pages of a catalogue.
class Addresses {
 public:
  Addresses(const std::string& path, std::string output, const SiteOptions& options)
      : output_(std::move(output)),
        root_(local_storage()->exists(path, true) ? path : parent_folder(path)),
        site_url_(url(options.base_url)),
        data_url_(url(options.data_url)) {
    if (!site_url_.empty() && !is_url(site_url_)) {
      throw ValidationError("the URL of the catalogue is " + tacore::in_quotes(options.base_url) +
                            "; one that begins with https:// or http:// expected");
    }
    if (!data_url_.empty() && data_url_.find("://") == data_url_.npos) {
      throw ValidationError("the URL of the datasets is " + tacore::in_quotes(options.data_url) +
                            "; one such as https://example.org/data or s3://bucket/data expected");
    }
  }

  const std::string& site_url() const { return site_url_; }

  /// The URL of a folder with data, or the relative one from a folder of the catalogue, in which there are no links.
  std::string of_data(const std::string& data_folder, const std::string& from) const {
    const std::string within = data_url_.empty() ? ".." : way_between(root_, data_folder);
    const bool is_published = within != ".." && !within.starts_with("../");
    if (is_published) return within == "." ? data_url_ : data_url_ + "/" + within;
    return way_between(path_join(output_, from), data_folder);
  }

  /// The path of a dataset for load(): a URL where it has one, else relative to the catalogue.
  std::string of_dataset(const std::string& path) const {
    if (is_remote(path)) return public_path(path);
    const auto relative = [&](const std::string& folder) {
      return fs::absolute(path).lexically_normal().lexically_relative(fs::absolute(folder).lexically_normal());
    };
    const std::string within = relative(root_.empty() ? "." : root_).generic_string();
    const bool is_published = !data_url_.empty() && within != ".." && !within.starts_with("../");
    if (is_published) return within == "." ? data_url_ : path_of_name(data_url_, within);
    return without_slashes(relative(output_).generic_string());
  }

 private:
  static std::string url(const std::string& given) {
    std::string out = public_path(given);
    while (out.ends_with('/')) out.pop_back();
    return out;
  }

  std::string output_, root_, site_url_, data_url_;
};

/// The texts of a dataset in the catalogue.
struct DatasetPages {
  std::string page = {}, collection = {}, croissant = {}, published = {};
};

Json stac_link(const char* rel, const std::string& href, const char* type = "application/json") {
  return {{"rel", rel}, {"href", href}, {"type", type}};
}

/// Describes a dataset, whose pages will be in `folder`, and takes over its extent.
DatasetPages describe(const Dataset& dataset, const std::string& folder, const Addresses& addresses,
                      const SiteOptions& options, DatasetSummary& summary) {
  DescribeOptions how{.transformer = options.transformer,
                      .accent_colour = options.accent_colour,
                      .thumbnails = options.thumbnails,
                      .fallback = options.fallback,
                      .catalogue_url = addresses.site_url().empty() ? "../../index.html" : addresses.site_url() + "/",
                      .checksums = options.checksums};
  const Facts known = gather_stated(dataset, how);
  if (!is_remote(known.folder)) how.base_url = addresses.of_data(known.folder, folder);
  how.example_path = is_remote(summary.path) ? summary.path : known.example_path;
  Facts facts = gather(dataset, how);
  summary.extent = facts.collection.extent;
  Json collection = stac_collection(facts);
  collection["id"] = file_name(folder);  // unique in the catalogue
  collection["title"] = summary.title;
  for (const char* rel : {"root", "parent"}) {
    collection["links"].push_back(stac_link(rel, std::string("../../") + kCatalogueFile));
  }
  collection["links"].push_back(stac_link("alternate", "./index.html", "text/html"));
  if (!addresses.site_url().empty()) {
    collection["links"].push_back(
        stac_link("self", addresses.site_url() + "/" + percent_encoded(folder, true) + "/collection.json"));
  }
  const std::string metadata = dump(croissant(facts));
  facts.has_checksums = false;  // once is enough to read all files
  return {.page = html_page(dataset, facts, how),
          .collection = dump(collection),
          .croissant = metadata,
          .published = facts.published};
}

std::string catalogue_json(const std::vector<CatalogueEntry>& entries, const std::string& site_url,
                           const SiteOptions& options) {
  Json links = Json::array({stac_link("root", std::string("./") + kCatalogueFile)});
  if (!site_url.empty()) links.push_back(stac_link("self", site_url + "/" + kCatalogueFile));
  links.push_back(stac_link("alternate", "./index.html", "text/html"));
  for (const auto& [dataset, folder] : entries) {
    Json child = stac_link("child", "./" + percent_encoded(folder, true) + "/collection.json");
    child["title"] = dataset.title;
    child["taco:dataset"] = to_json(dataset);
    links.push_back(std::move(child));
  }
  const std::string number = std::to_string(entries.size()) + (entries.size() == 1 ? " dataset" : " datasets");
  return dump({{"type", "Catalog"},
               {"stac_version", kStacVersion},
               {"id", folder_name(options.title)},
               {"title", options.title},
               {"description", options.title + ": " + number + " of Earth observation imagery"},
               {"links", links}});
}

/// sitemaps.org, version 0.9: the page of the catalogue, and those of its datasets with their dates of publication.
std::string sitemap(const std::vector<CatalogueEntry>& entries, const std::vector<DatasetPages>& pages,
                    const std::string& site_url) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
  const auto add = [&](const std::string& url, const std::string& date) {
    out += "<url><loc>" + escape_html(url) + "</loc>" + (date.empty() ? "" : "<lastmod>" + date + "</lastmod>") +
           "</url>\n";
  };
  add(site_url + "/", "");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    add(site_url + "/" + percent_encoded(entries[i].second, true) + "/index.html", pages[i].published);
  }
  return out + "</urlset>\n";
}

/// Throws unless `output` can be written, or is a catalogue that may be replaced.
void check_site(const std::string& output, bool overwrite) {
  require_local(output, "written");
  if (!entry_at(output)) return;
  if (!overwrite) throw IoError("exists already", {.path = output});
  if (!local_storage()->exists(output, true) || !is_catalogue(output)) {
    throw ValidationError("is not a catalogue that taco site wrote, which alone is replaced; choose another path",
                          {.path = output});
  }
}

/// A dataset of the catalogue while it is made.
struct Draft {
  Place place = {};
  std::optional<Dataset> opened = {};  ///< where it is cheaper to keep than to open again
  CatalogueEntry entry = {};
  DatasetPages pages = {};
};

/// Opens all datasets, and names their folders after their ids. Throws where `output` would replace a dataset.
std::vector<Draft> open_all(const std::vector<Place>& places, const std::string& output, const Addresses& addresses,
                            const SiteOptions& options) {
  constexpr std::size_t kMostOpen = 100;  // local ones, which take descriptors; a remote one takes requests instead
  std::vector<Draft> all(places.size());
  std::vector<std::vector<std::string>> files(places.size());
  const auto is_open = for_each_place(
      places, {.jobs = options.list.task.jobs},
      [&](std::size_t i) {
        const std::string& path = places[i].path;
        const Dataset dataset = load(path, options.list.load);
        files[i] = described_files(files_of(dataset));
        all[i] = {.place = places[i], .entry = {summarize(dataset, places[i]), ""}};
        all[i].entry.first.path = addresses.of_dataset(path);
        if (is_remote(path) || places.size() <= kMostOpen) all[i].opened = dataset;
      },
      [&](std::size_t i) { require_apart(output, files[i]); });
  all = chosen(std::move(all), is_open);
  FolderNames names;
  for (Draft& draft : all) draft.entry.second = path_join(kDatasets, names.of(draft.entry.first.id));
  return all;
}

/// Writes the files of each dataset. Returns those that could be described.
std::vector<Draft> write_datasets(std::vector<Draft> all, const StagingDir& staging, const Addresses& addresses,
                                  const SiteOptions& options) {
  std::vector<Place> places;
  for (const Draft& draft : all) places.push_back(draft.place);
  staging.make_folder(kDatasets);
  const auto is_described = for_each_place(
      places, options.list.task,
      [&](std::size_t i) {
        auto& [place, opened, entry, pages] = all[i];
        if (!opened) opened = load(place.path, options.list.load);
        pages = describe(*opened, entry.second, addresses, options, entry.first);
        opened.reset();
      },
      [&](std::size_t i) {
        auto& [place, opened, entry, pages] = all[i];
        staging.make_folder(entry.second);
        staging.write_file(path_join(entry.second, "index.html"), bytes_of(pages.page));
        staging.write_file(path_join(entry.second, "collection.json"), bytes_of(pages.collection));
        staging.write_file(path_join(entry.second, "croissant.json"), bytes_of(pages.croissant));
        pages = {.published = pages.published};  // thousands of pages would fill the memory
      });
  return chosen(std::move(all), is_described);
}

/// Writes the files about all datasets.
void write_catalogue(const std::vector<CatalogueEntry>& entries, const std::vector<DatasetPages>& pages,
                     const StagingDir& staging, const std::string& url, const SiteOptions& options) {
  staging.write_file(kCatalogueFile, bytes_of(catalogue_json(entries, url, options)));
  staging.write_file("index.html", bytes_of(catalogue_page(entries, url, options)));
  if (url.empty()) return;
  staging.write_file("sitemap.xml", bytes_of(sitemap(entries, pages, url)));
  staging.write_file("robots.txt", bytes_of("User-agent: *\nAllow: /\nSitemap: " + url + "/sitemap.xml\n"));
}

}  // namespace
}  // namespace descriptions

std::vector<DatasetSummary> write_site(std::string_view given, const std::string& target, const SiteOptions& options) {
  using namespace descriptions;
  const std::string path = without_slashes(std::string(given)), output = without_slashes(target);
  check_site(output, options.overwrite);
  const auto places = find_datasets(path, options.list);
  const Addresses addresses(path, output, options);
  auto drafts = open_all(places, output, addresses, options);
  const StagingDir staging(output, "");
  drafts = write_datasets(std::move(drafts), staging, addresses, options);
  if (drafts.empty()) throw FormatError("none of its datasets can be read", {.path = path});
  std::vector<CatalogueEntry> entries;
  std::vector<DatasetPages> pages;
  for (Draft& draft : drafts) {
    entries.push_back(std::move(draft.entry));
    pages.push_back(std::move(draft.pages));
  }
  write_catalogue(entries, pages, staging, addresses.site_url(), options);
  staging.sync();
  throw_if_interrupted();
  if (entry_at(output)) exchange_names(staging.path(), output);  // the old one is removed with the staging directory
  else rename_to(staging.path(), output, false);
  sync_folder_of(output);
  std::vector<DatasetSummary> out;
  for (auto& [summary, folder] : entries) out.push_back(std::move(summary));
  return out;
}

}  // namespace tacore
