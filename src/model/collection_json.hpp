#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/collection.hpp"

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
/// sources, `taco:sources`. An absent taco_version becomes 2.0.0, an absent spatial extent the globe, an
/// empty text of a contact null. Other members of a contact stay as long as the contact does not change.
/// parse_collection() restores all else, unless the collection breaks a rule (collection_faults() in
/// collection_rules.hpp), or has a tree, field schema or sources that parse_collection() refuses.
/// Throws FormatError when `collection.json` is neither empty nor a JSON object with contacts that
/// can be read, and for text that is not UTF-8.
std::string encode_collection(const Collection& collection);

/// Whether `key` is a member of COLLECTION.json that Collection also has, such as "licenses".
bool is_model_member(std::string_view key);

/// The JSON text of its member `extent`.
std::string extent_to_json(const Extent& extent);

/// The JSON text of `taco:field_schema`.
std::string encode_field_schema(const std::map<std::string, std::vector<FieldDescription>>& levels);

}  // namespace tacore
