#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "query/run_statement.hpp"
#include "tacore/bbox.hpp"
#include "tacore/time_range.hpp"
#include "tacore/types.hpp"

namespace tacore {

/// A condition on one column of one level, or on the footprints of its samples.
struct Filter {
  std::variant<BBox, TimeRange> test;
  std::string column = "auto";
  int level = 0;
};

/// The columns among `columns` that the filter reads: the named one, the first standard one (§7.2.2), or, for a box
/// over "footprint", those that locate a sample. Empty when they are missing.
std::vector<Column> tested_columns(const Filter& filter, std::span<const Column> columns);

/// True for a box over the footprints of samples, for which several columns are tested.
bool is_footprint(const Filter& filter, std::span<const Column> columns);

/// The message for a filter whose tested_columns() are empty.
std::string why_untested(const Filter& filter, std::span<const Column> columns);

/// The condition as SQL over its columns, which must exist; values are appended to `values` and referred to as `$n`.
/// Throws QueryError for a column type that is neither a location nor a time.
std::string predicate(const Filter& filter, std::span<const Column> columns, std::vector<SqlValue>& values);

}  // namespace tacore
