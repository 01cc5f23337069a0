#include "model/json_node.hpp"

#include "model/json_text.hpp"

namespace tacore {

using nlohmann::json;

namespace {

/// What a parser's message says is wrong, without its prefix and the text it read (of any length).
std::string reason(std::string_view message) {
  const auto start = message.find("syntax error ");
  if (start == message.npos) return "a value that is out of range or not UTF-8";
  message.remove_prefix(start);
  return std::string(message.substr(0, message.find("; last read")));
}

}  // namespace

json parse_json(std::string_view text, const std::string& path, const json::parser_callback_t& see) {
  if (const auto at = where_too_nested(text)) {
    throw FormatError("JSON is nested deeper than " + std::to_string(kMaxJsonNesting), {.path = path, .offset = at});
  }
  // The parser takes a NUL byte for the end, and what follows it for nothing.
  if (const auto at = text.find('\0'); at != text.npos) {
    throw FormatError("not JSON: a NUL byte", {.path = path, .offset = at});
  }
  try {
    return json::parse(text, see);
  } catch (const json::parse_error& error) {
    throw FormatError("not JSON: " + reason(error.what()),
                      {.path = path, .offset = error.byte > 0 ? error.byte - 1 : 0});
  } catch (const json::exception& error) {
    throw FormatError("not JSON: " + reason(error.what()), {.path = path});
  }
}

}  // namespace tacore
