#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "query/run_statement.hpp"
#include "tacore/bbox.hpp"
#include "tacore/types.hpp"
#include "tacore/time_range.hpp"

namespace tacore {

/// A condition on one column of one level, or on the footprints of its samples.
struct Filter {
  std::variant<BBox, TimeRange> test;
  std::string column = "auto";
  int level = 0;
};

/// Of `columns`, those that the filter reads: the one it names, the first standard one (§7.2.2), or, for a box over
/// "footprint", those that tell where a sample lies. Empty when they are not there.
std::vector<Column> tested_columns(const Filter& filter, std::span<const Column> columns);

/// What to say when tested_columns() are none.
std::string why_untested(const Filter& filter, std::span<const Column> columns);

/// The condition as SQL over its columns, which there must be; values are appended to `values` and named `$n`. Throws
/// QueryError for a type that cannot hold a place or time.
std::string predicate(const Filter& filter, std::span<const Column> columns, std::vector<SqlValue>& values);

}  // namespace tacore
