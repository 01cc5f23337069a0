#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The kinds of Tortilla that its specification names by their fields (0.5.0, "The Footer").
namespace tacore::v1 {

/// The fields of a profile that are not among the columns. Throws QueryError for a profile of another name.
std::vector<std::string> missing_fields(std::string_view profile, std::span<const std::string> columns);

}  // namespace tacore::v1
