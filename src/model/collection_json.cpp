#include "model/collection_json.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/open_time.hpp"
#include "base/text.hpp"
#include "model/identifier.hpp"
#include "model/json_text.hpp"
#include "tacore/error.hpp"

namespace tacore {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// What a parser's message says is wrong, without its prefix and the text it read (of any length).
std::string reason(std::string_view message) {
  const auto start = message.find("syntax error ");
  if (start == message.npos) return "a value that is out of range or not UTF-8";
  message.remove_prefix(start);
  return std::string(message.substr(0, message.find("; last read")));
}

json parse_json(std::string_view text, const std::string& path) {
  if (const auto at = where_too_nested(text)) {
    throw FormatError("JSON is nested deeper than " + std::to_string(kMaxJsonNesting), {.path = path, .offset = at});
  }
  // The parser takes a NUL byte for the end, and what follows it for nothing.
  if (const auto at = text.find('\0'); at != text.npos) {
    throw FormatError("not JSON: a NUL byte", {.path = path, .offset = at});
  }
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    throw FormatError("not JSON: " + reason(error.what()),
                      {.path = path, .offset = error.byte > 0 ? error.byte - 1 : 0});
  } catch (const json::exception& error) {
    throw FormatError("not JSON: " + reason(error.what()), {.path = path});
  }
}

/// A value and the keys that led to it. Every complaint of this file is made here.
class Node {
 public:
  Node(const json& value, const std::string& path, std::string name)
      : value_(&value), path_(&path), name_(std::move(name)) {}

  const json& value() const { return *value_; }
  bool is_null() const { return value_->is_null(); }

  /// The member `key`; null when it is absent.
  Node operator[](const std::string& key) const {
    static const json absent;
    const auto found = value_->find(key);
    return {found == value_->end() ? absent : *found, *path_, name_.empty() ? key : name_ + "." + key};
  }

  std::string text() const {
    if (!value_->is_string()) wrong("a string");
    return value_->get<std::string>();
  }
  /// "" when it is null.
  std::string text_or_empty() const { return is_null() ? std::string() : text(); }
  double number() const {
    if (!value_->is_number()) wrong("a number");
    return value_->get<double>();
  }

  const Node& object() const {
    if (!value_->is_object()) wrong("an object");
    return *this;
  }
  /// The elements of an array; none when it is null.
  std::vector<Node> elements() const {
    if (!is_null() && !value_->is_array()) wrong("an array");
    return elements_or_self();
  }
  /// As elements(), but anything else is the only element of its list.
  std::vector<Node> elements_or_self() const {
    if (is_null()) return {};
    if (!value_->is_array()) return {*this};
    std::vector<Node> out;
    for (const json& element : *value_) {
      out.emplace_back(element, *path_, name_ + "[" + std::to_string(out.size()) + "]");
    }
    return out;
  }

  [[noreturn]] void wrong(const std::string& expected) const {
    fail(std::string("is ") + value_->type_name() + ", expected " + expected);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError((name_.empty() ? "the document" : name_) + " " + what, {.path = *path_});
  }

 private:
  const json* value_;
  const std::string* path_;
  std::string name_;
};

std::vector<std::string> parse_texts(const Node& node) {
  std::vector<std::string> out;
  for (const Node& element : node.elements_or_self()) out.push_back(element.text());
  return out;
}

/// Identifiers, or objects that hold them: `{name}`, `{licenseList: [{name}]}`.
std::vector<std::string> parse_licenses(const Node& node) {
  if (node.value().is_object() && node.value().contains("licenseList")) {
    return parse_licenses(node["licenseList"]);
  }
  std::vector<std::string> out;
  for (const Node& licence : node.elements_or_self()) {
    out.push_back(licence.value().is_object() ? licence["name"].text() : licence.text());
  }
  return out;
}

/// `email` or `emails`: a string, `{value}`, or a list of either, of which the first is kept.
std::string parse_email(const Node& contact) {
  for (const char* key : {"email", "emails"}) {
    const auto emails = contact[key].elements_or_self();
    if (emails.empty()) continue;
    return emails[0].value().is_object() ? emails[0]["value"].text() : emails[0].text();
  }
  return "";
}

Contact parse_contact(const Node& node) {
  if (node.value().is_string()) return {.name = node.text()};
  const Node& contact = node.object();
  return {.name = contact["name"].text_or_empty(),
          .organization = contact["organization"].text_or_empty(),
          .email = parse_email(contact),
          .role = contact["role"].text_or_empty(),
          .roles = parse_texts(contact["roles"]),
          .url = contact["url"].text_or_empty()};
}

std::vector<Contact> parse_contacts(const Node& node) {
  std::vector<Contact> out;
  for (const Node& element : node.elements_or_self()) out.push_back(parse_contact(element));
  return out;
}

Node curators_of(const Node& root) {
  const Node curators = root["curators"];
  return curators.is_null() ? root["data_curator"] : curators;
}

std::optional<BBox> parse_spatial(const Node& node) {
  if (node.is_null()) return std::nullopt;
  const auto bounds = node.elements();
  if (bounds.size() != 4) {
    node.fail("has " + std::to_string(bounds.size()) + " numbers, expected 4: west, south, east, north");
  }
  const BBox out{bounds[0].number(), bounds[1].number(), bounds[2].number(), bounds[3].number()};
  if (!out.valid()) node.fail("has its south beyond its north");
  return out;
}

/// One end of an interval as TimeRange::parse takes it: a null end is an open one.
std::string parse_time(const Node& node) {
  const std::string out = node.is_null() ? ".." : node.text();
  if (out.find('/') != out.npos) node.fail("is an interval, expected a time");
  return out;
}

std::optional<TimeRange> parse_temporal(const Node& node) {
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
Extent parse_extent(const Node& node) {
  if (node.is_null()) return {};
  return {parse_spatial(node.object()["spatial"]), parse_temporal(node["temporal"])};
}

FieldDescription parse_field(const Node& node) {
  const auto parts = node.elements();
  if (parts.size() < 2 || parts.size() > 3) {
    node.fail("has " + std::to_string(parts.size()) + " parts, expected name, type, description");
  }
  return {.name = parts[0].text(),
          .type = parts[1].text(),
          .description = parts.size() == 3 ? parts[2].text_or_empty() : std::string()};
}

std::map<std::string, std::vector<FieldDescription>> parse_field_schema(const Node& node) {
  if (node.is_null()) return {};
  std::map<std::string, std::vector<FieldDescription>> out;
  for (const auto& [level, fields] : node.object().value().items()) {
    auto& list = out[level];
    for (const Node& field : node[level].elements()) list.push_back(parse_field(field));
  }
  return out;
}

/// A partition is opened as a path below the folder of the index, so its name must stay there.
std::string parse_file(const Node& node) {
  const std::string out = node.text();
  for (const auto& part : split(out, '/')) {
    if (const auto why = why_unsafe_id(part); !why.empty()) {
      node.fail("is " + tacore::quoted(out) + ", not a path below the index: a part " + why);
    }
  }
  return out;
}

void add_ids(std::vector<Source>& sources, const Node& node) {
  const auto ids = node.elements();
  if (!ids.empty() && ids.size() != sources.size()) {
    node.fail("has " + std::to_string(ids.size()) + " entries for " + std::to_string(sources.size()) + " files");
  }
  for (std::size_t i = 0; i < ids.size(); ++i) sources[i].id = ids[i].text_or_empty();
}

/// Extents belong to the file they name, and those without a name to the file at their position.
void add_extents(std::vector<Source>& sources, const Node& node) {
  std::unordered_map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < sources.size(); ++i) positions.emplace(sources[i].file, i);
  const auto extents = node.elements();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].is_null()) continue;
    const std::string file = extents[i].object()["file"].text_or_empty();
    const auto named = positions.find(file);
    if (!file.empty() && named == positions.end()) {
      extents[i].fail("is of " + tacore::quoted(file) + ", which is none of the files");
    }
    // Of files with the same name the one at the same position is meant.
    const bool is_here = i < sources.size() && sources[i].file == file;
    const std::size_t at = named != positions.end() && !is_here ? named->second : i;
    if (at >= sources.size()) extents[i].fail("belongs to none of the files");
    sources[at].extent = parse_extent(extents[i]);
    if (sources[at].id.empty()) sources[at].id = extents[i]["id"].text_or_empty();
  }
}

std::vector<Source> parse_sources(const Node& node) {
  if (node.is_null()) return {};
  std::vector<Source> out;
  for (const Node& file : node.object()["files"].elements()) {
    out.push_back({.file = parse_file(file)});
  }
  const Node count = node["count"];
  if (!count.is_null() && count.number() != static_cast<double>(out.size())) {
    count.fail("is " + count.value().dump() + ", but files has " + std::to_string(out.size()));
  }
  add_ids(out, node["ids"]);
  add_extents(out, node["extents"]);
  return out;
}

/// A `__TACOCAT__` file names its parts alone (format/tacocat_header.hpp): what they cover is unknown.
std::vector<Source> parse_parts(const Node& node) {
  if (node.is_null()) return {};
  std::vector<Source> out;
  for (const Node& file : node.object()["dataset_sources"].elements()) out.push_back({.file = parse_file(file)});
  return out;
}

PitSchema parse_pit_schema(const Node& node, const std::string& path) {
  if (node.is_null()) node.fail("is missing");
  try {
    return PitSchema::parse(node.value().dump());
  } catch (const SchemaError& error) {
    throw SchemaError(error.what(), {.path = path});
  }
}

/// nullopt when the member is null or absent.
template <class Parse>
auto parse_optional(const Node& node, Parse parse) -> std::optional<decltype(parse(node))> {
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

/// What the model has no place for (`links`, several e-mails) stays with the contacts that are still the same.
ordered_json encode_contacts(const std::vector<Contact>& contacts, const Node& document) {
  std::map<std::string, json> others;
  for (const Node& node : document.elements_or_self()) {
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

/// The members that stand before those which only the document has.
ordered_json encode_head(const Collection& collection, const Node& document) {
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

/// The members that stand behind them.
ordered_json encode_tail(const Collection& collection) {
  ordered_json out = {{"taco:pit_schema", ordered_json::parse(collection.pit_schema.to_json())},
                      {"taco:field_schema", field_schema_json(collection.field_schema)}};
  if (!collection.sources.empty()) out["taco:sources"] = encode_sources(collection.sources);
  return out;
}

/// True for members that the model takes up and head and tail need not have: they are not copied.
bool is_read(const std::string& key) { return key == "taco:sources" || key == "_tacocat" || key == "data_curator"; }

}  // namespace

namespace {

Collection collection_of(const Node& root) {
  Collection out;
  out.id = root["id"].text_or_empty();
  if (const Node version = root["dataset_version"]; !version.is_null()) {
    out.dataset_version = version.text();
  }
  out.description = root["description"].text_or_empty();
  out.licenses = parse_licenses(root["licenses"]);
  out.providers = parse_contacts(root["providers"]);
  out.tasks = parse_texts(root["tasks"]);
  out.taco_version = root["taco_version"].text_or_empty();
  out.title = parse_optional(root["title"], [](const Node& title) { return title.text(); });
  out.curators = parse_optional(curators_of(root), parse_contacts);
  out.keywords = parse_optional(root["keywords"], parse_texts);
  out.extent = parse_extent(root["extent"]);
  out.field_schema = parse_field_schema(root["taco:field_schema"]);
  out.sources = parse_sources(root["taco:sources"]);
  if (out.sources.empty()) out.sources = parse_parts(root["_tacocat"]);
  return out;
}

ordered_json encode_value(const std::string& key, const Value& value) {
  if (value.is_null()) return {};
  if (const auto* truth = value.get<bool>()) return *truth;
  if (const auto* whole = value.get<int64_t>()) return *whole;
  if (const auto* real = value.get<double>()) return std::isfinite(*real) ? ordered_json(*real) : ordered_json();
  if (const auto* time = value.get<Timestamp>()) return time->to_string();
  if (const auto* text = value.get<std::string>()) {
    if (!is_utf8(*text)) throw SchemaError("key " + tacore::quoted(key) + " has text that is not UTF-8");
    return *text;
  }
  if (const auto* items = value.get<Value::List>()) {
    auto out = ordered_json::array();
    for (const auto& item : *items) out.push_back(encode_value(key, item));
    return out;
  }
  if (const auto* fields = value.get<Struct>()) {
    auto out = ordered_json::object();
    for (const auto& [name, field] : *fields) out[name] = encode_value(key, field);
    return out;
  }
  throw SchemaError("key " + tacore::quoted(key) + " has binary data, for which JSON has no form");
}

}  // namespace

Collection parse_collection(std::string_view text, const std::string& path) {
  const json document = parse_json(text, path);
  const Node root(document, path, "");
  root.object();
  if (root["id"].is_null()) root["id"].fail("is missing");
  Collection out = collection_of(root);
  out.pit_schema = parse_pit_schema(root["taco:pit_schema"], path);
  out.json = text;
  return out;
}

Collection parse_draft_collection(std::string_view text, const std::string& path) {
  const json document = parse_json(text, path);
  const Node root(document, path, "");
  root.object();
  Collection out = collection_of(root);
  out.json = text;
  return out;
}

std::string encode_collection(const Collection& collection) {
  const std::string path;
  const json document = collection.json.empty() ? json::object() : parse_json(collection.json, path);
  const Node root(document, path, "");
  root.object();
  try {
    const ordered_json head = encode_head(collection, root);
    const ordered_json tail = encode_tail(collection);
    std::string out = head.dump();
    out.back() = ',';
    // As text, so that numbers of any size and the order of keys stay as they are.
    for (const auto& member : json_members(collection.json)) {
      const auto key = json::parse(member.key).get<std::string>();
      if (!head.contains(key) && !tail.contains(key) && !is_read(key)) out.append(member.text) += ',';
    }
    out.append(tail.dump(), 1);
    return reindent_json(out, 4);
  } catch (const json::type_error&) {
    throw FormatError("a text of the collection is not UTF-8");
  }
}

std::string with_member(std::string_view text, const std::string& key, const Value& value) {
  const Collection none;
  if (const json document; key.empty() || encode_head(none, Node(document, "", "")).contains(key) ||
                           encode_tail(none).contains(key) || is_read(key) || key == "taco:sources") {
    throw SchemaError("key " + tacore::quoted(key) + (key.empty() ? " is empty" : " is part of every collection"));
  }
  if (!is_utf8(key)) throw SchemaError("key " + tacore::quoted(key) + " is not UTF-8");
  std::string out = "{";
  const std::string member = json_string(key) + ':' + encode_value(key, value).dump();
  bool replaced = false;
  if (!text.empty()) {
    parse_json(text, "");
    for (const auto& known : json_members(text)) {
      const bool here = json::parse(known.key).get<std::string>() == key;
      out.append(here ? member : std::string(known.text)) += ',';
      replaced = replaced || here;
    }
  }
  if (!replaced) out.append(member) += ',';
  out.back() = '}';
  return out;
}

std::string with_members(std::string_view text, const std::vector<MemberChange>& changes) {
  for (const auto& [key, value] : changes) {
    if (value) parse_json(*value, "");
  }
  std::vector<std::pair<std::string, std::string_view>> members;
  for (const auto& member : json_members(text))
    members.emplace_back(parse_json(member.key, "").get<std::string>(), member.text);
  std::string out = "{";
  std::set<std::string> written;
  const auto write_changed = [&](const MemberChange& change) {
    if (change.second && written.insert(change.first).second)
      out += json_string(change.first) + ':' + *change.second + ',';
  };
  const auto write_new = [&] {
    for (const auto& change : changes) {
      if (std::none_of(members.begin(), members.end(),
                       [&](const auto& member) { return member.first == change.first; }))
        write_changed(change);
    }
  };
  for (const auto& [key, member] : members) {
    if (key.starts_with("taco:")) write_new();
    const auto change =
        std::find_if(changes.begin(), changes.end(), [&, k = &key](const auto& c) { return c.first == *k; });
    if (change == changes.end()) out.append(member) += ',';
    else write_changed(*change);
  }
  write_new();
  if (out.size() > 1) out.pop_back();
  return reindent_json(out + "}", 4);
}

namespace {

/// nlohmann compares an integer with a double as doubles, which are the same beyond 2^53, and one below zero with one
/// beyond 2^63 as int64.
bool is_same_number(const json& a, const json& b) {
  if (a.is_number_float() && b.is_number_float()) {
    const auto x = a.get<double>(), y = b.get<double>();
    return x == y && std::signbit(x) == std::signbit(y);
  }
  if (!a.is_number_float() && !b.is_number_float()) return a.type() == b.type() && a == b;
  const auto real = (a.is_number_float() ? a : b).get<double>();
  const json& whole = a.is_number_float() ? b : a;
  if (whole.is_number_unsigned())
    return real >= 0 && real < 0x1p64 && real == std::trunc(real) &&
           static_cast<uint64_t>(real) == whole.get<uint64_t>();
  return real >= -0x1p63 && real < 0 && real == std::trunc(real) && static_cast<int64_t>(real) == whole.get<int64_t>();
}

bool is_same(const json& a, const json& b) {
  if (a.is_number() && b.is_number()) return is_same_number(a, b);
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_array()) return std::equal(a.begin(), a.end(), b.begin(), is_same);
  if (!a.is_object()) return a == b;
  return std::ranges::all_of(a.items(), [&](const auto& member) {
    const auto other = b.find(member.key());
    return other != b.end() && is_same(member.value(), *other);
  });
}

}  // namespace

std::vector<MemberDifference> member_differences(std::string_view a, std::string_view b) {
  const json left = parse_json(a, ""), right = parse_json(b, "");
  std::vector<MemberDifference> out;
  std::set<std::string> seen;
  for (const auto text : {a, b}) {
    for (const auto& member : json_members(text)) {
      const auto key = json::parse(member.key).get<std::string>();
      if (!seen.insert(key).second) continue;
      const json in_a = left.value(key, json()), in_b = right.value(key, json());
      if (is_same(in_a, in_b)) continue;
      const auto shown = [](const json& value) { return value.is_null() ? std::nullopt : std::optional(value.dump()); };
      out.push_back({.key = key, .a = shown(in_a), .b = shown(in_b)});
    }
  }
  return out;
}

std::string extent_to_json(const Extent& extent) { return extent_json(extent).dump(); }

std::string encode_field_schema(const std::map<std::string, std::vector<FieldDescription>>& levels) {
  return field_schema_json(levels).dump();
}

namespace {

/// What members of COLLECTION.json have that the specification, or the extension that writes them, has in another form.
class FormCheck {
 public:
  explicit FormCheck(const json& document) : document_(document) {}

  std::vector<std::string> run() {
    for (const char* key : {"licenses", "tasks", "keywords"}) check_texts(member(document_, key), key);
    for (const char* key : {"providers", "curators"}) {
      for (const auto& [contact, name] : objects(key)) check_contact(*contact, name);
    }
    for (const auto& [band, name] : objects("optical:bands")) {
      require_text(*band, "name", name);
      for (const char* key : {"center_wavelength", "full_width_half_max"}) {
        const json* number = member(*band, key);
        if (number && !number->is_number()) tell(name + "." + key + " is " + shown(*number) + ", a number expected");
      }
    }
    std::set<json> categories;
    for (const auto& [each, name] : objects("labels:classes")) {
      require_text(*each, "name", name);
      const json* category = member(*each, "category");
      if (!category || !(category->is_string() || category->is_number_integer()))
        tell(name + ".category is no text and no whole number");
      else if (!categories.insert(*category).second) tell(name + ".category is " + shown(*category) + " once more");
    }
    for (const auto& [each, name] : objects("publications")) {
      for (const char* key : {"doi", "citation", "summary"}) {
        const json* text = member(*each, key);
        if (text && !text->is_string()) tell(name + "." + key + " is " + shown(*text) + ", a text expected");
      }
    }
    check_extent();
    return std::move(out_);
  }

 private:
  void tell(std::string what) { out_.push_back(std::move(what)); }
  static std::string shown(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

  /// nullptr when it is absent or null.
  static const json* member(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  void check_texts(const json* list, const std::string& name) {
    if (!list) return;
    if (!list->is_array()) return tell(name + " is " + shown(*list) + ", a list of texts expected");
    for (const json& text : *list) {
      if (!text.is_string() || text == "") tell(name + " has " + shown(text) + ", a text expected");
    }
  }
  void require_text(const json& object, const char* key, const std::string& name) {
    const json* text = member(object, key);
    if (!text || !text->is_string() || *text == "") tell(name + "." + key + " is missing, or no text");
  }

  std::vector<std::pair<const json*, std::string>> objects(const char* key) {
    std::vector<std::pair<const json*, std::string>> out;
    const json* list = member(document_, key);
    if (list && !list->is_array()) tell(std::string(key) + " is " + shown(*list) + ", a list of objects expected");
    if (!list || !list->is_array()) return out;
    for (const json& element : *list) {
      const std::string name = std::string(key) + "[" + std::to_string(&element - &list->front()) + "]";
      if (element.is_object()) out.emplace_back(&element, name);
      else tell(name + " is " + shown(element) + ", an object expected");
    }
    return out;
  }

  void check_contact(const json& contact, const std::string& name) {
    for (const char* key : {"name", "organization", "role", "url"}) {
      const json* text = member(contact, key);
      if (text && !text->is_string()) tell(name + "." + key + " is " + shown(*text) + ", a text expected");
    }
    check_texts(member(contact, "roles"), name + ".roles");
    if (const json* roles = member(contact, "roles"); roles && roles->is_array()) {
      for (const json& role : *roles) {
        if (role.is_string() && role != "licensor" && role != "producer" && role != "processor" && role != "host")
          tell(name + ".roles has " + shown(role) + "; licensor, producer, processor or host expected");
      }
    }
    const json* email = member(contact, "email");
    if (!email) return;
    const std::string text = email->is_string() ? email->get<std::string>() : "";
    const auto at = text.find('@');
    if (at == text.npos || at == 0 || at + 1 == text.size() || text.find_first_of(" @", at + 1) != text.npos)
      tell(name + ".email is " + shown(*email) + ", name@host expected");
  }

  void check_extent() {
    const json* extent = member(document_, "extent");
    if (!extent) return tell("extent is missing: where the data lie is unknown");
    if (extent->is_object() && !member(*extent, "spatial"))
      tell("extent.spatial is missing: where the data lie is unknown");
  }

  const json& document_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> form_faults(std::string_view text) {
  const json document = parse_json(text, "");
  return FormCheck(document).run();
}

std::string with_level_crc32s(std::string_view collection, const std::vector<std::vector<uint32_t>>& crc32s) {
  // Into the text: numbers that nothing reads stay as they are. taco:sources is the last member of that name.
  constexpr std::string_view kSources = "\"taco:sources\": {";
  const auto at = collection.rfind(kSources);
  if (at == collection.npos) return std::string(collection);
  std::string out(collection);
  return reindent_json(out.insert(at + kSources.size(), "\"level_crc32s\": " + json(crc32s).dump() + ","), 4);
}

std::vector<std::vector<uint32_t>> level_crc32s(const Collection& collection) {
  constexpr std::string_view kKey = "\"level_crc32s\"";
  const std::string_view text = collection.json;
  const auto key = text.find(kKey), begin = text.find('[', key == text.npos ? key : key + kKey.size());
  if (begin == text.npos) return {};
  auto end = begin;
  for (int depth = 0; end < text.size() && (end == begin || depth > 0); ++end) {
    if (text[end] == '[') ++depth;
    if (text[end] == ']') --depth;
  }
  try {
    auto out = json::parse(text.substr(begin, end - begin)).get<std::vector<std::vector<uint32_t>>>();
    if (out.size() == collection.sources.size()) return out;
  } catch (const json::exception&) {  // something else of that name
  }
  return {};
}

std::vector<std::string> repeated_members(std::string_view text) {
  std::vector<std::string> out;
  std::vector<std::set<std::string>> open;
  const auto see = [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
      out.push_back(value.get<std::string>());
    return true;
  };
  const json all = json::parse(text, see);
  return out;
}

std::string reformat_json(std::string_view text, int indent) {
  parse_json(text, "");
  return reindent_json(text, indent);
}

std::string json_string(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace tacore
