#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/value.hpp"

/// Edits of COLLECTION.json as text, one member at a time: what nobody asked to change stays as it is written.
namespace tacore {

/// A JSON object (empty text: one without members) with `value` as its member `key`, in its old place or last. Times
/// become RFC 3339 text, NaN and infinities null. Throws SchemaError for a key of the model, which has a place of its
/// own, and for a value that JSON has no form for (Binary, text that is not UTF-8).
std::string with_member(std::string_view json, const std::string& key, const Value& value);

/// A member of COLLECTION.json and its JSON text; nullopt: it goes.
using MemberChange = std::pair<std::string, std::optional<std::string>>;

/// The JSON object `json` with these members instead of its own, in their places; new ones before the first of `taco:`.
/// All else stays as it is written, but for white space, which is that of encode_collection(). Throws FormatError for
/// text that is not JSON.
std::string with_members(std::string_view json, const std::vector<MemberChange>& changes);

/// A member that two JSON objects do not have alike: its texts in one line, nullopt where it is null or absent.
struct MemberDifference {
  std::string key = {};
  std::optional<std::string> a = {}, b = {};
};
/// By value, in the order of `a`, then of `b`: neither white space counts nor the order of keys. Throws FormatError.
std::vector<MemberDifference> member_differences(std::string_view a, std::string_view b);

/// COLLECTION.json of an index, with what only tacore writes in taco:sources: for each source the CRC-32s of its level
/// tables (table/level_checksums.hpp), none where they are not known.
std::string with_level_crc32s(std::string_view collection, const std::vector<std::vector<uint32_t>>& crc32s);
/// The same of an index that was read: a list for each of its sources, or nothing. Looks at these numbers only, as an
/// index is opened often.
std::vector<std::vector<uint32_t>> level_crc32s(const Collection& collection);

}  // namespace tacore
