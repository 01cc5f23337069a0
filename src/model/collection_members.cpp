#include "model/collection_members.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "model/collection_json.hpp"
#include "model/json_node.hpp"
#include "model/json_text.hpp"

namespace tacore {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

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

/// nlohmann compares an integer with a double as doubles, which are equal for different integers beyond 2^53, and a
/// negative integer with one beyond 2^63 as int64.
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

std::string with_member(std::string_view text, const std::string& key, const Value& value) {
  if (key.empty() || is_model_member(key)) {
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
  } catch (const json::exception&) {  // another member of that name
  }
  return {};
}

}  // namespace tacore
