#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tacore/value.hpp"

namespace tacore::descriptions {

using Json = nlohmann::ordered_json;

/// The JSON text, with a final newline. Bytes that are not UTF-8 become U+FFFD.
std::string dump(const Json& document, int indent = 2);

/// The text with U+FFFD for bytes that are not UTF-8.
std::string valid_utf8(const std::string& text);

/// A value as JSON: times as RFC 3339, bytes in base64, NaN and infinities null.
Json to_json(const Value& value);

/// Sets `key` unless `text` is empty.
void set_text(Json& object, const char* key, const std::string& text);

}  // namespace tacore::descriptions
