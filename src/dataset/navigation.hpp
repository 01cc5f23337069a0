#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tacore/dataframe.hpp"

namespace tacore {

/// The row at the end of a path of ids ("a/b"), and its frame. Throws NavigationError.
std::pair<DataFrame, int64_t> locate(const DataFrame& frame, std::string_view path);
/// The row at the end of a path of ids below `row`, and its frame. Throws NavigationError.
std::pair<DataFrame, int64_t> locate_below(DataFrame frame, int64_t row, std::span<const std::string> ids);

}  // namespace tacore
