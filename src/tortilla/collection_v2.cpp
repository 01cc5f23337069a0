#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/epoch.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "model/collection_members.hpp"
#include "model/collection_merge.hpp"
#include "model/json_text.hpp"
#include "tacore/error.hpp"
#include "tortilla/collection.hpp"
#include "tortilla/collection_document.hpp"

namespace tacore::v1 {

namespace {

using nlohmann::json;

/// Members to be set (null: removed), in the order of the calls.
class Changes {
 public:
  explicit Changes(const json& document) : document_(document) {}

  /// The member after the changes; nullptr when it is null or absent.
  const json* find(const std::string& key) const {
    const json* at = changed_.contains(key) ? &changed_[key] : document_.contains(key) ? &document_[key] : nullptr;
    return at && !at->is_null() ? at : nullptr;
  }
  void set(const std::string& key, json value) { changed_[key] = std::move(value); }
  void remove(const std::string& key) {
    if (document_.contains(key) || changed_.contains(key)) set(key, nullptr);
  }
  /// Where a member with the new name exists, both members stay as they are.
  void rename(const std::string& from, const std::string& to) {
    const json* value = find(from);
    if (value && find(to)) return;
    if (value) set(to, *value);
    remove(from);
  }

  std::vector<MemberChange> all() const {
    std::vector<MemberChange> out;
    for (const auto& [key, value] : changed_.items())
      out.emplace_back(key, value.is_null() ? std::nullopt : std::optional(value.dump()));
    return out;
  }

 private:
  const json& document_;
  json changed_ = json::object();
};

/// `[west, south, east, north]`, or with heights as RFC 7946 has them; nullopt for anything else.
std::optional<BBox> parse_box(const json& value) {
  if (!value.is_array() || (value.size() != 4 && value.size() != 6)) return std::nullopt;
  if (!std::all_of(value.begin(), value.end(), [](const json& side) { return side.is_number(); })) return std::nullopt;
  const std::size_t half = value.size() / 2;
  const BBox out{value[0].get<double>(), value[1].get<double>(), value[half].get<double>(),
                 value[half + 1].get<double>()};
  return out.valid() ? std::optional(out) : std::nullopt;
}

std::optional<BBox> parse_spatial(const json& value) {
  const bool is_list = value.is_array() && !value.empty() && value[0].is_array();
  std::vector<BBox> boxes;
  for (const json& each : is_list ? value : json::array({value})) {
    const auto box = parse_box(each);
    if (!box) return std::nullopt;
    boxes.push_back(*box);
  }
  return boxes.size() == 1 ? boxes[0] : merge_boxes(boxes);
}

/// One end of an interval in the form of TimeRange::parse. Throws QueryError.
std::string text_of_time(const json& value) {
  if (value.is_null()) return "..";
  if (value.is_string() && value.get<std::string>().find('/') == std::string::npos) return value.get<std::string>();
  constexpr double kYear10000 = 253402300800e3, kYear1 = -62135596800e3, kMicroseconds = 1000;
  const double milliseconds = value.is_number() ? value.get<double>() : std::nan("");
  if (!(milliseconds >= kYear1 && milliseconds < kYear10000)) {
    throw QueryError(tacore::in_quotes(value.dump()) + " is not a time, expected milliseconds or RFC 3339");
  }
  return Timestamp{static_cast<int64_t>(milliseconds * kMicroseconds)}.to_string();
}

/// The smallest interval that contains all intervals; an open end contains any other. Throws QueryError.
std::optional<TimeRange> parse_temporal(const json& value) {
  const bool is_list = value.is_array() && !value.empty() && value[0].is_array();
  std::optional<TimeRange> out;
  for (const json& each : is_list ? value : json::array({value})) {
    const TimeRange range = parse_interval(each);
    out = out ? TimeRange{std::min(out->start, range.start), std::max(out->end, range.end)} : range;
  }
  return out;
}

json end_or_null(Timestamp time) { return is_open(time) ? json() : json(time.to_string()); }

json spatial_in_v2(const json& extent, const std::string& path) {
  if (!extent.contains("spatial") || extent["spatial"].is_null()) return nullptr;
  if (const auto box = parse_spatial(extent["spatial"]))
    return json::array({box->minx, box->miny, box->maxx, box->maxy});
  log::warning(path + ": extent.spatial is not a bounding box, and is ignored");
  return nullptr;
}

json temporal_in_v2(const json& extent, const std::string& path) {
  if (!extent.contains("temporal") || extent["temporal"].is_null() || extent["temporal"].empty()) return nullptr;
  try {
    const auto range = parse_temporal(extent["temporal"]);
    if (is_open(range->start) && is_open(range->end)) return nullptr;
    return json::array({end_or_null(range->start), end_or_null(range->end)});
  } catch (const QueryError& error) {
    log::warning(path + ": extent.temporal is not a time interval, and is ignored: " + error.message());
    return nullptr;
  }
}

void change_extent(Changes& changes, const std::string& path) {
  const json* extent = changes.find("extent");
  if (!extent) return;
  if (!extent->is_object())
    throw FormatError("extent is " + std::string(extent->type_name()) + ", expected an object", {.path = path});
  changes.set("extent", {{"spatial", spatial_in_v2(*extent, path)}, {"temporal", temporal_in_v2(*extent, path)}});
}

/// A title as a slug: "Super Resolution" as "super-resolution".
std::string task_slug(std::string_view task) {
  std::string out = lower(task);
  std::replace_if(out.begin(), out.end(), [](char c) { return c == ' ' || c == '_'; }, '-');
  return out;
}

/// `task` first, then the other ones in `tasks`.
void change_tasks(Changes& changes, const std::string& path) {
  json out = json::array();
  for (const char* key : {"task", "tasks"}) {
    const json* value = changes.find(key);
    if (!value) continue;
    for (const json& each : value->is_array() ? *value : json::array({*value})) {
      if (!each.is_string()) {
        throw FormatError(std::string(key) + " has " + each.type_name() + ", expected a string", {.path = path});
      }
      const json slug = task_slug(each.get<std::string>());
      if (std::find(out.begin(), out.end(), slug) == out.end()) out.push_back(slug);
    }
  }
  changes.remove("task");
  if (!out.empty()) changes.set("tasks", out);
}

/// Without `url`, the URL of a person is that of the first link.
void change_people(Changes& changes, const char* key) {
  const json* people = changes.find(key);
  if (!people || !people->is_array()) return;
  json out = *people;
  for (json& person : out) {
    if (const auto href = first_link(person); !href.empty() && !person.contains("url")) person["url"] = href;
  }
  changes.set(key, out);
}

/// `{sensor, bands}`, wherever published collections have them: `sensor` and `sensors` may be names or such objects.
void gather_optical_data(Changes& changes) {
  if (changes.find("optical:sensor") || changes.find("optical:bands")) return;  // of TACO 2
  if (changes.find("optical_data") && !changes.find("optical_data")->is_string()) return;
  const json* sensor = nullptr;
  std::string key;
  for (const char* each : {"optical_data", "sensor", "sensors"}) {
    if (!sensor && (sensor = changes.find(each))) key = each;
  }
  if (!sensor) return;
  if (sensor->is_array()) {
    if (sensor->size() != 1) return;  // a document of TACO 2 has one sensor; several stay unchanged
    sensor = &sensor->front();
  }
  json out = sensor->is_object() ? *sensor : json{{"sensor", *sensor}};
  if (out.contains("name") && !out.contains("sensor")) {
    out["sensor"] = out["name"];
    out.erase("name");
  }
  changes.remove(key);
  if (const json* bands = changes.find("bands"); bands && !out.contains("bands")) {
    out["bands"] = *bands;
    changes.remove("bands");
  }
  changes.set("optical_data", out);
}

/// Moves members of the objects of 0.2.0 to the document; other members of an object stay there.
void lift_members(Changes& changes, std::string_view object) {
  const std::string key(object);
  const json* found = changes.find(key);
  if (found && !found->is_object()) return;
  json rest = found ? *found : json::object();
  for (const auto& [parent, member, name] : kLifted) {
    if (parent != object || !rest.contains(member)) continue;
    if (!rest[member].is_null() && changes.find(name)) continue;
    if (!rest[member].is_null()) changes.set(name, rest[member]);
    rest.erase(member);
  }
  std::erase_if(rest.get_ref<json::object_t&>(), [](const auto& member) { return member.second.is_null(); });
  changes.remove(key);
  if (!rest.empty()) changes.set(key, rest);
}

void count_elements(Changes& changes, const char* list, const char* count) {
  if (const json* elements = changes.find(list); elements && elements->is_array()) changes.set(count, elements->size());
}

}  // namespace

TimeRange parse_interval(const json& interval) {
  if (!interval.is_array() || interval.size() != 2) throw QueryError("expected [start, end]");
  return TimeRange::parse(text_of_time(interval[0]) + "/" + text_of_time(interval[1]));
}

std::string first_link(const json& person) {
  if (!person.is_object() || !person.contains("links")) return "";
  const json& links = person["links"];
  if (!links.is_array() || links.empty() || !links[0].is_object() || !links[0].contains("href")) return "";
  return links[0]["href"].is_string() ? links[0]["href"].get<std::string>() : "";
}

json parse_document(std::string_view text, const std::string& path) {
  try {
    json out = json::parse(reformat_json(text, -1));
    if (!out.is_object()) throw FormatError("the document is " + std::string(out.type_name()) + ", expected an object");
    return out;
  } catch (const FormatError& error) {
    throw FormatError(error.message(), {.path = path, .offset = error.context().offset});
  }
}

std::string v2_text(std::string_view text, const std::string& path) {
  const json document = parse_document(text, path);
  Changes changes(document);
  change_extent(changes, path);
  change_tasks(changes, path);
  changes.rename("data_curator", "curators");
  change_people(changes, "providers");
  change_people(changes, "curators");
  lift_members(changes, "optical_data");
  gather_optical_data(changes);
  for (const char* object : {"optical_data", "labels", "scientific"}) lift_members(changes, object);
  count_elements(changes, "optical:bands", "optical:num_bands");
  count_elements(changes, "labels:classes", "labels:num_classes");
  changes.rename("split_strategy", "split:strategy");
  for (const auto& [from, to] : kRai) changes.rename(from, to);
  for (const char* link : {"discuss_link", "raw_link"}) {
    if (!changes.find(link)) changes.remove(link);
  }
  return with_members(text, changes.all());
}

Collection to_v2(const Collection& collection) {
  Collection out = collection;
  out.taco_version.clear();
  std::replace(out.tasks.begin(), out.tasks.end(), std::string(kGeneralTask), std::string(kOtherTask));
  const std::vector<MemberChange> without_version = {{"taco_version", std::nullopt}};
  out.json = with_members(v2_text(collection.json.empty() ? "{}" : collection.json, ""), without_version);
  return out;
}

}  // namespace tacore::v1
