#include "json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/utf8.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

std::string escaped(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: break;
  }
  // DEL may stand as it is, but a terminal would swallow it.
  if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) return {c};
  char out[8];
  std::snprintf(out, sizeof out, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
  return out;
}

std::string enclosed(const std::vector<std::string>& items, const char* open, const char* separator,
                     const char* close) {
  std::string out = open;
  for (const std::string& item : items) {
    if (&item != &items.front()) out += separator;
    out += item;
  }
  return out + close;
}

std::vector<std::string> joined(const std::vector<JsonField>& fields) {
  std::vector<std::string> out;
  for (const auto& [name, value] : fields) out.push_back(json_string(name) + ": " + value);
  return out;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t size = utf8_length(text);
    if (size == 0) {
      out += kReplacement;
    } else if (size == 1) {
      out += escaped(text[0]);
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out + '"';
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char out[32];
  return {out, std::to_chars(out, out + sizeof out, value).ptr};
}

std::string json_object(const std::vector<JsonField>& fields) { return enclosed(joined(fields), "{", ", ", "}"); }

std::string json_array(const std::vector<std::string>& values) { return enclosed(values, "[", ", ", "]"); }

std::string json_object_lines(const std::vector<JsonField>& fields) {
  return enclosed(joined(fields), "{\n", ",\n", "\n}\n");
}

std::string json_array_lines(const std::vector<std::string>& values) {
  return values.empty() ? "[]\n" : enclosed(values, "[\n", ",\n", "\n]\n");
}

}  // namespace tacore::cli
