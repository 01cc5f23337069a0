#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "query/run_statement.hpp"
#include "query/view.hpp"

namespace tacore {

/// The columns that the rows of a level have in SQL, before any step: the stored ones and those that are added
/// (`internal:relative_path` at level 0, `internal:current_id`), without `internal:gdal_vsi` and the row key.
std::vector<Column> stored_columns(const View& view, int level);

/// Throws QueryError unless `columns`, those of the level that the filter tests, have what it tests: with what is
/// there, and which other levels have it.
void check_tested(const View& view, const Filter& filter, std::span<const Column> columns);

/// The deepest level that a filter of `view`, or of a part, tests; 0 when none goes below the root.
int deepest_filter(const View& view);
/// True when the rows of `level` that read() shows are not all that are stored, here or in a part.
bool restricts(const View& view, int level);

/// True when a query of the view, or of a part, names internal:gdal_vsi: then levels come with it.
bool names_path(const View& view);
/// The same of internal:offset and internal:size: then levels are proved first.
bool names_place(const View& view);

/// True when a query of the view, after the rows that are drawn already, may give other rows when it is run again.
bool draws(const View& view);

/// True when a step is SQL.
bool has_query(const View& view);
/// Filters keep the columns and their values, and so do some queries.
bool keeps_columns(const Step& step);
/// A step does not.
bool changes_columns(const View& view);
/// True when the rows are those of one container with all their columns, values untouched: the steps only choose among
/// them.
bool only_chooses_rows(const View& view);

/// The columns that a statement gives, and their types in SQL.
struct SqlColumns {
  std::vector<Column> columns;
  std::vector<std::string> sql_types;
};

/// Statements over a view. Making one touches no data; `describe` is asked for the columns of a query that precedes a
/// filter.
class QueryPlan {
 public:
  using Describe = std::function<SqlColumns(const Statement&)>;
  QueryPlan(const View& view, Describe describe) : view_(view), describe_(std::move(describe)) {}

  /// The rows of the view. internal:gdal_vsi is among them only where a query names it: else it is cheaper made from
  /// the row key.
  Statement rows() const;
  /// The columns of the rows after the first `steps` steps, for each number of `steps`, ascending.
  std::vector<std::vector<Column>> columns(const std::vector<std::size_t>& steps) const;
  /// Their number alone: no column is read that no filter tests.
  Statement count() const;
  /// The survivors of all filters at `level` > 0: row key, internal:parent_id as text, internal:source_file or ''.
  Statement survivors(int level) const;
  /// Columns `names` of the rows that a statistic aggregates: the view's (level 0), or those of `level` whose parent
  /// has `id`.
  Statement statistics(int level, const std::string& id, const std::vector<std::string>& names) const;
  /// The same of the rows at the end of these ids, below each row of the view.
  Statement statistics(const std::vector<std::string>& ids, const std::vector<std::string>& names) const;
  /// (key of a row of `level`, whether it is a FOLDER, key of a child or null, id of the child), in order; with padding
  /// unless the children are filtered.
  Statement children(int level) const;

 private:
  const View& view_;
  Describe describe_;
};

}  // namespace tacore
