#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tacore {

/// A user's query: its text without a final semicolon, and the tables that it names, in lower case.
struct Select {
  std::string text = {};
  std::set<std::string> tables = {};
  std::set<std::string> internal = {};  ///< columns `internal:*` in its select list, which are visible
  bool keeps_columns = false;           ///< `SELECT * FROM data ...`: only drops or sorts rows
  bool repeats_data = false;            ///< names `data` more than once
  /// The query may show the values of columns that its text does not name: in whole rows (`SELECT c FROM level1 c`), by
  /// position (`#3`), or under other names (`COLUMNS`, `level1 AS t(a, b)`, UNION, PIVOT).
  bool shows_unnamed = false;
  /// The query may select other rows or give other values when it is run again: random(), now(), a sample, what chooses
  /// among equal rows (LIMIT, DISTINCT ON, row_number(), arg_min()) or takes rows as they come (first(), list()).
  bool draws = false;
  /// What makes it so, such as "random()"; empty where that is only a LIMIT of the whole query, which chooses the same
  /// rows again unless it reorders them.
  std::string drawn_by = {};
  /// The rows may come in another order when the query is run again: DuckDB keeps that of a table through conditions
  /// and expressions alone, not through joins, groups and subqueries, and leaves equal rows of ORDER BY in any order.
  bool reorders = false;
  /// `SELECT * FROM data ... ORDER BY ..., id`: rows with distinct ids come in one order, whatever the query is.
  bool orders_by_id = false;
  /// The ids of a condition such as `id = 'a'` or `id IN ('a', 'b')`, if every row of the result must have one of them
  /// and the query names no table but `data`; otherwise empty.
  std::vector<std::string> ids = {};
};

/// True for l0, l1, ...: the rows of a level joined with those above them.
bool is_joined_level(std::string_view table);

/// The levels, 0 included, that the tables of a query read beside `data`: `levelN` its own, `lN` also those above it.
std::set<int> levels_read(const Select& select);

/// Parses a query. Throws QueryError unless it is one SELECT that only reads tables: no other statement, SHOW,
/// DESCRIBE, SUMMARIZE or parameter, no table function but range, generate_series and unnest, nothing that reads
/// settings or the environment.
Select inspect_select(std::string_view sql);
/// Checks that the text is one expression. Throws QueryError for anything else, subqueries included.
void inspect_expression(std::string_view sql);

/// The message of an error of `sql` with what to write instead: quotes around a column name with a colon, which SQL
/// reads as two names; the tables that exist, where DuckDB would guess one of its own.
std::string with_hint(const std::string& message, std::string_view sql);

}  // namespace tacore
