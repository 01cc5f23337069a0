#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacore/collection.hpp"

/// The COLLECTION of TACO 0.2.0: its JSON, and its translation to the model of TACO 2.
namespace tacore::v1 {

/// Parses a COLLECTION of `path`, in any published form: flat or nested extents, milliseconds or RFC 3339, tasks as
/// titles or slugs, a text in place of a list, `data_curator`, sensors at the top level, `rai:` members in both
/// spellings. Null counts as absent; absent members stay empty, with a warning for `id` and `dataset_version`. An
/// invalid extent is ignored, with a warning. Several boxes are merged into one, and heights are dropped. `json` keeps
/// the text unchanged. Throws FormatError as tacore::parse_collection() does: not UTF-8 or JSON, not an object, nested
/// deeper than 64, a known member of another type.
Collection parse_stored_collection(std::string_view json, const std::string& path);

/// Encodes a COLLECTION of TACO 0.2.0 in one line: the 17 members of the specification in the order of the published
/// writers, null when unset; then the members that only `collection.json` has, unchanged. `collection.json` may have
/// the form of TACO 2, whose names are translated (docs/format.md, "v1 and v2"). Extents are [west, south, east, north]
/// and milliseconds; a known sensor gets its bands. Throws ValidationError for bands that the sensor does not have,
/// FormatError as tacore::encode_collection() does.
std::string encode_collection(const Collection& collection);

/// The same collection with the names of TACO 2, as v1::parse_collection() gives one, for create(). Nothing is lost:
/// what only TACO 0.2.0 has keeps its name. encode_collection() turns it back. No taco_version.
Collection to_v2(const Collection& collection);

/// The text of `json`, a COLLECTION of `path` in any form, with the members and names of TACO 2; what has them already
/// stays the same. Throws FormatError as parse_stored_collection().
std::string v2_text(std::string_view json, const std::string& path);

/// The findings about a COLLECTION, one sentence each, which begins with the path of the member.
struct CollectionFindings {
  std::vector<std::string> faults = {};  ///< rules that are broken
  std::vector<std::string> advice = {};  ///< legal, or accepted by all readers, but not recommended
};
CollectionFindings examine_collection(std::string_view json);

/// Only the faults: the broken rules of the specification of TACO 0.2.0. Without faults it may be written.
std::vector<std::string> collection_faults(std::string_view json);

/// Why `text` is no URI (RFC 3986), a clause such as "has no scheme", or "".
std::string why_bad_uri(std::string_view text);

}  // namespace tacore::v1
