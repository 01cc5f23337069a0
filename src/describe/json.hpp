#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacore/value.hpp"

namespace tacore::descriptions {

using Json = nlohmann::ordered_json;

/// The text of a document, with a newline at its end. What is not UTF-8 becomes U+FFFD.
std::string dump(const Json& document, int indent = 2);

/// U+FFFD for what is not UTF-8.
std::string valid_utf8(const std::string& text);

/// Times as RFC 3339, bytes in base64, NaN and infinities null.
Json to_json(const Value& value);

/// Sets `key` unless `text` is empty.
void set_text(Json& object, const char* key, const std::string& text);

}  // namespace tacore::descriptions
