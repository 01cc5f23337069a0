#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/epoch.hpp"
#include "base/log.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "describe/document.hpp"
#include "format/names.hpp"
#include "io/byte_source.hpp"
#include "io/vsi_path.hpp"

namespace tacore {
namespace descriptions {
namespace {

constexpr const char* kCroissantParquet = "application/x-parquet";

/// The context of Croissant 1.0, which every document carries.
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
  for (const char* name : {"equivalentProperty",
                           "extract",
                           "field",
                           "fileProperty",
                           "fileObject",
                           "fileSet",
                           "format",
                           "includes",
                           "isLiveDataset",
                           "jsonPath",
                           "key",
                           "md5",
                           "parentField",
                           "path",
                           "recordSet",
                           "references",
                           "regex",
                           "repeated",
                           "replace",
                           "samplingRate",
                           "separator",
                           "source",
                           "subField",
                           "transform"}) {
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

/// What Croissant calls the type of a column, and whether there are several values in a cell.
std::pair<const char*, bool> data_type(std::string_view type) {
  const auto item = type.rfind("item: ");
  if (type.starts_with("list<") || type.starts_with("large_list<") || type.starts_with("fixed_size_list<")) {
    const auto inner = item == type.npos ? type : type.substr(item + 6);
    return {data_type(inner.substr(0, inner.find('>'))).first, true};
  }
  if (type.starts_with("int") || type.starts_with("uint")) return {"sc:Integer", false};
  if (type.starts_with("float") || type.starts_with("double") || type.starts_with("halffloat"))
    return {"sc:Float", false};
  if (type.starts_with("bool")) return {"sc:Boolean", false};
  if (type.starts_with("timestamp") || type.starts_with("date")) return {"sc:DateTime", false};
  return {"sc:Text", false};
}

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

 private:
  void add_file(const DataFile& file, const char* type) {
    Json one = {{"@type", "cr:FileObject"}, {"@id", file.name}, {"name", file.name}};
    // A relative path for a file beside the description, which readers resolve against it.
    one["contentUrl"] = facts_.base_url.empty() ? file.name : facts_.href(file.name);
    if (file.size_bytes) one["contentSize"] = std::to_string(*file.size_bytes) + " B";
    if (file.size_bytes) {
      one["sha256"] = sha256_of_file(path_join(facts_.folder, file.name));
    } else {
      log::warning("Croissant requires the SHA-256 of " + tacore::quoted(file.name) +
                   ", which is remote and would have to be downloaded; describe a local copy");
    }
    one["encodingFormat"] = type;
    out_.push_back(std::move(one));
  }

  /// In the one ZIP, or in each of several. ZIPs of TACO store their tables as they are, so any reader of Croissant
  /// finds them.
  Json add_level(std::size_t level) {
    const std::string id = "level" + std::to_string(level) + ".parquet";
    const std::string path = std::string(names::kMetadata) + std::string(names::kLevelFiles[level]);
    const bool is_one = facts_.files.size() == 1;
    Json one = {{"@type", is_one ? "cr:FileObject" : "cr:FileSet"}, {"@id", id}, {"name", id}};
    Json in = Json::array();
    for (const auto& file : facts_.files) in.push_back(reference(file.name));
    one["containedIn"] = is_one ? in[0] : in;
    one[is_one ? "contentUrl" : "includes"] = path;
    one["encodingFormat"] = kCroissantParquet;
    out_.push_back(std::move(one));
    return {{is_one ? "fileObject" : "fileSet", reference(id)}};
  }

  const Facts& facts_;
  Json out_ = Json::array();
  std::vector<Json> tables_ = {};
};

Json record_set(const LevelFacts& level, std::size_t number, const Json& table) {
  const std::string id = "level" + std::to_string(number);
  Json fields = Json::array();
  for (const auto& [name, type, description] : level.fields) {
    const auto [data, repeated] = data_type(type);
    Json field = {{"@type", "cr:Field"}, {"@id", id + "/" + percent_encoded(name, true)}, {"name", id + "/" + name}};
    set_text(field, "description", description);
    field["dataType"] = data;
    if (repeated) field["repeated"] = true;
    field["source"] = table;
    field["source"]["extract"] = {{"column", name}};
    fields.push_back(std::move(field));
  }
  return {{"@type", "cr:RecordSet"},
          {"@id", id},
          {"name", id},
          {"description", number == 0 ? std::string("The samples") : "The samples at level " + std::to_string(number)},
          {"field", fields}};
}

Json label_set(const Facts& facts) {
  Json rows = Json::array(), fields = Json::array();
  for (const char* name : {"name", "category", "description"}) {
    const std::string id = std::string("labels/") + name;
    fields.push_back({{"@type", "cr:Field"}, {"@id", id}, {"name", id}, {"dataType", "sc:Text"}});
  }
  for (const auto& label : facts.labels) {
    rows.push_back(
        {{"labels/name", label.name}, {"labels/category", label.category}, {"labels/description", label.description}});
  }
  return {{"@type", "cr:RecordSet"},      {"@id", "labels"}, {"name", "labels"},
          {"dataType", "sc:Enumeration"}, {"field", fields}, {"data", rows}};
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
  const auto add_field = [&](const char* id, const char* type) {
    fields.push_back({{"@type", "cr:Field"}, {"@id", id}, {"name", id}, {"dataType", type}});
  };
  add_field("splits/name", "sc:Text");
  if (all_known) add_field("splits/url", "sc:URL");
  for (const auto& name : names) {
    Json row = {{"splits/name", name}};
    if (all_known) row["splits/url"] = known.at(lower(name));
    rows.push_back(std::move(row));
  }
  return {{"@type", "cr:RecordSet"},         {"@id", "splits"}, {"name", "splits"}, {"dataType", "cr:Split"},
          {"key", reference("splits/name")}, {"field", fields}, {"data", rows}};
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

Json one_or_all(const Json& list) { return list.size() == 1 ? list[0] : list; }

}  // namespace

Json croissant(const Facts& facts) {
  const Collection& collection = facts.collection;
  Json out = {{"@context", context()}, {"@type", "sc:Dataset"}};
  out["conformsTo"] = "http://mlcommons.org/croissant/1.0";
  if (!facts.statements.empty()) {
    out["conformsTo"] = {"http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"};
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
  const Distribution distribution(facts);
  out["distribution"] = distribution.json();
  Json records = Json::array();
  for (std::size_t level = 0; level < distribution.num_tables(); ++level) {
    records.push_back(record_set(facts.levels[level], level, distribution.table(level)));
  }
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
