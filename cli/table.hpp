#pragma once

#include <cstddef>
#include <string>

#include <tacore/dataframe.hpp>

namespace tacore::cli {

/// Rows as a table that fits in lines of `line_width` characters: of more than 20 rows the first and the last 10, and
/// the columns for which there is room. The last lines say how many there are, and name the columns that are left out.
std::string fitted_table(const DataFrame& rows, std::size_t line_width);

}  // namespace tacore::cli
