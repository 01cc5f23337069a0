#include "model/collection_json.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/epoch.hpp"
#include "base/text.hpp"
#include "model/identifier.hpp"
#include "model/json_node.hpp"
#include "model/json_text.hpp"

namespace tacore {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// The last two are other names that published documents have for `taco:sources` and `curators`.
constexpr std::string_view kMembers[] = {"id",
                                         "dataset_version",
                                         "description",
                                         "licenses",
                                         "providers",
                                         "tasks",
                                         "taco_version",
                                         "title",
                                         "curators",
                                         "keywords",
                                         "extent",
                                         "taco:pit_schema",
                                         "taco:field_schema",
                                         "taco:sources",
                                         "_tacocat",
                                         "data_curator"};

std::vector<std::string> parse_texts(const JsonNode& node) {
  std::vector<std::string> out;
  for (const JsonNode& element : node.elements_or_self()) out.push_back(element.text());
  return out;
}

/// Identifiers, or objects that hold them: `{name}`, `{licenseList: [{name}]}`.
std::vector<std::string> parse_licenses(const JsonNode& node) {
  if (node.value().is_object() && node.value().contains("licenseList")) {
    return parse_licenses(node["licenseList"]);
  }
  std::vector<std::string> out;
  for (const JsonNode& licence : node.elements_or_self()) {
    out.push_back(licence.value().is_object() ? licence["name"].text() : licence.text());
  }
  return out;
}

/// `email` or `emails`: a string, `{value}`, or a list of either, of which the first is kept.
std::string parse_email(const JsonNode& contact) {
  for (const char* key : {"email", "emails"}) {
    const auto emails = contact[key].elements_or_self();
    if (emails.empty()) continue;
    return emails[0].value().is_object() ? emails[0]["value"].text() : emails[0].text();
  }
  return "";
}

Contact parse_contact(const JsonNode& node) {
  if (node.value().is_string()) return {.name = node.text()};
  const JsonNode& contact = node.object();
  return {.name = contact["name"].text_or_empty(),
          .organization = contact["organization"].text_or_empty(),
          .email = parse_email(contact),
          .role = contact["role"].text_or_empty(),
          .roles = parse_texts(contact["roles"]),
          .url = contact["url"].text_or_empty()};
}

std::vector<Contact> parse_contacts(const JsonNode& node) {
  std::vector<Contact> out;
  for (const JsonNode& element : node.elements_or_self()) out.push_back(parse_contact(element));
  return out;
}

JsonNode curators_of(const JsonNode& root) {
  const JsonNode curators = root["curators"];
  return curators.is_null() ? root["data_curator"] : curators;
}

std::optional<BBox> parse_spatial(const JsonNode& node) {
  if (node.is_null()) return std::nullopt;
  const auto bounds = node.elements();
  if (bounds.size() != 4) {
    node.fail("has " + std::to_string(bounds.size()) + " numbers, expected 4: west, south, east, north");
  }
  const BBox out{bounds[0].number(), bounds[1].number(), bounds[2].number(), bounds[3].number()};
  if (!out.valid()) node.fail("has a south beyond its north");
  return out;
}

/// One end of an interval as TimeRange::parse takes it: a null end is an open one. A year or month alone is no time
/// here. Throws QueryError.
std::string parse_time(const JsonNode& node) {
  const std::string out = node.is_null() ? ".." : node.text();
  if (out.find('/') != out.npos) node.fail("is an interval, expected a time");
  if (out.size() < std::string_view("YYYY-MM-DD").size() && out != ".." && !out.empty()) (void)Timestamp::parse(out);
  return out;
}

std::optional<TimeRange> parse_temporal(const JsonNode& node) {
  const auto ends = node.elements();
  if (ends.empty()) return std::nullopt;
  if (ends.size() != 2) {
    node.fail("has " + std::to_string(ends.size()) + " times, expected 2: start, end");
  }
  if (ends[0].is_null() && ends[1].is_null()) return std::nullopt;
  try {
    return TimeRange::parse(parse_time(ends[0]) + "/" + parse_time(ends[1]));
  } catch (const QueryError& error) {
    node.fail(std::string("is not an interval: ") + error.what());
  }
}

/// An extent that is absent, or the spatial and temporal members of a larger object.
Extent parse_extent(const JsonNode& node) {
  if (node.is_null()) return {};
  return {parse_spatial(node.object()["spatial"]), parse_temporal(node["temporal"])};
}

FieldDescription parse_field(const JsonNode& node) {
  const auto parts = node.elements();
  if (parts.size() < 2 || parts.size() > 3) {
    node.fail("has " + std::to_string(parts.size()) + " parts, expected name, type, description");
  }
  return {.name = parts[0].text(),
          .type = parts[1].text(),
          .description = parts.size() == 3 ? parts[2].text_or_empty() : std::string()};
}

std::map<std::string, std::vector<FieldDescription>> parse_field_schema(const JsonNode& node) {
  if (node.is_null()) return {};
  std::map<std::string, std::vector<FieldDescription>> out;
  for (const auto& [level, fields] : node.object().value().items()) {
    auto& list = out[level];
    for (const JsonNode& field : node[level].elements()) list.push_back(parse_field(field));
  }
  return out;
}

/// A partition is opened as a path below the folder of the index, so its name must stay there.
std::string parse_file(const JsonNode& node) {
  const std::string out = node.text();
  for (const auto& part : split(out, '/')) {
    if (const auto why = why_unsafe_id(part); !why.empty()) {
      node.fail("is " + tacore::in_quotes(out) + ", not a path below the index: a part " + why);
    }
  }
  return out;
}

void add_ids(std::vector<Source>& sources, const JsonNode& node) {
  const auto ids = node.elements();
  if (!ids.empty() && ids.size() != sources.size()) {
    node.fail("has " + std::to_string(ids.size()) + " entries for " + std::to_string(sources.size()) + " files");
  }
  for (std::size_t i = 0; i < ids.size(); ++i) sources[i].id = ids[i].text_or_empty();
}

/// Extents belong to the file they name, and those without a name to the file at their position.
void add_extents(std::vector<Source>& sources, const JsonNode& node) {
  std::unordered_map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < sources.size(); ++i) positions.emplace(sources[i].file, i);
  const auto extents = node.elements();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].is_null()) continue;
    const std::string file = extents[i].object()["file"].text_or_empty();
    const auto named = positions.find(file);
    if (!file.empty() && named == positions.end()) {
      extents[i].fail("is of " + tacore::in_quotes(file) + ", which is none of the files");
    }
    // Of several files with one name, the document means the one at the same position.
    const bool is_here = i < sources.size() && sources[i].file == file;
    const std::size_t at = named != positions.end() && !is_here ? named->second : i;
    if (at >= sources.size()) extents[i].fail("belongs to none of the files");
    sources[at].extent = parse_extent(extents[i]);
    if (sources[at].id.empty()) sources[at].id = extents[i]["id"].text_or_empty();
  }
}

std::vector<Source> parse_sources(const JsonNode& node) {
  if (node.is_null()) return {};
  std::vector<Source> out;
  for (const JsonNode& file : node.object()["files"].elements()) {
    out.push_back({.file = parse_file(file)});
  }
  const JsonNode count = node["count"];
  if (!count.is_null() && count.number() != static_cast<double>(out.size())) {
    count.fail("is " + count.value().dump() + ", but files has " + std::to_string(out.size()));
  }
  add_ids(out, node["ids"]);
  add_extents(out, node["extents"]);
  return out;
}

/// A `__TACOCAT__` file names its parts alone (format/tacocat_header.hpp): what they cover is unknown.
std::vector<Source> parse_parts(const JsonNode& node) {
  if (node.is_null()) return {};
  std::vector<Source> out;
  for (const JsonNode& file : node.object()["dataset_sources"].elements()) out.push_back({.file = parse_file(file)});
  return out;
}

PitSchema parse_pit_schema(const JsonNode& node, const std::string& path) {
  if (node.is_null()) node.fail("is missing");
  try {
    return PitSchema::parse(node.value().dump());
  } catch (const SchemaError& error) {
    throw SchemaError(error.what(), {.path = path});
  }
}

/// nullopt when the member is null or absent.
template <class Parse>
auto parse_optional(const JsonNode& node, Parse parse) -> std::optional<decltype(parse(node))> {
  if (node.is_null()) return std::nullopt;
  return parse(node);
}

ordered_json text_or_null(const std::string& text) { return text.empty() ? ordered_json() : ordered_json(text); }

template <class T>
ordered_json value_or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

ordered_json encode_contact(const Contact& contact) {
  ordered_json out = {{"name", text_or_null(contact.name)},
                      {"organization", text_or_null(contact.organization)},
                      {"email", text_or_null(contact.email)},
                      {"role", text_or_null(contact.role)}};
  if (!contact.roles.empty()) out["roles"] = contact.roles;
  if (!contact.url.empty()) out["url"] = contact.url;
  return out;
}

/// True for `emails` that say no more than `email` does.
bool is_one_address(const json& emails) {
  const json& one = emails.is_array() && emails.size() == 1 ? emails[0] : emails;
  return one.is_string() || (one.is_object() && one.size() == 1);
}

/// Members that Contact lacks (`links`, several e-mails) stay with the contacts that are unchanged.
ordered_json encode_contacts(const std::vector<Contact>& contacts, const JsonNode& document) {
  std::map<std::string, json> others;
  for (const JsonNode& node : document.elements_or_self()) {
    if (node.value().is_object()) others.emplace(encode_contact(parse_contact(node)).dump(), node.value());
  }
  auto out = ordered_json::array();
  for (const Contact& contact : contacts) {
    ordered_json& encoded = out.emplace_back(encode_contact(contact));
    const auto found = others.find(encoded.dump());
    if (found == others.end()) continue;
    for (const auto& [key, value] : found->second.items()) {
      const bool is_said = value.is_null() || (key == "emails" && is_one_address(value));
      if (!is_said && !encoded.contains(key)) encoded[key] = value;
    }
  }
  return out;
}

ordered_json encode_spatial(const BBox& box) { return ordered_json::array({box.minx, box.miny, box.maxx, box.maxy}); }

ordered_json encode_time(Timestamp time) { return is_open(time) ? ordered_json() : ordered_json(time.to_string()); }

/// Null also for a range that is open on both sides, which says nothing.
ordered_json encode_temporal(const std::optional<TimeRange>& range) {
  if (!range || (is_open(range->start) && is_open(range->end))) return {};
  return ordered_json::array({encode_time(range->start), encode_time(range->end)});
}

ordered_json extent_json(const Extent& extent) {
  return {{"spatial", encode_spatial(extent.spatial.value_or(BBox{}))}, {"temporal", encode_temporal(extent.temporal)}};
}

/// Sorted, as the levels are: a document may name any number of them, and ordered_json looks at all for each.
json field_schema_json(const std::map<std::string, std::vector<FieldDescription>>& levels) {
  json out = json::object();
  for (const auto& [level, fields] : levels) {
    json& list = out[level] = json::array();
    for (const auto& field : fields) list.push_back(json::array({field.name, field.type, field.description}));
  }
  return out;
}

ordered_json encode_sources(const std::vector<Source>& sources) {
  auto ids = ordered_json::array();
  auto files = ordered_json::array();
  auto extents = ordered_json::array();
  for (const Source& source : sources) {
    ids.push_back(source.id);
    files.push_back(source.file);
    auto& extent = extents.emplace_back(ordered_json{{"file", source.file}, {"id", source.id}});
    if (source.extent.spatial) extent["spatial"] = encode_spatial(*source.extent.spatial);
    if (auto temporal = encode_temporal(source.extent.temporal); !temporal.is_null()) extent["temporal"] = temporal;
  }
  return {{"count", sources.size()}, {"ids", ids}, {"files", files}, {"extents", extents}};
}

/// The members before those that only the document has.
ordered_json encode_head(const Collection& collection, const JsonNode& document) {
  return {
      {"id", collection.id},
      {"dataset_version", collection.dataset_version},
      {"description", collection.description},
      {"licenses", collection.licenses},
      {"providers", encode_contacts(collection.providers, document["providers"])},
      {"tasks", collection.tasks},
      {"taco_version", collection.taco_version.empty() ? "2.0.0" : collection.taco_version},
      {"title", value_or_null(collection.title)},
      {"curators", collection.curators ? encode_contacts(*collection.curators, curators_of(document)) : ordered_json()},
      {"keywords", value_or_null(collection.keywords)},
      {"extent", extent_json(collection.extent)}};
}

/// The members after those that only the document has.
ordered_json encode_tail(const Collection& collection) {
  ordered_json out = {{"taco:pit_schema", ordered_json::parse(collection.pit_schema.to_json())},
                      {"taco:field_schema", field_schema_json(collection.field_schema)}};
  if (!collection.sources.empty()) out["taco:sources"] = encode_sources(collection.sources);
  return out;
}

Collection collection_of(const JsonNode& root) {
  Collection out;
  out.id = root["id"].text_or_empty();
  if (const JsonNode version = root["dataset_version"]; !version.is_null()) {
    out.dataset_version = version.text();
  }
  out.description = root["description"].text_or_empty();
  out.licenses = parse_licenses(root["licenses"]);
  out.providers = parse_contacts(root["providers"]);
  out.tasks = parse_texts(root["tasks"]);
  out.taco_version = root["taco_version"].text_or_empty();
  out.title = parse_optional(root["title"], [](const JsonNode& title) { return title.text(); });
  out.curators = parse_optional(curators_of(root), parse_contacts);
  out.keywords = parse_optional(root["keywords"], parse_texts);
  out.extent = parse_extent(root["extent"]);
  out.field_schema = parse_field_schema(root["taco:field_schema"]);
  out.sources = parse_sources(root["taco:sources"]);
  if (out.sources.empty()) out.sources = parse_parts(root["_tacocat"]);
  return out;
}

}  // namespace

Collection parse_collection(std::string_view text, const std::string& path) {
  const json document = parse_json(text, path);
  const JsonNode root(document, path, "");
  root.object();
  if (root["id"].is_null()) root["id"].fail("is missing");
  Collection out = collection_of(root);
  out.pit_schema = parse_pit_schema(root["taco:pit_schema"], path);
  out.json = text;
  return out;
}

Collection parse_draft_collection(std::string_view text, const std::string& path) {
  const json document = parse_json(text, path);
  const JsonNode root(document, path, "");
  root.object();
  Collection out = collection_of(root);
  out.json = text;
  return out;
}

std::string encode_collection(const Collection& collection) {
  const std::string path;
  const json document = collection.json.empty() ? json::object() : parse_json(collection.json, path);
  const JsonNode root(document, path, "");
  root.object();
  try {
    const ordered_json head = encode_head(collection, root);
    const ordered_json tail = encode_tail(collection);
    std::string out = head.dump();
    out.back() = ',';
    // Edited as text, so that numbers of any size and the order of keys stay as they are.
    for (const auto& member : json_members(collection.json)) {
      const auto key = json::parse(member.key).get<std::string>();
      if (!is_model_member(key)) out.append(member.text) += ',';
    }
    out.append(tail.dump(), 1);
    return reindent_json(out, 4);
  } catch (const json::type_error&) {
    throw FormatError("a text of the collection is not UTF-8");
  }
}

bool is_model_member(std::string_view key) { return std::ranges::find(kMembers, key) != std::end(kMembers); }

std::string extent_to_json(const Extent& extent) { return extent_json(extent).dump(); }

std::string encode_field_schema(const std::map<std::string, std::vector<FieldDescription>>& levels) {
  return field_schema_json(levels).dump();
}

}  // namespace tacore
