#pragma once

#include <duckdb.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "query/read_ahead.hpp"
#include "table/level_table.hpp"

/// What the plan of a statement tells of its scans before it runs. Included by the sources of DuckDB only.
namespace duckdb {
class PhysicalOperator;
class PhysicalTableScan;
}  // namespace duckdb

namespace tacore {

/// The level that an operator scans; nullptr for operators that scan none.
using LevelOf = std::function<const LevelTable*(const duckdb::PhysicalOperator&)>;

/// The scans of levels in a plan, in its order. A row group is likely to be read where the footer of the level lets
/// expect several rows that pass the filters: values are taken as spread evenly between their bounds, columns as
/// independent, and a column that takes b bits for each value as one of 2^b values that are equally frequent. Of a join
/// the rows are expected that probably have a partner; after a limit, none.
std::vector<std::pair<const duckdb::PhysicalTableScan*, ScanForecast>> forecast_scans(
    const duckdb::PhysicalOperator& plan, const LevelOf& level_of);

}  // namespace tacore
