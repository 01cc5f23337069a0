#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <span>

#include "base/epoch.hpp"
#include "base/log.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "describe/document.hpp"
#include "describe/stac.hpp"
#include "format/names.hpp"
#include "io/byte_source.hpp"
#include "io/vsi_path.hpp"

namespace tacore {
namespace descriptions {
namespace {

constexpr const char* kCroissantParquet = "application/x-parquet";

/// The context of Croissant 1.1, which every document carries, with what mlcroissant misses otherwise.
Json context() {
  Json out = {{"@language", "en"}, {"@vocab", "https://schema.org/"}};
  for (const char* name : {"citeAs", "column"}) out[name] = std::string("cr:") + name;
  out["conformsTo"] = "dct:conformsTo";
  out["cr"] = "http://mlcommons.org/croissant/";
  out["rai"] = "http://mlcommons.org/croissant/RAI/";
  out["data"] = {{"@id", "cr:data"}, {"@type", "@json"}};
  out["dataType"] = {{"@id", "cr:dataType"}, {"@type", "@vocab"}};
  out["dct"] = "http://purl.org/dc/terms/";
  out["examples"] = {{"@id", "cr:examples"}, {"@type", "@json"}};
  for (const char* name : {"annotation", "arrayShape",    "containedIn", "equivalentProperty",
                           "excludes",   "extract",       "field",       "fileProperty",
                           "fileObject", "fileSet",       "format",      "includes",
                           "isArray",    "isLiveDataset", "jsonPath",    "key",
                           "md5",        "parentField",   "path",        "readLines",
                           "recordSet",  "references",    "regex",       "repeated",
                           "replace",    "samplingRate",  "sdVersion",   "separator",
                           "source",     "subField",      "transform",   "unArchive"}) {
    out[name] = std::string("cr:") + name;
  }
  out["sc"] = "https://schema.org/";
  return out;
}

Json person(const Contact& who) {
  const bool is_person = !who.organization.empty() && !who.name.empty();
  Json out = {{"@type", is_person ? "sc:Person" : "sc:Organization"}};
  out["name"] = name_of(who).empty() ? "unknown" : name_of(who);
  set_text(out, "email", who.email);
  if (is_url(who.url)) out["url"] = who.url;
  if (is_person) out["affiliation"] = {{"@type", "sc:Organization"}, {"name", who.organization}};
  return out;
}

Json people(const std::vector<Contact>& all) {
  Json out = Json::array();
  for (const Contact& who : all) out.push_back(person(who));
  return out;
}

/// What Croissant calls the type of a column, and how deep its lists are.
std::pair<const char*, int> data_type(std::string_view type) {
  for (const char* list : {"list<item: ", "large_list<item: ", "fixed_size_list<item: "}) {
    if (!type.starts_with(list)) continue;
    const auto [inner, depth] = data_type(type.substr(std::string_view(list).size()));
    return {inner, depth + 1};
  }
  if (type.starts_with("int") || type.starts_with("uint")) return {"sc:Integer", 0};
  if (type.starts_with("float") || type.starts_with("double") || type.starts_with("halffloat")) return {"sc:Float", 0};
  if (type.starts_with("bool")) return {"sc:Boolean", 0};
  if (type.starts_with("timestamp") || type.starts_with("date")) return {"sc:DateTime", 0};
  return {"sc:Text", 0};
}

Json one_or_all(const Json& list) { return list.size() == 1 ? list[0] : list; }

Json reference(const std::string& id) { return {{"@id", id}}; }

std::string sha256_of_file(const std::string& path) {
  const auto file = local_storage()->open(path);
  Bytes buffer(1 << 20);
  uint64_t position = 0;
  return hex(sha256([&] {
    const auto size = std::min<uint64_t>(buffer.size(), file->size() - position);
    const auto piece = std::span(buffer).first(static_cast<std::size_t>(size));
    file->read(position, piece);
    position += piece.size();
    return std::span<const std::byte>(piece);
  }));
}

/// The files that can be downloaded, and the table of each level among them.
class Distribution {
 public:
  explicit Distribution(const Facts& facts) : facts_(facts) {
    for (const auto& file : facts.files) add_file(file, media_type(facts.format));
    for (const auto& file : facts.tables) add_file(file, kCroissantParquet);
    // Other tools read the footer of a Tortilla only from a table beside it, which has level 0 alone.
    const std::size_t num_levels = is_v1(facts.format) ? facts.tables.size() : facts.levels.size();
    for (std::size_t level = 0; level < num_levels; ++level) {
      tables_.push_back(facts.tables.empty() ? add_level(level)
                                             : Json{{"fileObject", reference(facts.tables[level].name)}});
    }
  }

  const Json& json() const { return out_; }
  /// The number of levels that other tools can read.
  std::size_t num_tables() const { return tables_.size(); }
  /// The source of the fields of a level.
  const Json& table(std::size_t level) const { return tables_[level]; }
  /// Whether mlcroissant reads the tables: not as a set of files in several ZIPs.
  bool has_readable_tables() const { return !tables_.empty() && tables_[0].contains("fileObject"); }

  /// Adds the files `includes` of all samples, in the ZIPs or the FOLDER, and returns their source.
  Json add_files(const std::string& id, const std::string& includes, const std::string& type) {
    Json one = {{"@type", "cr:FileSet"}, {"@id", id}, {"name", id}, {"includes", includes}, {"encodingFormat", type}};
    if (!facts_.files.empty()) one["containedIn"] = containers();
    // mlcroissant reads the files of a folder by their type: as this one byte by byte, others not at all, or after a
    // conversion to 8-bit RGB.
    if (facts_.files.empty()) one["encodingFormat"] = {"text/plain", type};
    out_.push_back(std::move(one));
    return {{"fileSet", reference(id)}};
  }

 private:
  void add_file(const DataFile& file, const char* type) {
    Json one = {{"@type", "cr:FileObject"}, {"@id", file.name}, {"name", file.name}};
    // A relative path for a file beside the description, which readers resolve against it.
    one["contentUrl"] = facts_.base_url.empty() ? file.name : facts_.href(file.name);
    if (file.size_bytes) one["contentSize"] = std::to_string(*file.size_bytes) + " B";
    if (facts_.has_checksums && file.size_bytes && !is_remote(facts_.folder)) {
      one["sha256"] = sha256_of_file(path_join(facts_.folder, file.name));
    } else if (facts_.has_checksums) {
      log::warning("Croissant requires the SHA-256 of " + tacore::in_quotes(file.name) +
                   ", which is remote and would have to be downloaded; describe a local copy");
    }
    one["encodingFormat"] = type;
    out_.push_back(std::move(one));
  }

  Json containers() const {
    Json out = Json::array();
    for (const auto& file : facts_.files) out.push_back(reference(file.name));
    return one_or_all(out);
  }

  /// In the one ZIP, or in each of several. ZIPs of TACO store their tables as they are, so any reader of Croissant
  /// finds them.
  Json add_level(std::size_t level) {
    const std::string id = "level" + std::to_string(level) + ".parquet";
    const std::string path = std::string(names::kMetadata) + std::string(names::kLevelFiles[level]);
    const bool is_one = facts_.files.size() == 1;
    Json one = {{"@type", is_one ? "cr:FileObject" : "cr:FileSet"}, {"@id", id}, {"name", id}};
    one["containedIn"] = containers();
    one[is_one ? "contentUrl" : "includes"] = path;
    one["encodingFormat"] = kCroissantParquet;
    out_.push_back(std::move(one));
    return {{is_one ? "fileObject" : "fileSet", reference(id)}};
  }

  const Facts& facts_;
  Json out_ = Json::array();
  std::vector<Json> tables_ = {};
};

Json new_field(const std::string& set, const std::string& name, const Json& type) {
  return {{"@type", "cr:Field"},
          {"@id", set + "/" + percent_encoded(name, true)},
          {"name", set + "/" + name},
          {"dataType", type}};
}

Json new_record_set(const std::string& id, const std::string& description, const Json& fields) {
  return {{"@type", "cr:RecordSet"}, {"@id", id}, {"name", id}, {"description", description}, {"field", fields}};
}

/// The value of a class, which its category is, as a number.
std::optional<int64_t> value_of(const LabelClass& label) {
  int64_t out = 0;
  const char* end = label.category.data() + label.category.size();
  const auto [last, error] = std::from_chars(label.category.data(), end, out);
  return error == std::errc() && last == end && !label.category.empty() ? std::optional(out) : std::nullopt;
}

bool have_values(const std::vector<LabelClass>& labels) {
  return std::ranges::all_of(labels, [](const LabelClass& each) { return value_of(each).has_value(); });
}

/// Whether a column, or a file of a sample, has the name of a label.
bool is_named_as_label(const std::string& path) {
  const std::string name = lower(file_name(path));
  const std::string stem = name.substr(0, name.find('.'));
  return std::ranges::any_of(std::initializer_list<const char*>{"label", "labels", "mask", "masks", "class", "target"},
                             [&](const char* each) { return stem == each; });
}

/// Whether the description of a column lists the classes of the dataset, as `fields` of create() writes them: "0 =
/// water, 1 = forest".
bool has_classes(const FieldDescription& field, const std::vector<LabelClass>& labels) {
  std::vector<std::string> classes;
  for (const LabelClass& each : labels) classes.push_back(each.category + " = " + each.name);
  return !classes.empty() && field.description.ends_with(join(classes, ", "));
}

/// The enumeration that the values of a column are from: of splits or of classes. Null for other columns.
Json enumeration_of(const FieldDescription& field, const LevelFacts& level, const Facts& facts) {
  const auto to = [](const char* id) { return Json{{"field", reference(id)}}; };
  if (field.type == "string" && (field.name == "split" || field.name == "tortilla:data_split")) {
    return level.splits.empty() || level.splits.size() == kMostSplits ? Json() : to("splits/name");
  }
  if (!has_classes(field, facts.labels)) return {};
  if (field.type == "string") return to("labels/category");
  const bool is_whole =
      std::string_view(data_type(field.type).first) == "sc:Integer" && data_type(field.type).second == 0;
  return is_whole && have_values(facts.labels) ? to("labels/value") : Json();
}

Json record_set(const Facts& facts, std::size_t number, const Json& table) {
  const std::string id = "level" + std::to_string(number);
  const LevelFacts& level = facts.levels[number];
  Json fields = Json::array();
  for (const FieldDescription& column : level.fields) {
    const auto [type, depth] = data_type(column.type);
    const bool is_label = depth == 0 && (has_classes(column, facts.labels) || is_named_as_label(column.name));
    Json field = new_field(id, column.name, is_label ? Json{type, "cr:Label"} : Json(type));
    set_text(field, "description", column.description);
    if (depth > 0) {
      field["isArray"] = true;
      field["arrayShape"] = join(std::vector<std::string>(static_cast<std::size_t>(depth), "-1"), ",");
    }
    field["source"] = table;
    field["source"]["extract"] = {{"column", column.name}};
    if (const Json to = enumeration_of(column, level, facts); !to.is_null()) field["references"] = to;
    fields.push_back(std::move(field));
  }
  return new_record_set(id, number == 0 ? "The samples" : "The samples at level " + std::to_string(number), fields);
}

/// The media type of files with these suffixes.
std::string type_of(const std::set<std::string>& suffixes) {
  static const std::map<std::string, const char*> known = {{".png", "image/png"},
                                                           {".jpg", "image/jpeg"},
                                                           {".jpeg", "image/jpeg"},
                                                           {".tif", "image/tiff; application=geotiff"},
                                                           {".tiff", "image/tiff; application=geotiff"}};
  std::set<std::string> types;
  for (const auto& suffix : suffixes) {
    const auto found = known.find(suffix);
    types.insert(found == known.end() ? "application/octet-stream" : found->second);
  }
  return types.size() == 1 ? *types.begin() : "application/octet-stream";
}

/// Text that stands for itself in a glob pattern, and in a regular expression of Python.
std::string escape_glob(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += std::string_view("*?[").find(c) == std::string_view::npos ? std::string(1, c) : std::string("[") + c + "]";
  return out;
}
std::string escape_regex(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\.^$*+?()[]{}|").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

constexpr std::size_t kMostJoined = 13;  // files of a sample; mlcroissant takes 2 s to open this many, 8 s for 16

/// A field that takes its values from a field of another record set.
Json copied_field(const std::string& set, const std::string& name, const Json& types, const std::string& from) {
  Json out = new_field(set, name, types);
  out["source"] = {{"field", reference(from)}};
  return out;
}

/// What a reader makes of a file. mlcroissant opens PNG and JPEG with Pillow, and takes others, whose first type is
/// text, as bytes: it would multiply the pixels of a TIFF by 255 and keep 8 bits of them.
Json types_of_content(const std::string& asset, const std::string& media_type) {
  const bool is_picture = media_type == "image/png" || media_type == "image/jpeg";
  Json out = Json::array({is_picture ? "sc:ImageObject" : "sc:Text"});
  if (media_type.starts_with("image/tiff")) out.push_back("sc:ImageObject");
  if (is_named_as_label(asset)) out.push_back("cr:Label");
  return out.size() == 1 ? out[0] : out;
}

/// The record sets of the files of samples, and of the samples with all of them. A reader joins two sources at a time:
/// the first files to the ids of the table, as padded samples may lack files, the second files to the result, and so
/// on. The joins are a tree, as mlcroissant follows every way through the fields of a chain, whose number is its
/// factorial.
class SampleSets {
 public:
  SampleSets(const Facts& facts, Distribution& distribution, Json& records)
      : facts_(facts), distribution_(distribution), records_(records), table_(records[0]["field"]) {}

  void add() {
    for (const std::string& asset : asset_names(facts_, 0)) add_files(asset);
    if (!contents_.empty() && contents_.size() <= kMostJoined) add_samples(joined(0, contents_.size(), false));
  }

 private:
  /// The files of one name of all samples: the record set `set` with the fields `id` and `content`.
  struct Content {
    std::string name = {};
    Json types = {};
    std::string set = {};
  };

  static std::string encoded(const std::string& name) { return percent_encoded(name, true); }

  void add_files(const std::string& asset) {
    const bool is_root = facts_.collection.pit_schema.root_type == SampleType::File;
    const std::string type = type_of(is_root ? facts_.suffixes : std::set{suffix_of(asset)});
    const std::string data(names::kData), name = percent_encoded(asset, false), set = "files/" + name;
    const Json source =
        distribution_.add_files(data + name, data + "*" + (is_root ? "" : "/" + escape_glob(asset)), type);
    contents_.push_back({asset, types_of_content(asset, type), set});
    Json id = new_field(set, "id", "sc:Text"), content = new_field(set, "content", contents_.back().types);
    id["source"] = source;
    id["source"]["extract"] = {{"fileProperty", "fullpath"}};
    id["source"]["transform"] = {{"regex", "^" + data + "([^/]+)" + (is_root ? "" : "/" + escape_regex(asset)) + "$"}};
    content["source"] = source;
    content["source"]["extract"] = {{"fileProperty", "content"}};
    const std::string what = is_root ? "The files of the samples" : "The files " + asset + " of the samples";
    records_.push_back(new_record_set(set, what, {id, content}));
  }

  /// A record set with the contents [begin, end).
  struct Join {
    std::string set = {};
    std::size_t begin = 0, end = 0;
    bool is_file_set = false;  ///< of add_files()
  };

  std::string content_of(const Join& from, std::size_t at) const {
    return from.set + (from.is_file_set ? "/content" : "/" + encoded("content/" + contents_[at].name));
  }

  /// The record set of these contents; `is_complete`: with the ids of all samples, whether they have the files or not.
  Join joined(std::size_t begin, std::size_t end, bool is_complete) {
    const Join files{contents_[begin].set, begin, begin + 1, true};
    if (end - begin == 1) return is_complete ? join(id_of_table()["source"], {}, files) : files;
    const std::size_t middle = begin + (end - begin + 1) / 2;
    const Join left = joined(begin, middle, true), right = joined(middle, end, false);
    return join({{"field", reference(left.set + "/id")}}, left, right);
  }

  Join join(const Json& ids, const Join& left, const Join& right) {
    const std::size_t begin = left.set.empty() ? right.begin : left.begin;
    const auto name_at = [&](std::size_t at) { return percent_encoded(contents_[at].name, false); };
    const bool is_one = right.end - begin == 1;
    const std::string set = "joined/" + name_at(begin) + (is_one ? "" : ".." + name_at(right.end - 1));
    Json id = new_field(set, "id", "sc:Text");
    id["source"] = ids;
    id["references"] = {{"field", reference(right.set + "/id")}};
    Json fields = Json::array({id});
    for (std::size_t at = begin; at < right.end; ++at) {
      const Content& each = contents_[at];
      fields.push_back(
          copied_field(set, "content/" + each.name, each.types, content_of(at < right.begin ? left : right, at)));
    }
    records_.push_back(new_record_set(set, "Files of the samples, for the record set samples", fields));
    return {set, begin, right.end, false};
  }

  void add_samples(const Join& files) {
    Json fields = Json::array();
    std::set<std::string> taken;
    for (const Json& column : table_) {
      const std::string id = column["@id"].get<std::string>(), name = column["name"].get<std::string>();
      Json field = column;  // of the table, not of level0: mlcroissant cannot go through a record set twice
      field["@id"] = "samples" + id.substr(id.find('/'));
      field["name"] = "samples" + name.substr(name.find('/'));
      if (id == "level0/id") field["references"] = {{"field", reference(files.set + "/id")}};
      taken.insert(field["name"].get<std::string>());
      // The id comes first, as mlcroissant joins by the first field with a reference.
      fields.insert(id == "level0/id" ? fields.begin() : fields.end(), field);
    }
    for (std::size_t at = 0; at < contents_.size(); ++at) {
      std::string name = contents_[at].name;
      while (!taken.insert("samples/" + name).second) name += "_";
      fields.push_back(copied_field("samples", name, contents_[at].types, content_of(files, at)));
    }
    records_.push_back(new_record_set("samples", "The samples with their files", fields));
  }

  const Json& id_of_table() const {
    return *std::ranges::find_if(table_, [](const Json& field) { return field["@id"] == "level0/id"; });
  }

  const Facts& facts_;
  Distribution& distribution_;
  Json& records_;
  Json table_;
  std::vector<Content> contents_ = {};
};

/// Whether other tools find the files of the samples: in ZIPs, or in a FOLDER beside the description.
bool can_load_files(const Facts& facts) {
  if (is_v1(facts.format)) return false;
  if (facts.format == Format::Folder) return facts.base_url.empty();
  if (!facts.has_repeated_ids) return !facts.files.empty();
  log::warning(
      "samples in several files have the same id, so Croissant cannot say which file belongs to which sample: "
      "it has their metadata, without the content of files");
  return false;
}

/// The classes of labels. `labels/value` is what a column of whole numbers has.
Json label_set(const Facts& facts) {
  const bool with_values = have_values(facts.labels);
  Json rows = Json::array(), fields = Json::array();
  for (const char* name : {"name", "category", "description"}) fields.push_back(new_field("labels", name, "sc:Text"));
  if (with_values) fields.push_back(new_field("labels", "value", "sc:Integer"));
  for (const auto& label : facts.labels) {
    rows.push_back(
        {{"labels/name", label.name}, {"labels/category", label.category}, {"labels/description", label.description}});
    if (with_values) rows.back()["labels/value"] = *value_of(label);
  }
  Json out =
      new_record_set("labels", facts.label_description.empty() ? "The classes" : facts.label_description, fields);
  out["dataType"] = "sc:Enumeration";
  out["key"] = reference("labels/name");
  out["data"] = rows;
  return out;
}

/// The names of the splits and, where Croissant has a term for each of them, these terms: each row of a record set has
/// all fields. Null without splits.
Json split_set(const Facts& facts) {
  static const std::map<std::string, const char*> known = {
      {"train", "cr:TrainingSplit"},        {"training", "cr:TrainingSplit"}, {"val", "cr:ValidationSplit"},
      {"validation", "cr:ValidationSplit"}, {"test", "cr:TestSplit"},         {"testing", "cr:TestSplit"}};
  std::set<std::string> names;
  for (const LevelFacts& level : facts.levels) names.insert(level.splits.begin(), level.splits.end());
  if (names.empty()) return {};
  const bool all_known =
      std::all_of(names.begin(), names.end(), [](auto& name) { return known.contains(lower(name)); });
  Json rows = Json::array(), fields = Json::array();
  fields.push_back(new_field("splits", "name", "sc:Text"));
  if (all_known) fields.push_back(new_field("splits", "url", "sc:URL"));
  for (const auto& name : names) {
    Json row = {{"splits/name", name}};
    if (all_known) row["splits/url"] = known.at(lower(name));
    rows.push_back(std::move(row));
  }
  Json out = new_record_set("splits", facts.split_strategy.empty() ? "The splits" : facts.split_strategy, fields);
  out["dataType"] = "cr:Split";
  out["key"] = reference("splits/name");
  out["data"] = rows;
  return out;
}

void add_coverage(const Extent& extent, Json& out) {
  if (const auto& box = extent.spatial) {
    const auto number = [](double value) { return Json(value).dump(); };
    const std::string text =
        number(box->miny) + " " + number(box->minx) + " " + number(box->maxy) + " " + number(box->maxx);
    out["spatialCoverage"] = {{"@type", "sc:Place"}, {"geo", {{"@type", "sc:GeoShape"}, {"box", text}}}};
  }
  if (const auto& time = extent.temporal) {
    const auto text = [](Timestamp at) { return is_open(at) ? std::string("..") : at.to_string(); };
    out["temporalCoverage"] = text(time->start) + "/" + text(time->end);
  }
}

/// "data_biases" as the vocabulary spells it: "rai:dataBiases".
std::string rai_name(const std::string& key) {
  std::string out;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool raised = key[i] == '_' && i + 1 < key.size() && key[i + 1] >= 'a' && key[i + 1] <= 'z';
    out += raised ? static_cast<char>(key[++i] - 32) : key[i];
  }
  return out;
}

}  // namespace

Json croissant(const Facts& facts) {
  const Collection& collection = facts.collection;
  Json out = {{"@context", context()}, {"@type", "sc:Dataset"}};
  out["conformsTo"] = "http://mlcommons.org/croissant/1.1";
  if (!facts.statements.empty()) {
    out["conformsTo"] = {"http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"};
  }
  out["name"] = collection.id;
  if (facts.title() != collection.id) out["alternateName"] = facts.title();
  out["description"] = collection.description.empty() ? facts.title() : collection.description;
  Json licences = Json::array(), citations = Json::array();
  for (const auto& text : collection.licenses) {
    licences.push_back(spdx_of(text).empty() ? text : "https://spdx.org/licenses/" + spdx_of(text) + ".html");
  }
  if (!licences.empty()) out["license"] = one_or_all(licences);
  out["url"] = facts.url();
  if (is_url(facts.raw_link.href)) out["sameAs"] = facts.raw_link.href;
  set_text(out, "version", collection.dataset_version);
  if (const auto keywords = facts.keywords(); !keywords.empty()) out["keywords"] = keywords;
  if (!collection.providers.empty()) out["creator"] = one_or_all(people(collection.providers));
  if (const auto curators = facts.curators(); !curators.empty()) out["contributor"] = one_or_all(people(curators));
  set_text(out, "datePublished", facts.published);
  std::vector<Publication> works = facts.publications;
  works.insert(works.begin(), facts.self);
  for (const auto& each : works) {
    if (!each.citation.empty()) citations.push_back(each.citation);
  }
  if (!citations.empty()) out["citeAs"] = citations[0];
  if (citations.size() > 1) out["citation"] = citations;
  add_coverage(collection.extent, out);
  for (const auto& [key, text] : facts.statements) out[rai_name(key)] = text;
  out["isLiveDataset"] = false;
  Distribution distribution(facts);
  Json records = Json::array();
  for (std::size_t level = 0; level < distribution.num_tables(); ++level) {
    records.push_back(record_set(facts, level, distribution.table(level)));
  }
  if (can_load_files(facts) && distribution.has_readable_tables()) SampleSets(facts, distribution, records).add();
  out["distribution"] = distribution.json();
  if (const Json splits = split_set(facts); !splits.is_null()) records.push_back(splits);
  if (!facts.labels.empty()) records.push_back(label_set(facts));
  out["recordSet"] = records;
  return out;
}

}  // namespace descriptions

std::string collection2croissant(const Dataset& dataset, const DescribeOptions& options) {
  return descriptions::dump(descriptions::croissant(descriptions::gather(dataset, options)));
}

}  // namespace tacore
