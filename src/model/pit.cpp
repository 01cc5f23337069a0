#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "format/names.hpp"
#include "model/json_text.hpp"
#include "tacore/error.hpp"
#include "tacore/pit_schema.hpp"

namespace tacore {

namespace {

using nlohmann::json;

[[noreturn]] void fail_schema(const std::string& what) { throw SchemaError("taco:pit_schema: " + what); }

/// The member `key` of `object`, null counting as absent.
const json* find(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const json& require(const json& object, const char* key, const std::string& where) {
  if (!object.is_object()) fail_schema(where + " is not an object");
  const json* found = find(object, key);
  if (!found) fail_schema(where + ": missing required field '" + key + "'");
  return *found;
}

/// Rows are int64 in Arrow, so a larger count cannot be true.
uint64_t parse_n(const json& object, const std::string& where) {
  const json* n = find(object, "n");
  if (!n) return 0;
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  if (!n->is_number_unsigned() || n->get<uint64_t>() > kMost) {
    fail_schema(where + ": n is " + tacore::in_quotes(n->dump(-1, ' ', true)) + ", expected a whole number from 0 to " +
                std::to_string(kMost));
  }
  return n->get<uint64_t>();
}

std::optional<SampleType> parse_type(const json& value) {
  if (value == "FILE") return SampleType::File;
  if (value == "FOLDER") return SampleType::Folder;
  return std::nullopt;
}

std::string shown(const json& value) {
  if (!value.is_string()) return value.type_name();
  return tacore::in_quotes(value.get_ref<const std::string&>());
}

const json& require_array(const json& pattern, const char* key, const std::string& where) {
  const json& out = require(pattern, key, where);
  if (!out.is_array()) fail_schema(where + ": " + key + " is not an array");
  if (out.empty()) fail_schema(where + ": " + key + " array empty");
  return out;
}

PitPattern parse_pattern(const json& pattern, const std::string& where) {
  const json& types = require_array(pattern, "type", where);
  const json& ids = require_array(pattern, "id", where);
  if (types.size() != ids.size()) {
    fail_schema(where + ": type and id arrays differ in length: " + std::to_string(types.size()) + " and " +
                std::to_string(ids.size()));
  }
  PitPattern out{.n = parse_n(pattern, where)};
  for (const json& value : types) {
    const auto type = parse_type(value);
    if (!type) fail_schema(where + ": invalid type " + shown(value) + ", expected FILE or FOLDER");
    out.type.push_back(*type);
  }
  for (const json& value : ids) {
    if (!value.is_string()) fail_schema(where + ": id is " + shown(value) + ", expected a string");
    out.id.push_back(value.get<std::string>());
  }
  return out;
}

std::vector<PitPattern> parse_patterns(const json& patterns, const std::string& where) {
  if (!patterns.is_array()) fail_schema(where + " is not an array of patterns");
  if (patterns.empty()) fail_schema(where + ": pattern array empty");
  std::vector<PitPattern> out;
  for (const json& pattern : patterns) {
    out.push_back(parse_pattern(pattern, where + " pattern " + std::to_string(out.size())));
  }
  return out;
}

/// A level as it is written, "1" to "5": no sign, no leading zero, so that no two keys name one level.
int parse_level(const std::string& key) {
  if (key.empty() || !std::all_of(key.begin(), key.end(), is_digit)) {
    fail_schema("hierarchy level " + tacore::in_quotes(key) + " must be numeric");
  }
  if (key.size() > 1 || key[0] < '1' || key[0] - '0' > names::kMaxLevel) {
    fail_schema("hierarchy level " + tacore::in_quotes(key) + " must be 1 to " + std::to_string(names::kMaxLevel));
  }
  return key[0] - '0';
}

std::map<int, std::vector<PitPattern>> parse_hierarchy(const json& hierarchy) {
  if (!hierarchy.is_object()) fail_schema("hierarchy is not an object");
  std::map<int, std::vector<PitPattern>> out;
  for (const auto& [key, patterns] : hierarchy.items()) {
    out[parse_level(key)] = parse_patterns(patterns, "hierarchy level " + key);
  }
  int expected = 1;
  for (const auto& [level, patterns] : out) {
    if (level != expected) {
      fail_schema("hierarchy has level " + std::to_string(level) + " but not level " + std::to_string(expected));
    }
    ++expected;
  }
  return out;
}

json parse_json(const std::string& text) {
  if (const auto at = where_too_nested(text)) {
    throw SchemaError("taco:pit_schema is nested deeper than " + std::to_string(kMaxJsonNesting), {.offset = at});
  }
  // The parser takes a NUL byte for the end.
  if (text.find('\0') != std::string::npos) fail_schema("is not JSON: a NUL byte");
  json out = json::parse(text, nullptr, false);
  if (out.is_discarded()) fail_schema("is not JSON");
  return out;
}

}  // namespace

const char* to_string(SampleType type) noexcept { return type == SampleType::Folder ? "FOLDER" : "FILE"; }

PitSchema PitSchema::parse(const std::string& text) {
  const json schema = parse_json(text);
  if (!schema.is_object()) fail_schema("is not an object");
  const json& root = require(schema, "root", "schema");
  const json& root_type = require(root, "type", "root");
  const auto type = parse_type(root_type);
  if (!type) fail_schema("Invalid root type " + shown(root_type) + ", expected FILE or FOLDER");
  return {.root_n = parse_n(root, "root"),
          .root_type = *type,
          .hierarchy = parse_hierarchy(require(schema, "hierarchy", "schema"))};
}

std::string PitSchema::to_json() const {
  using nlohmann::ordered_json;
  ordered_json levels = ordered_json::object();
  for (const auto& [level, patterns] : hierarchy) {
    auto& list = levels[std::to_string(level)] = ordered_json::array();
    for (const PitPattern& pattern : patterns) {
      auto types = ordered_json::array();
      for (const SampleType type : pattern.type) types.push_back(to_string(type));
      list.push_back({{"n", pattern.n}, {"type", types}, {"id", pattern.id}});
    }
  }
  const ordered_json out = {{"root", {{"n", root_n}, {"type", to_string(root_type)}}}, {"hierarchy", levels}};
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

int PitSchema::max_depth() const noexcept { return hierarchy.empty() ? 0 : hierarchy.rbegin()->first; }

bool PitSchema::is_compatible(const PitSchema& other) const noexcept {
  const auto same_pattern = [](const PitPattern& a, const PitPattern& b) { return a.type == b.type && a.id == b.id; };
  const auto same_level = [&](const auto& a, const auto& b) {
    return a.first == b.first &&
           std::equal(a.second.begin(), a.second.end(), b.second.begin(), b.second.end(), same_pattern);
  };
  return root_type == other.root_type &&
         std::equal(hierarchy.begin(), hierarchy.end(), other.hierarchy.begin(), other.hierarchy.end(), same_level);
}

PitSchema PitSchema::with_n(uint64_t n) const {
  PitSchema out = *this;
  out.root_n = n;
  return out;
}

}  // namespace tacore
