#pragma once

#include <string>
#include <string_view>

#include "tacore/collection.hpp"

namespace tacore {

/// Parses COLLECTION.json (§5.4) of `path`. Throws FormatError: not UTF-8 or JSON, not an object,
/// nested deeper than 64, no `id` or `taco:pit_schema`, a known key of another type (null counts as
/// absent); SchemaError from PitSchema. Unknown keys, any taco_version and stale counts are fine.
/// Licences may also be `{licenseList: [{name}]}`; e-mails, contacts and single values where a list
/// belongs are read as lists (of several e-mails the first is kept); a contact may be just a name;
/// `data_curator` stands in for `curators`. Temporal ends may be dates, null leaves one open.
Collection parse_collection(std::string_view json, const std::string& path);

/// `json` with `indent` spaces (-1: one line); keys, their order, numbers and strings stay as they
/// are. Throws FormatError when it is not JSON.
std::string reformat_json(std::string_view json, int indent);

/// A JSON string literal with its quotes; invalid UTF-8 becomes U+FFFD.
std::string json_string(std::string_view text);

}  // namespace tacore
