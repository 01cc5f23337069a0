#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// JSON as text, from the inside out: every function returns one value.
namespace tacore::cli {

/// Valid for any text: invalid UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);
/// The shortest text that reads back as the same number; null for NaN and infinities.
std::string json_number(double value);

using JsonField = std::pair<std::string_view, std::string>;  // name, value

std::string json_object(const std::vector<JsonField>& fields);
std::string json_array(const std::vector<std::string>& values);

/// A JSON object or array as above, with a line for each field or value, for the outermost level.
std::string json_object_lines(const std::vector<JsonField>& fields);
std::string json_array_lines(const std::vector<std::string>& values);

}  // namespace tacore::cli
