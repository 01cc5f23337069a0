#pragma once

#include <string>
#include <string_view>

namespace tacore {

/// `__TACOPAD__N`: fills a position, is not data (§5.6). The prefix decides.
bool is_padding_id(std::string_view id) noexcept;

/// Why `id` is not a legal sample id, or "" when it is: empty, `.`, `..`, a `/`, `\` or `:`, NUL or
/// another ASCII control character, not UTF-8, a leading `__` other than padding (§5.6). It continues a
/// sentence that begins with the id: "contains a slash". Every legal id is also one that a path may be built from.
std::string why_bad_id(std::string_view id);

/// Why `key` is no name for metadata, or "" when it is one (§5.2): ASCII letters, digits and `_`, with at most one `:`
/// between two such parts; not `id`, `type`, `path` or `internal:...`. It continues a sentence that begins with the
/// key.
std::string why_bad_key(std::string_view key);

/// Why a path may not be built from `id` (what a hostile file would use to leave its folder), or ""
/// when it may: empty, `.`, `..`, a `/`, `\` or NUL.
std::string why_unsafe_id(std::string_view id);

}  // namespace tacore
