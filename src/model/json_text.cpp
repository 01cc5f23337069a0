#include "model/json_text.hpp"

#include <set>

#include "model/json_node.hpp"

namespace tacore {

using nlohmann::json;

namespace {

/// The byte after the string literal that begins at `start`, or the end of the text.
std::size_t end_of_string(std::string_view text, std::size_t start) {
  std::size_t i = start + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return i < text.size() ? i + 1 : text.size();
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t skip_space(std::string_view text, std::size_t i) {
  while (i < text.size() && is_space(text[i])) ++i;
  return i;
}

}  // namespace

std::optional<uint64_t> where_too_nested(std::string_view text) noexcept {
  int nesting = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      i = end_of_string(text, i);
      continue;
    }
    if ((c == '[' || c == '{') && ++nesting > kMaxJsonNesting) return i;
    // A bracket that closes nothing ends the document; in JSON lines it must not allow the next line more nesting.
    if ((c == ']' || c == '}') && nesting > 0) --nesting;
    ++i;
  }
  return std::nullopt;
}

std::string reindent_json(std::string_view text, int indent) {
  std::string out;
  std::size_t depth = 0;
  const auto new_line = [&] {
    if (indent >= 0) out.append(1, '\n').append(depth * static_cast<std::size_t>(indent), ' ');
  };
  for (std::size_t i = skip_space(text, 0); i < text.size(); i = skip_space(text, i)) {
    const char c = text[i];
    if (c == '"') {
      const std::size_t end = end_of_string(text, i);
      out += text.substr(i, end - i);
      i = end;
      continue;
    }
    ++i;
    if (c == ']' || c == '}') {
      --depth;
      if (out.back() != '[' && out.back() != '{') new_line();
    }
    out += c;
    if (c == ':' && indent >= 0) out += ' ';
    if (c == '[' || c == '{') {
      ++depth;
      if (const auto next = text[skip_space(text, i)]; next != ']' && next != '}') new_line();
    }
    if (c == ',') new_line();
  }
  return out;
}

std::vector<JsonMember> json_members(std::string_view object) {
  std::vector<JsonMember> out;
  int nesting = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < object.size();) {
    const char c = object[i];
    const std::size_t next = c == '"' ? end_of_string(object, i) : i + 1;
    if (c == '{' || c == '[') ++nesting;
    if (c == '}' || c == ']') --nesting;
    const bool is_end = (c == ',' && nesting == 1) || (c == '}' && nesting == 0);
    if (is_end && start < i) {
      out.push_back({object.substr(start, end_of_string(object, start) - start), object.substr(start, i - start)});
    }
    if (is_end || (c == '{' && nesting == 1)) start = skip_space(object, next);
    i = next;
  }
  return out;
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
