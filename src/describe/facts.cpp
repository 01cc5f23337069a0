#include "describe/facts.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "base/epoch.hpp"
#include "base/text.hpp"
#include "dataset/dataset_impl.hpp"
#include "describe/coverage.hpp"
#include "describe/json.hpp"
#include "format/names.hpp"
#include "io/public_path.hpp"
#include "model/collection_json.hpp"
#include "model/spdx.hpp"
#include "tacore/error.hpp"
#include "tortilla/collection.hpp"

namespace tacore::descriptions {
namespace {

namespace fs = std::filesystem;

/// Text, whatever the JSON has in its place: published collections have numbers where text is expected.
std::string text_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<double> number_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

/// The objects of a list; of one object, which some writers leave without its list, that one.
std::vector<Json> objects_of(const Json& document, const char* key) {
  std::vector<Json> out;
  const auto found = document.find(key);
  if (found == document.end()) return out;
  for (const Json& item : found->is_array() ? *found : Json::array({*found})) {
    if (item.is_object()) out.push_back(item);
  }
  return out;
}

/// The object of that name; an empty one where there is none.
Json object_of(const Json& document, const char* key) {
  const auto found = document.find(key);
  return found != document.end() && found->is_object() ? *found : Json::object();
}

/// The members of TACO 0.2.0 that belong to no extension; datasets converted from it keep them.
void read_links(const Json& document, Facts& out) {
  const auto link_of = [&](const char* key) {
    if (const auto text = document.find(key); text != document.end() && text->is_string())
      return Hyperlink{text->get<std::string>(), ""};
    const Json link = object_of(document, key);
    return Hyperlink{text_of(link, "href"), text_of(link, "description")};
  };
  out.raw_link = link_of("raw_link");
  out.discuss_link = link_of("discuss_link");
  const Json self = object_of(document, "scientific");
  out.self = {text_of(self, "doi"), text_of(self, "citation"), text_of(self, "summary")};
}

/// The keys of the built-in extensions. A value of another type than the extension defines is ignored.
void read_extensions(const Json& document, Facts& out) {
  for (const Json& each : objects_of(document, "publications")) {
    out.publications.push_back({text_of(each, "doi"), text_of(each, "citation"), text_of(each, "summary")});
  }
  for (const Json& each : objects_of(document, "labels:classes")) {
    out.labels.push_back({text_of(each, "name"), text_of(each, "category"), text_of(each, "description")});
  }
  for (const Json& each : objects_of(document, "optical:bands")) {
    out.bands.push_back({.name = text_of(each, "name"),
                         .common_name = text_of(each, "common_name"),
                         .description = text_of(each, "description"),
                         .unit = text_of(each, "unit"),
                         .center_wavelength = number_of(each, "center_wavelength"),
                         .full_width_half_max = number_of(each, "full_width_half_max")});
  }
  out.label_description = text_of(document, "labels:description");
  out.sensor = text_of(document, "optical:sensor");
  out.split_strategy = text_of(document, "split:strategy");
  for (const auto& [key, value] : document.items()) {
    if (key.starts_with("rai:") && value.is_string()) out.statements.push_back({key, value.get<std::string>()});
  }
}

/// COLLECTION.json with the names of TACO 2, whatever its version.
std::string document_of(const Dataset& dataset) {
  const std::string& json = dataset.collection().json;
  return is_v1(dataset.format()) ? v1::v2_text(json, dataset.path()) : json;
}

/// Types as they are stored; descriptions, and nothing else, as the collection has them.
LevelFacts level_facts(const Dataset& dataset, int level) {
  LevelFacts out;
  out.num_rows = level == 0 ? dataset.num_rows() : dataset.level_rows(level);
  const auto& known = dataset.field_schema();
  const auto descriptions = known.find("level" + std::to_string(level));
  for (const auto& [name, type] : dataset.level_columns(level)) {
    FieldDescription field{name, type, ""};
    if (descriptions != known.end()) {
      for (const auto& each : descriptions->second) {
        if (each.name == name) field.description = each.description;
      }
    }
    out.fields.push_back(std::move(field));
  }
  return out;
}

LevelFacts level_facts(const Collection& collection, int level) {
  const auto& pit = collection.pit_schema;
  LevelFacts out;
  uint64_t num_rows = level == 0 ? pit.root_n : 0;
  if (const auto patterns = pit.hierarchy.find(level); patterns != pit.hierarchy.end()) {
    for (const auto& pattern : patterns->second) num_rows += pattern.n;
  }
  out.num_rows = static_cast<int64_t>(num_rows);
  const auto known = collection.field_schema.find("level" + std::to_string(level));
  if (known == collection.field_schema.end()) return out;
  for (const auto& field : known->second) {
    if (!field.name.starts_with(names::kInternal)) out.fields.push_back(field);
  }
  return out;
}

/// nullopt for an absent file. Any other failure is an error: the file would be missing in the description without
/// notice.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat out = {};
  if (::stat(path.c_str(), &out) == 0) return out;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw IoError("cannot stat", {.path = path}, errno);
}

/// nullopt for an absent or empty file.
std::optional<uint64_t> size_of(const std::string& path) {
  const auto status = status_of(path);
  if (!status || !S_ISREG(status->st_mode) || status->st_size == 0) return std::nullopt;
  return static_cast<uint64_t>(status->st_size);
}

bool is_folder_at(const std::string& path) {
  const auto status = status_of(path);
  return status && S_ISDIR(status->st_mode);
}

void add_file(Facts& out, std::vector<DataFile>& files, const std::string& name) {
  files.push_back({name, size_of(path_join(out.folder, name))});
}

/// The file of a container, such as a ZIP, which may be remote.
void add_file_of(Facts& out, const Container& container, const std::string& name) {
  add_file(out, out.files, name);
  if (is_remote(out.folder)) out.files.back().size_bytes = container.file_size();
}

/// An index: the folder `.tacocat`, the one around it, the file `__TACOCAT__`, or TACOLLECTION.json.
void find_index(const Dataset& dataset, Facts& out) {
  std::string path = without_query(dataset.path());
  if (is_folder_at(path) && !is_folder_at(path_join(path, names::kTacocatFolder))) {
    // The folder of an index that is a file stands for it.
    const std::string file = path_join(path, names::kTacocatFile), collection = path_join(path, names::kTacollection);
    if (size_of(file)) path = file;
    else if (size_of(collection)) path = collection;
  }
  const bool is_folder = is_folder_at(path);
  const std::string name = file_name(path);
  const bool is_collection = dataset.format() == Format::Tacollection;
  const bool is_named = name == names::kTacocatFolder || name == names::kTacocatFile || is_collection;
  const bool is_around =
      is_remote(path) ? !is_named : is_folder && is_folder_at(path_join(path, names::kTacocatFolder));
  out.folder = is_around ? path : parent_folder(path);
  out.path = is_around ? std::string(names::kTacocatFolder) : name;
  for (const Source& source : dataset.collection().sources) add_file(out, out.files, source.file);
  if (!is_folder) return;
  for (std::size_t level = 0; level < out.levels.size(); ++level) {
    add_file(out, out.tables, path_join(out.path, names::kLevelFiles[level]));
  }
}

/// A Tortilla or TACO with all of its partitions. Only a table of its own, such as footer2geoparquet() writes, can be
/// read by others: of that name, beside it.
void find_parts(const Dataset& dataset, Facts& out) {
  const std::string path = without_query(dataset.path());
  out.folder = parent_folder(path);
  out.path = file_name(path);
  for (int leaf = 0; leaf < impl_of(dataset)->view().num_leaves; ++leaf) {
    const auto part = impl_of(dataset)->leaf(leaf);
    add_file_of(out, *part, file_name(without_query(part->path())));
  }
  const std::string table = out.path + ".parquet";
  if (size_of(path_join(out.folder, table))) add_file(out, out.tables, table);
}

void find_files(const Dataset& dataset, Facts& out) {
  const std::string path = without_query(dataset.path());
  const View* view = impl_of(dataset)->partitions ? nullptr : &impl_of(dataset)->view();
  const bool has_place = view && (view->container() || size_of(path));  // partitions have that of the one named
  if (is_v1(dataset.format()) && has_place) return find_parts(dataset, out);
  if (view && !view->container()) {  // concat: files of the same name in several places cannot be told apart
    std::set<std::string> names;
    for (int leaf = 0; leaf < view->num_leaves; ++leaf) {
      names.insert(file_name(without_query(impl_of(dataset)->leaf(leaf)->path())));
    }
    for (const auto& name : names) out.files.push_back({name, {}});
    return;
  }
  if (dataset.format() == Format::Zip) {
    out.folder = parent_folder(path);
    out.path = file_name(path);
    add_file_of(out, *view->container(), out.path);
  } else if (dataset.format() == Format::Folder) {
    out.folder = path;
    out.path = file_name(path);
    for (std::size_t level = 0; level < out.levels.size(); ++level) {
      add_file(out, out.tables, path_join(names::kMetadata, names::kLevelFiles[level]));
    }
  } else {
    find_index(dataset, out);
  }
}

/// YYYY or YYYY-MM-DD of a year, a date, or a date with a time of day; "" for other text.
std::string date_of(const std::string& text) {
  if (text.size() == 4 && text.find_first_not_of("0123456789") == text.npos) return text;
  try {
    return Timestamp::parse(text).to_string().substr(0, 10);
  } catch (const QueryError&) {
    return "";
  }
}

/// The date of publication: of the options, else of COLLECTION.json, else of SOURCE_DATE_EPOCH. Neither the clock
/// (reproducible builds) nor the times of samples are used.
std::string date_published(const Json& document, const DescribeOptions& options) {
  if (!options.published.empty()) {
    const std::string date = date_of(options.published);
    if (!date.empty()) return date;
    throw ValidationError("the date of publication is " + tacore::in_quotes(options.published) +
                          ", YYYY or YYYY-MM-DD expected");
  }
  for (const char* key : {"published", "datePublished"}) {
    if (const auto date = date_of(text_of(document, key)); !date.empty()) return date;
  }
  constexpr int64_t kYear10000 = 253402300800;
  const auto seconds = source_date_epoch();
  const bool is_time = seconds && *seconds >= 0 && *seconds < kYear10000;
  return is_time ? Timestamp{*seconds * 1'000'000}.to_string().substr(0, 10) : "";
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

/// Reads the members of the document beyond the model.
Json read_document(const std::string& json, Facts& out) {
  Json document = Json::parse(json, nullptr, false);
  if (!document.is_object()) return Json::object();
  read_extensions(document, out);
  read_links(document, out);
  return document;
}

/// The path that examples load: the URL where there is one, the folder of an index.
std::string example_path(const Facts& facts, const DescribeOptions& options) {
  if (!options.example_path.empty()) return public_path(options.example_path);
  if (!facts.base_url.empty() && !facts.path.empty()) return facts.url();
  const bool is_index_folder = facts.format == Format::Tacocat && !facts.folder.empty();
  return is_index_folder ? path_join(file_name(without_slashes(facts.folder)), facts.path) : facts.path;
}

/// The members of the document beyond the model, and the options of the caller.
void complete(Facts& out, const std::string& json, const DescribeOptions& options) {
  out.published = date_published(read_document(json, out), options);
  out.has_checksums = options.checksums;
  const std::string folder = from_vsi(out.folder);
  const bool is_known = options.base_url.empty() && folder.find("://") != folder.npos;
  out.base_url = public_path(is_known ? folder : options.base_url);
  while (out.base_url.ends_with('/')) out.base_url.pop_back();
  out.example_path = example_path(out, options);
}

}  // namespace

std::string Facts::title() const {
  return collection.title && !is_blank(*collection.title) ? *collection.title : collection.id;
}

std::string Facts::href(std::string_view name) const {
  const bool is_encoded = is_url(base_url) || base_url.find("://") == base_url.npos;  // s3:// has keys as they are
  return (base_url.empty() ? "." : base_url) + "/" + (is_encoded ? percent_encoded(name, true) : std::string(name));
}

Facts gather(const Dataset& dataset, const DescribeOptions& options, int items_level) {
  Facts out = gather_stated(dataset, options);
  set_extent(dataset, options, items_level, out);
  return out;
}

Facts gather_stated(const Dataset& dataset, const DescribeOptions& options) {
  check_no_given_rows(*impl_of(dataset), "describe");
  Facts out;
  out.collection = dataset.collection();
  out.collection.pit_schema = dataset.pit_schema();
  out.format = dataset.format();
  const int deepest = out.collection.pit_schema.max_depth();
  for (int level = 0; level <= deepest; ++level) out.levels.push_back(level_facts(dataset, level));
  find_files(dataset, out);
  if (out.collection.id.empty()) out.collection.id = out.path;  // TACO before 2.0 is read without one
  complete(out, document_of(dataset), options);
  return out;
}

Facts gather(std::string_view json, const std::string& path, const DescribeOptions& options) {
  Facts out;
  Collection& collection = out.collection;
  collection = parse_draft_collection(json, path);
  if (collection.id.empty()) throw FormatError("id is missing", {.path = path});
  const Json document = Json::parse(json, nullptr, false);
  const auto tree = document.find("taco:pit_schema");
  out.has_tree = tree != document.end() && !tree->is_null();
  if (out.has_tree) collection = parse_collection(json, path);
  forget_globe(collection.extent);
  for (Source& source : collection.sources) forget_globe(source.extent);
  const int num_described = static_cast<int>(collection.field_schema.size());
  const int deepest = out.has_tree ? collection.pit_schema.max_depth() : num_described - 1;
  for (int level = 0; level <= deepest; ++level) out.levels.push_back(level_facts(collection, level));
  out.format = collection.sources.empty() ? Format::Zip : Format::Tacocat;
  out.path = collection.sources.empty() ? collection.id + ".tacozip" : std::string(names::kTacocatFolder);
  for (const Source& source : collection.sources) out.files.push_back({source.file, {}});
  complete(out, collection.json, options);
  return out;
}

const char* media_type(Format format) {
  if (format == Format::Tortilla) return "application/vnd.tortilla+blob";
  return format == Format::Taco ? "application/vnd.taco+blob" : "application/zip";
}

std::string way_between(const std::string& from, const std::string& to) {
  std::error_code error;
  const fs::path out = fs::absolute(to.empty() ? "." : to, error)
                           .lexically_normal()
                           .lexically_relative(fs::absolute(from, error).lexically_normal());
  std::string text = out.generic_string();
  while (text.ends_with('/')) text.pop_back();
  return text.empty() ? "." : percent_encoded(text, true);
}

std::string suffix_of(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == name.npos || name.find('/', dot) != name.npos ? "" : lower(name.substr(dot));
}

std::string doi_of(const std::string& text) {
  const auto start = text.find("10.");
  if (start == text.npos || text.find('/', start) == text.npos) return "";
  const std::string doi = text.substr(start);
  return doi.find_first_of(" \t\r\n\"<>") == doi.npos ? doi : "";
}

bool is_url(std::string_view text) {
  const bool starts = text.starts_with("http://") || text.starts_with("https://");
  return starts && text.find_first_of(" \t\r\n\"<>\\^`{|}") == text.npos;
}

std::string translate(const std::string& word, std::span<const Translation> words) {
  const auto found = std::ranges::find(words, lower(word), &Translation::first);
  return std::string(found == words.end() ? "" : found->second);
}

std::string spdx_of(const std::string& licence) { return std::string(spdx_spelling(licence)); }

std::string name_of(const Contact& who) {
  if (!is_blank(who.name)) return who.name;
  return is_blank(who.organization) ? who.email : who.organization;
}

std::vector<std::string> roles_of(const Contact& who) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& role) {
    const std::string name = lower(role);
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  add(who.role);
  for (const auto& role : who.roles) add(role);
  return out;
}

}  // namespace tacore::descriptions

namespace tacore {

std::vector<std::pair<std::string, std::string>> collection_details(const Dataset& dataset) {
  descriptions::Facts facts;
  descriptions::read_document(descriptions::document_of(dataset), facts);
  std::vector<std::string> labels, dois, links;
  for (const auto& label : facts.labels) labels.push_back(label.name);
  facts.publications.insert(facts.publications.begin(), facts.self);
  for (const auto& each : facts.publications) {
    if (const auto doi = descriptions::doi_of(each.doi); !doi.empty()) dois.push_back(doi);
  }
  for (const auto& link : {facts.raw_link, facts.discuss_link}) {
    if (!link.href.empty()) links.push_back(link.href);
  }
  std::vector<std::pair<std::string, std::string>> out = {{"Split", facts.split_strategy},
                                                          {"Sensor", facts.sensor},
                                                          {"Labels", join(labels, ", ")},
                                                          {"DOI", join(dois, ", ")},
                                                          {"Links", join(links, ", ")}};
  std::erase_if(out, [](const auto& each) { return each.second.empty(); });
  return out;
}

}  // namespace tacore
