#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/value.hpp"

namespace tacore {

/// Parses COLLECTION.json (§5.4) of `path`. Throws FormatError: not UTF-8 or JSON, not an object,
/// nested deeper than 64, no `id` or `taco:pit_schema`, a known key of another type (null counts as
/// absent); SchemaError from PitSchema. Unknown keys, any taco_version and stale counts are fine.
/// Licences may also be `{licenseList: [{name}]}`; e-mails, contacts and single values where a list
/// belongs are read as lists (of several e-mails the first is kept); a contact may be just a name;
/// `data_curator` stands in for `curators`. Temporal ends may be dates, null leaves one open.
Collection parse_collection(std::string_view json, const std::string& path);

/// The text of COLLECTION.json (§5.4, §6.2): UTF-8, four spaces for each level, no newline at the end.
/// Members in the order of the model, absent ones null; then the members that only `collection.json`
/// has, as they are written there; then `taco:pit_schema`, `taco:field_schema` and, when there are
/// sources, `taco:sources`. No taco_version becomes 2.0.0, no spatial extent the globe, an empty text
/// of a contact null. What else a contact has stays as long as the contact does not change.
/// parse_collection gives all else back, unless collection_faults (collection_rules.hpp) has something
/// against it or the tree, field schema or sources are none that it takes.
/// Throws FormatError when `collection.json` is neither empty nor a JSON object with contacts that
/// can be read, and for text that is not UTF-8.
std::string encode_collection(const Collection& collection);

/// COLLECTION.json of an index, with what only tacore writes in taco:sources: for each source the CRC-32s of its level
/// tables (table/level_checksums.hpp), none where they are not known.
std::string with_level_crc32s(std::string_view collection, const std::vector<std::vector<uint32_t>>& crc32s);
/// The same of an index that was read: a list for each of its sources, or nothing. Looks at these numbers only, as an
/// index is opened often.
std::vector<std::vector<uint32_t>> level_crc32s(const Collection& collection);

/// Members that are read, and are not in the form of the specification or of the extension that writes them: one
/// sentence each, which begins with the member.
std::vector<std::string> form_faults(std::string_view text);
/// The JSON text of its member `extent`.
std::string extent_to_json(const Extent& extent);

/// Names of members that an object of valid `json` has already, in order; parsers differ in which of them they keep.
std::vector<std::string> repeated_members(std::string_view json);

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

/// The JSON text of `taco:field_schema`.
std::string encode_field_schema(const std::map<std::string, std::vector<FieldDescription>>& levels);

/// `json` with `indent` spaces (-1: one line); keys, their order, numbers and strings stay as they
/// are. Throws FormatError when it is not JSON.
std::string reformat_json(std::string_view json, int indent);

/// A JSON string literal with its quotes; invalid UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

}  // namespace tacore
