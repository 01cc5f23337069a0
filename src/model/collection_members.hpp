#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/value.hpp"

/// Edits of COLLECTION.json as text, member by member: all other members stay as they are written.
namespace tacore {

/// Sets a member of a JSON object: `with_member(R"({"a":1})", "b", 2.5)` is `{"a":1,"b":2.5}`. An existing member keeps
/// its place, a new one comes last; an empty text is an object without members. Times become RFC 3339 text, NaN and
/// infinities null. Throws SchemaError when is_model_member(key), and for a value that JSON has no form for (Binary,
/// text that is not UTF-8).
std::string with_member(std::string_view json, const std::string& key, const Value& value);

/// The key of a member of COLLECTION.json and its new JSON text; nullopt removes the member.
using MemberChange = std::pair<std::string, std::optional<std::string>>;

/// Replaces members of the JSON object `json`, each in its place; new members come before the first one of `taco:`.
/// Other members stay as they are written, with the white space of encode_collection(). Throws FormatError for text
/// that is not JSON.
std::string with_members(std::string_view json, const std::vector<MemberChange>& changes);

/// A member whose value differs between two JSON objects: both values as JSON on one line; nullopt: null or absent.
struct MemberDifference {
  std::string key = {};
  std::optional<std::string> a = {}, b = {};
};
/// Compares two JSON objects by value, ignoring white space and the order of keys. The result is in the order of `a`,
/// then of `b`. Throws FormatError.
std::vector<MemberDifference> member_differences(std::string_view a, std::string_view b);

/// Adds to the COLLECTION.json of an index, in taco:sources, the CRC-32s of the level tables of each source
/// (table/level_checksums.hpp); none for a source where they are unknown. Only tacore writes them.
std::string with_level_crc32s(std::string_view collection, const std::vector<std::vector<uint32_t>>& crc32s);
/// Reads them back: a list for each source, or nothing. Parses these numbers only, as an index is opened often.
std::vector<std::vector<uint32_t>> level_crc32s(const Collection& collection);

}  // namespace tacore
