#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/collection.hpp"

namespace tacore {

/// Every rule of §5.5.2 that a collection to be written breaks, one sentence each: what, found,
/// expected. Empty when there is none. Stricter than reading, which takes what is published.
/// Licences may be any text; the tree, field schema and sources are not checked.
std::vector<std::string> collection_faults(const Collection& collection);

/// Members of the JSON `text` that can be read but have another form than the specification, or their extension, gives
/// them. One sentence each, which begins with the member: "licenses is "MIT", expected a list of strings".
std::vector<std::string> form_faults(std::string_view text);
/// The licences that SPDX does not know: neither an identifier, nor LicenseRef-..., nor an expression of several.
std::vector<std::string> unknown_licences(const Collection& collection);

/// The 21 tasks of the published writers.
std::span<const std::string_view> published_tasks() noexcept;
/// True for the 21 tasks of the published writers; the specification gives examples only.
bool is_task(std::string_view task) noexcept;

/// True when a contact has a name or an organization.
bool is_named(const Contact& contact) noexcept;

/// Why `title` (UTF-8) is not allowed, or "". It continues a sentence: "has 251 characters, ...".
std::string why_bad_title(std::string_view title);

}  // namespace tacore
