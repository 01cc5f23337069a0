#pragma once

#include <string>
#include <string_view>

#include "tacore/collection.hpp"

namespace tacore::v1 {

/// True for names that end in `.tortilla` or `.taco`.
bool is_v1_name(std::string_view path);

/// The collection of a dataset before 2.0 as one of 2.0: overridden by `given`, complete as v1::convert() says.
Collection collection_for_v2(const Collection& found, const Collection& given, const std::string& path);

}  // namespace tacore::v1
