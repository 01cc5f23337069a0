#include "model/collection_json.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "model/identifier.hpp"
#include "model/json_text.hpp"
#include "tacore/error.hpp"

namespace tacore {

namespace {

using nlohmann::json;

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
    const auto named = positions.find(extents[i].object()["file"].text_or_empty());
    const std::size_t at = named != positions.end() ? named->second : i;
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

}  // namespace

Collection parse_collection(std::string_view text, const std::string& path) {
  const json document = parse_json(text, path);
  const Node root(document, path, "");
  root.object();
  if (root["id"].is_null()) root["id"].fail("is missing");

  Collection out;
  out.id = root["id"].text();
  if (const Node version = root["dataset_version"]; !version.is_null()) {
    out.dataset_version = version.text();
  }
  out.description = root["description"].text_or_empty();
  out.licenses = parse_licenses(root["licenses"]);
  out.providers = parse_contacts(root["providers"]);
  out.tasks = parse_texts(root["tasks"]);
  out.taco_version = root["taco_version"].text_or_empty();
  out.title = parse_optional(root["title"], [](const Node& title) { return title.text(); });
  const Node curators = root["curators"];
  out.curators = parse_optional(curators.is_null() ? root["data_curator"] : curators, parse_contacts);
  out.keywords = parse_optional(root["keywords"], parse_texts);
  out.extent = parse_extent(root["extent"]);
  out.pit_schema = parse_pit_schema(root["taco:pit_schema"], path);
  out.field_schema = parse_field_schema(root["taco:field_schema"]);
  out.sources = parse_sources(root["taco:sources"]);
  if (out.sources.empty()) out.sources = parse_parts(root["_tacocat"]);
  out.json = text;
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
