#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "table/level_table.hpp"

struct ArrowArrayStream;
struct ArrowSchema;

/// Running statements in DuckDB: one instance for the process, started by the first query. It sees no file, network or
/// setting, only the levels of the statement that it runs. Calls are safe from several threads.
namespace tacore {

/// A time bound to a statement; `zoned` for columns of TIMESTAMP WITH TIME ZONE.
struct SqlTime {
  int64_t microseconds = 0;
  bool zoned = false;
};
/// A placeholder for the file name of one of the levels of a statement.
struct LevelFile {
  std::size_t level = 0;
};
/// A placeholder for one of the tables of a statement: its three values are the arguments of arrow_scan_dumb().
struct TableScan {
  enum class Argument { Table, Produce, Schema };
  std::size_t table = 0;
  Argument argument = Argument::Table;
};
using SqlValue = std::variant<int64_t, double, std::string, SqlTime, LevelFile, TableScan>;
/// Rows in memory; each call exports them again.
using SqlTable = std::function<void(ArrowArrayStream*)>;

/// One statement as a value: text with `$1`... for `values`.
struct Statement {
  std::string sql = {};
  std::vector<SqlValue> values = {};
  std::vector<std::shared_ptr<const LevelTable>> levels = {};
  std::vector<SqlTable> tables = {};
};

/// Runs a statement to its end and exports the rows. Throws QueryError, or the error of reading a level.
void run(const Statement& statement, ArrowArrayStream* out);
/// What run() would take of the servers of remote levels. The columns that DuckDB filters by are read, to know which
/// row groups have rows that pass; `bytes` and `requests` include reading them.
ReadCost cost_of(const Statement& statement);
/// The columns that run() would give, without running the statement. Returns their SQL types.
std::vector<std::string> describe(const Statement& statement, ArrowSchema* out);
/// Runs `sql` over the table `frame`, whose rows are `in`.
void run_over(ArrowArrayStream* in, const std::string& sql, ArrowArrayStream* out);

}  // namespace tacore
