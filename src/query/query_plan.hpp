#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "query/run_statement.hpp"
#include "query/view.hpp"

namespace tacore {

/// The columns of the rows of a level in SQL, before any step: the stored ones and the added ones
/// (`internal:relative_path` at level 0, `internal:current_id`), without `internal:gdal_vsi` and the row key.
std::vector<Column> stored_columns(const View& view, int level);

/// Throws QueryError unless `columns`, those of the filter's level, include what the filter tests; the message lists
/// the existing columns, and the other levels that have them.
void check_tested(const View& view, const Filter& filter, std::span<const Column> columns);

/// The deepest level that a filter of `view`, or of a part, tests; 0 when all filters are on the root.
int deepest_filter(const View& view);
/// True when the rows of `level` that read() gives are not all the stored ones, here or in a part.
bool restricts(const View& view, int level);

/// True when a query of the view, or of a part, names internal:gdal_vsi: levels then include this column.
bool names_path(const View& view);

/// True when a query of the view, after the rows that are already drawn, may give other rows when it is run again.
bool draws(const View& view);
/// True when draws(), or when such a query may give the same rows in another order.
bool varies(const View& view);

/// True when a step is SQL.
bool has_query(const View& view);
/// True when a step keeps the columns and their values: a filter, and some queries.
bool keeps_columns(const Step& step);
/// True when a step of the view does not keep the columns.
bool changes_columns(const View& view);
/// True when the rows are those of one container with all their columns and values: the steps only select among them.
bool only_chooses_rows(const View& view);

/// The columns of a statement's result, and their SQL types.
struct SqlColumns {
  std::vector<Column> columns;
  std::vector<std::string> sql_types;
};

/// Builds SQL statements over a view, without reading data. `describe` gives the columns of a query that precedes a
/// filter.
class QueryPlan {
 public:
  using Describe = std::function<SqlColumns(const Statement&)>;
  QueryPlan(const View& view, Describe describe) : view_(view), describe_(std::move(describe)) {}

  /// The rows of the view. They include internal:gdal_vsi only where a query names it: computing it from the row key is
  /// cheaper.
  Statement rows() const;
  /// The FILEs of `level` below the rows of the view: columns `lN:name` of their level and of each level above, their
  /// path as gdal_vsi, and the row key.
  Statement files(int level) const;
  /// The columns after the first `steps` steps, for each of the given numbers of steps, which ascend.
  std::vector<std::vector<Column>> columns(const std::vector<std::size_t>& steps) const;
  /// The number of rows: only columns that a filter tests are read.
  Statement count() const;
  /// The survivors of all filters at `level` > 0: row key, internal:parent_id as text, internal:source_file or ''.
  Statement survivors(int level) const;
  /// Columns `names` of the rows that a statistic aggregates: those of the view (level 0), or those of `level` whose
  /// parent has `id`.
  Statement statistics(int level, const std::string& id, const std::vector<std::string>& names) const;
  /// As above, for the rows at the end of this path of ids, below each row of the view.
  Statement statistics(const std::vector<std::string>& ids, const std::vector<std::string>& names) const;
  /// Key of a row of `level`, whether it is a FOLDER, key of a child or null, id of the child; in order, and with
  /// padding unless the children are filtered.
  Statement children(int level) const;

 private:
  const View& view_;
  Describe describe_;
};

}  // namespace tacore
