#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// JSON as text (RFC 8259): checks before it is parsed, and changes that keep members as they are written.
namespace tacore {

inline constexpr int kMaxJsonNesting = 64;

/// The byte at which arrays and objects are nested deeper than kMaxJsonNesting, if they are. Call
/// it before any recursive parser. Also right for text that is not JSON.
std::optional<uint64_t> where_too_nested(std::string_view text) noexcept;

/// Valid JSON with other white space between its tokens; numbers, strings and order stay as
/// written. `indent` spaces for each level, -1 for one line.
std::string reindent_json(std::string_view text, int indent);

/// One `"key": value` of an object, as it is written.
struct JsonMember {
  std::string_view key = {};   ///< with its quotes and escapes
  std::string_view text = {};  ///< key, colon and value, up to the comma or brace
};

/// The members of a valid JSON object, in order, equal keys included; none for an empty text.
std::vector<JsonMember> json_members(std::string_view object);

/// Names of members that occur more than once in an object of valid `json`, in order. Parsers keep different ones.
std::vector<std::string> repeated_members(std::string_view json);

/// `json` with `indent` spaces (-1: one line); keys, their order, numbers and strings stay as they
/// are. Throws FormatError when it is not JSON.
std::string reformat_json(std::string_view json, int indent);

/// A JSON string literal with its quotes; invalid UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

}  // namespace tacore
