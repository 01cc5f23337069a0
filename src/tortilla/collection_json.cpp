#include "model/collection_json.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/epoch.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "model/collection_members.hpp"
#include "model/json_text.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/optical_data.hpp"
#include "tacore/v1/collection.hpp"
#include "tortilla/collection.hpp"
#include "tortilla/collection_document.hpp"

namespace tacore::v1 {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kVersion = "0.2.0";

/// Members of TACO 2 only: the tree and the sources follow from the data, and counts from the counted members.
constexpr const char* kDropped[] = {"taco:pit_schema",   "taco:field_schema",  "taco:sources", "_tacocat",
                                    "optical:num_bands", "labels:num_classes", "data_curator"};

ordered_json text_or_null(const std::string& text) { return text.empty() ? ordered_json() : ordered_json(text); }

template <class T>
ordered_json value_or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

/// nullptr when the member is null or absent.
const json* find(const json& object, const std::string& key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

ordered_json member_or_null(const json& object, const std::string& key) {
  const json* found = find(object, key);
  return found ? ordered_json(*found) : ordered_json();
}

/// Rounded down to milliseconds.
ordered_json milliseconds(Timestamp time) {
  constexpr int64_t kMicroseconds = 1000;
  if (is_open(time)) return nullptr;
  const int64_t rest = time.microseconds % kMicroseconds;
  return (time.microseconds - (rest < 0 ? rest + kMicroseconds : rest)) / kMicroseconds;
}

ordered_json encode_extent(const Extent& extent) {
  if (!extent.spatial && !extent.temporal) return nullptr;
  ordered_json out = {{"spatial", nullptr}, {"temporal", nullptr}};
  if (const auto& box = extent.spatial)
    out["spatial"] = ordered_json::array({box->minx, box->miny, box->maxx, box->maxy});
  if (const auto& time = extent.temporal)
    out["temporal"] = ordered_json::array({milliseconds(time->start), milliseconds(time->end)});
  return out;
}

/// A list of info objects, `{value, roles}`, from whatever the document has instead.
ordered_json infos(const json& emails) {
  auto out = ordered_json::array();
  for (const json& each : emails.is_array() ? emails : json::array({emails}))
    out.push_back(each.is_object() ? ordered_json(each) : ordered_json{{"value", each}});
  return out;
}

ordered_json encode_emails(const Contact& contact, const json& stored) {
  if (const json* emails = find(stored, "emails"); emails && !emails->empty()) return infos(*emails);
  if (contact.email.empty()) return nullptr;
  return ordered_json::array({{{"value", contact.email}}});
}

/// `stored`: the person in the document, for members that the model lacks.
ordered_json encode_person(const Contact& contact, const json& stored) {
  ordered_json out = {{"name", text_or_null(contact.name)},
                      {"organization", text_or_null(contact.organization)},
                      {"emails", encode_emails(contact, stored)}};
  std::vector<std::string> roles;
  if (!contact.role.empty()) roles.push_back(contact.role);
  for (const auto& role : contact.roles)
    if (role != contact.role) roles.push_back(role);
  out["roles"] = roles.empty() ? ordered_json() : ordered_json(roles);
  if (!contact.url.empty() && contact.url != first_link(stored)) out["url"] = contact.url;
  static const std::set<std::string> known = {"email", "role", "url"};
  for (const auto& [key, value] : stored.items())
    if (!value.is_null() && !known.contains(key) && !out.contains(key)) out[key] = value;
  return out;
}

/// Unchanged people keep the members that only the document has. `texts` are those of `stored`.
ordered_json encode_people(const std::vector<Contact>& people, const std::vector<Contact>& stored, const json* texts) {
  static const json nothing = json::object();
  std::map<std::string, const json*> known;
  for (std::size_t i = 0; texts && i < stored.size(); ++i) {
    const json& text = texts->is_array() ? (*texts)[i] : *texts;
    if (text.is_object()) known.emplace(encode_person(stored[i], nothing).dump(), &text);
  }
  auto out = ordered_json::array();
  for (const Contact& person : people) {
    const auto at = known.find(encode_person(person, nothing).dump());
    out.push_back(encode_person(person, at == known.end() ? nothing : *at->second));
  }
  return out;
}

/// The object of 0.2.0 called `name`, with all of its `members`; null when the document has none of them. Members taken
/// from the document are added to `taken`.
ordered_json encode_object(const json& document, const std::string& name, const std::vector<const char*>& members,
                           std::set<std::string>& taken) {
  const json* found = find(document, name);
  if (found && !found->is_object()) return *found;
  ordered_json out = ordered_json::object();
  for (const char* member : members) out[member] = found ? member_or_null(*found, member) : ordered_json();
  bool is_empty = !found;
  for (const auto& [object, member, v2] : kLifted) {
    if (object != name || !out[member].is_null() || !find(document, v2)) continue;
    out[member] = *find(document, v2);
    taken.insert(v2);
    is_empty = false;
  }
  if (is_empty) return nullptr;
  if (found)
    for (const auto& [key, value] : found->items())
      if (!out.contains(key)) out[key] = value;
  return out;
}

/// Adds the bands of a known sensor, where none are given.
void add_bands(ordered_json& optical_data) {
  if (!optical_data.is_object() || !optical_data["sensor"].is_string()) return;
  if (!optical_data["bands"].is_null() && !optical_data["bands"].empty()) return;
  const auto sensor = optical_data["sensor"].get<std::string>();
  if (!is_known_sensor(sensor)) return;
  try {
    const auto values = extensions::OpticalData({.sensor = sensor}).values();
    optical_data.update(json::parse(with_member(with_member("", "sensor", values[0]), "bands", values[1])));
  } catch (const SchemaError& error) {
    throw ValidationError("optical_data.sensor: " + error.message());
  }
}

/// A string in place of a link object is its `href`.
ordered_json encode_link(const json& document, const char* key) {
  const json* link = find(document, key);
  if (!link || !(link->is_string() || link->is_object())) return member_or_null(document, key);
  if (link->is_string()) return {{"href", *link}, {"description", nullptr}};
  ordered_json out = {{"href", member_or_null(*link, "href")}, {"description", member_or_null(*link, "description")}};
  for (const auto& [name, value] : link->items()) {
    if (!value.is_null() && !out.contains(name)) out[name] = value;
  }
  return out;
}

/// The tasks without duplicates: `other` becomes `general`, which may be one of them already.
std::vector<std::string> tasks_of(const Collection& collection) {
  std::vector<std::string> out;
  for (const auto& task : collection.tasks) {
    const std::string name(task == kOtherTask ? kGeneralTask : std::string_view(task));
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

/// All members that TACO 0.2.0 names; those taken from the document are added to `taken`.
ordered_json encode_head(const Collection& collection, const json& document, const Collection& stored,
                         std::set<std::string>& taken) {
  const std::vector<std::string> tasks = tasks_of(collection);
  ordered_json out;
  out["id"] = text_or_null(collection.id);
  const bool has_version = collection.dataset_version != Collection().dataset_version;
  out["dataset_version"] = has_version ? text_or_null(collection.dataset_version) : ordered_json();
  out["description"] = text_or_null(collection.description);
  out["licenses"] = collection.licenses;
  out["extent"] = encode_extent(collection.extent);
  out["providers"] = encode_people(collection.providers, stored.providers, find(document, "providers"));
  out["task"] = tasks.empty() ? ordered_json() : ordered_json(tasks[0]);
  out["taco_version"] = kVersion;
  out["title"] = value_or_null(collection.title);
  out["curators"] = nullptr;
  if (collection.curators) {
    out["curators"] = encode_people(*collection.curators, stored.curators.value_or(std::vector<Contact>()),
                                    find(document, "curators"));
  }
  out["keywords"] = value_or_null(collection.keywords);
  out["split_strategy"] = member_or_null(document, "split_strategy");
  if (out["split_strategy"].is_null()) {
    out["split_strategy"] = member_or_null(document, "split:strategy");
    taken.insert("split:strategy");
  }
  out["discuss_link"] = encode_link(document, "discuss_link");
  out["raw_link"] = encode_link(document, "raw_link");
  out["optical_data"] = encode_object(document, "optical_data", {"sensor", "bands"}, taken);
  out["labels"] = encode_object(document, "labels", {"label_classes", "label_description"}, taken);
  out["scientific"] = encode_object(document, "scientific", {"doi", "citation", "summary", "publications"}, taken);
  taken.insert("tasks");
  if (tasks.size() > 1) out["tasks"] = tasks;
  for (const auto& [v1, v2] : kRai) {
    if (find(document, v1) || !find(document, v2)) continue;
    out[v1] = *find(document, v2);
    taken.insert(v2);
  }
  return out;
}

std::string encode(const Collection& collection, bool with_bands) {
  const std::string text = collection.json.empty() ? "{}" : v2_text(collection.json, "");
  const json document = json::parse(text);
  std::set<std::string> taken(std::begin(kDropped), std::end(kDropped));
  try {
    ordered_json head = encode_head(collection, document, tacore::parse_draft_collection(text, ""), taken);
    if (with_bands) add_bands(head["optical_data"]);
    std::string out = head.dump();
    // Kept as text, so that numbers of any size and the order of keys stay unchanged.
    for (const auto& member : json_members(text)) {
      const auto key = json::parse(member.key).get<std::string>();
      if (!head.contains(key) && !taken.contains(key))
        out.replace(out.size() - 1, 1, ',' + std::string(member.text) + '}');
    }
    return reindent_json(out, -1);
  } catch (const json::type_error&) {
    throw FormatError("a text of the collection is not UTF-8");
  }
}

}  // namespace

bool is_known_sensor(std::string_view sensor) {
  std::string name = lower(sensor.substr(0, sensor.find('[')));
  std::erase_if(name, [](char c) { return c == ' ' || c == '\t'; });
  const auto known = extensions::optical_sensors();
  return std::find(known.begin(), known.end(), name) != known.end();
}

Collection parse_collection(std::string_view text, const std::string& path) {
  return tacore::parse_draft_collection(v2_text(text, path), path);
}

Collection parse_stored_collection(std::string_view text, const std::string& path) {
  Collection out = parse_collection(text, path);
  if (out.id.empty()) log::warning(path + ": the collection has no id");
  if (out.dataset_version == Collection().dataset_version) {
    log::warning(path + ": the collection has no dataset_version");
  }
  out.json = text;
  return out;
}

std::string encode_collection(const Collection& collection) { return encode(collection, true); }

std::string encode_without_bands(const Collection& collection) { return encode(collection, false); }

}  // namespace tacore::v1
