#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The profiles of Tortilla that its specification defines by their fields (0.5.0, "The Footer").
namespace tacore::v1 {

/// The fields of a profile that are not among the columns. Throws QueryError for an unknown profile.
std::vector<std::string> missing_fields(std::string_view profile, std::span<const std::string> columns);

}  // namespace tacore::v1
