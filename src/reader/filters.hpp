#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "reader/duckdb_session.hpp"
#include "tacore/bbox.hpp"
#include "tacore/dataframe.hpp"
#include "tacore/time_range.hpp"

namespace tacore {

/// A condition on one column of one level.
struct Filter {
  std::variant<BBox, TimeRange> test;
  std::string column = "auto";
  int level = 0;
};

/// The column that a filter tests: the one it names, or the first standard one (§7.2.2). Throws QueryError, with what
/// is there.
Column resolve_column(const Filter& filter, std::span<const Column> columns);

/// The condition as SQL over that column; values are appended to `values` and named `$n`. `magnitude` is the largest
/// absolute value of a column of numbers, where known: it tells the unit of an epoch. Throws QueryError for a type that
/// cannot hold a place or time.
std::string predicate(const Filter& filter, const Column& column, std::optional<double> magnitude,
                      std::vector<SqlValue>& values);

}  // namespace tacore
