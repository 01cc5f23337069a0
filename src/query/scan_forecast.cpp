#include "query/scan_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <duckdb/execution/operator/order/physical_top_n.hpp>
#include <duckdb/execution/operator/scan/physical_table_scan.hpp>
#include <duckdb/planner/filter/conjunction_filter.hpp>
#include <duckdb/planner/filter/constant_filter.hpp>
#include <duckdb/planner/filter/in_filter.hpp>
#include <duckdb/planner/filter/optional_filter.hpp>
#include <optional>

namespace tacore {
namespace {

/// Numbers as they are, times in seconds since 1970, as those of LevelTable::stored_values().
std::optional<double> number_of(const duckdb::Value& value) {
  using Id = duckdb::LogicalTypeId;
  if (value.IsNull()) return std::nullopt;
  switch (value.type().id()) {
    case Id::DATE: return 86400.0 * value.GetValueUnsafe<duckdb::date_t>().days;
    case Id::TIMESTAMP_SEC: return static_cast<double>(value.GetValueUnsafe<int64_t>());
    case Id::TIMESTAMP_MS: return 1e-3 * static_cast<double>(value.GetValueUnsafe<int64_t>());
    case Id::TIMESTAMP:
    case Id::TIMESTAMP_TZ: return 1e-6 * static_cast<double>(value.GetValueUnsafe<int64_t>());
    case Id::TIMESTAMP_NS: return 1e-9 * static_cast<double>(value.GetValueUnsafe<int64_t>());
    default: return value.type().IsNumeric() ? std::optional(value.GetValue<double>()) : std::nullopt;
  }
}

/// The share of the values that pass a comparison; 0 where that is not known.
double share_of(const duckdb::ConstantFilter& comparison, const LevelTable::StoredValues& values) {
  using Type = duckdb::ExpressionType;
  const double share_of_value = std::exp2(-values.bits);
  if (comparison.comparison_type == Type::COMPARE_EQUAL) return share_of_value;
  if (comparison.comparison_type == Type::COMPARE_NOTEQUAL) return 1 - share_of_value;
  const auto bound = number_of(comparison.constant);
  if (!bound || !values.bounds) return 0;
  const auto [least, most] = *values.bounds;
  const double share_below = *bound <= least ? 0 : *bound >= most ? 1 : (*bound - least) / (most - least);
  switch (comparison.comparison_type) {
    case Type::COMPARE_LESSTHAN:
    case Type::COMPARE_LESSTHANOREQUALTO: return share_below;
    case Type::COMPARE_GREATERTHAN:
    case Type::COMPARE_GREATERTHANOREQUALTO: return 1 - share_below;
    default: return 0;
  }
}

double share_of(const duckdb::TableFilter& filter, const LevelTable::StoredValues& values) {
  using Type = duckdb::TableFilterType;
  switch (filter.filter_type) {
    case Type::CONSTANT_COMPARISON: return share_of(filter.Cast<duckdb::ConstantFilter>(), values);
    case Type::IN_FILTER:
      return std::min(1.0,
                      static_cast<double>(filter.Cast<duckdb::InFilter>().values.size()) * std::exp2(-values.bits));
    case Type::IS_NOT_NULL: return 1;
    case Type::OPTIONAL_FILTER: {
      // It rules out row groups, and other operators test the rows: a row group with rows that pass is read.
      const auto& child = filter.Cast<duckdb::OptionalFilter>().child_filter;
      return child ? share_of(*child, values) : 0;
    }
    case Type::CONJUNCTION_AND: {
      double out = 1;
      for (const auto& one : filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) out *= share_of(*one, values);
      return out;
    }
    case Type::CONJUNCTION_OR: {
      double out = 0;
      for (const auto& one : filter.Cast<duckdb::ConjunctionOrFilter>().child_filters) out += share_of(*one, values);
      return std::min(out, 1.0);
    }
    default: return 0;
  }
}

/// The number of rows of a row group that probably pass the filters of a scan; 0 where the footer does not tell.
double expected_rows(const duckdb::PhysicalTableScan& scan, const LevelTable& level, int group) {
  auto out = static_cast<double>(level.group_begin(group + 1) - level.group_begin(group));
  if (!scan.table_filters) return out;
  for (const auto& [at, filter] : scan.table_filters->filters) {
    const auto& column = scan.column_ids[at];
    // Fields of structures, and row numbers, have no bounds here.
    if (column.HasChildren() || column.GetPrimaryIndex() >= level.file_columns().size()) return 0;
    const auto values = level.stored_values(static_cast<int>(column.GetPrimaryIndex()), group);
    out *= (1 - values.nulls) * share_of(*filter, values);
  }
  return out;
}

/// Which part of an operator's rows is read.
struct Reach {
  bool is_whole = true;  ///< certainly all
  double share = 1;      ///< probably
};

using Type = duckdb::PhysicalOperatorType;

bool reads_all(Type type) {
  constexpr Type kAll[] = {Type::RESULT_COLLECTOR,
                           Type::PROJECTION,
                           Type::FILTER,
                           Type::ORDER_BY,
                           Type::WINDOW,
                           Type::STREAMING_WINDOW,
                           Type::UNGROUPED_AGGREGATE,
                           Type::HASH_GROUP_BY,
                           Type::PERFECT_HASH_GROUP_BY};
  return std::ranges::find(kAll, type) != std::end(kAll);
}

bool is_join(Type type) {
  constexpr Type kJoins[] = {Type::HASH_JOIN,        Type::NESTED_LOOP_JOIN, Type::BLOCKWISE_NL_JOIN,
                             Type::RIGHT_DELIM_JOIN, Type::LEFT_DELIM_JOIN,  Type::CROSS_PRODUCT};
  return std::ranges::find(kJoins, type) != std::end(kJoins);
}

class Forecast {
 public:
  explicit Forecast(const LevelOf& level_of) : level_of_(level_of) {}

  void add(const duckdb::PhysicalOperator& plan, Reach reach) {
    if (const LevelTable* level = level_of_(plan)) {
      const auto& scan = plan.Cast<duckdb::PhysicalTableScan>();
      scans_.emplace_back(&scan, forecast_of(scan, *level, reach));
    }
    // Joins and limits may end before their input does.
    reach.is_whole = reach.is_whole && reads_all(plan.type);
    if (plan.type == Type::TOP_N) reach.share = 1;
    else if (!reads_all(plan.type) && !is_join(plan.type)) reach.share = 0;
    const auto children = plan.GetChildren();
    for (const auto& child : children) {
      Reach its = reach;
      for (const auto& other : children) {
        if (is_join(plan.type) && &other.get() != &child.get())
          its.share = std::min(its.share, expected_share(other.get()));
      }
      add(child.get(), its);
    }
  }

  std::vector<std::pair<const duckdb::PhysicalTableScan*, ScanForecast>> take() { return std::move(scans_); }

 private:
  static ScanForecast forecast_of(const duckdb::PhysicalTableScan& scan, const LevelTable& level, Reach reach) {
    // With so many expected rows one at least is nearly certain, were they drawn at random.
    constexpr double kEnough = 4;
    const bool has_filters = scan.table_filters && !scan.table_filters->filters.empty();
    ScanForecast out{.is_whole = reach.is_whole && !has_filters};
    if (!is_far(level)) return out;
    for (int group = 0; group < level.num_row_groups(); ++group)
      out.is_likely.push_back(reach.share * expected_rows(scan, level, group) >= kEnough);
    return out;
  }

  static bool is_far(const LevelTable& level) { return level.source()->bytes_of_round_trip() > 0; }

  /// The share of the rows of its levels that an operator probably has.
  double expected_share(const duckdb::PhysicalOperator& plan) const {
    if (const LevelTable* level = level_of_(plan)) {
      if (!is_far(*level)) return 1;
      double expected = 0;
      for (int group = 0; group < level->num_row_groups(); ++group)
        expected += expected_rows(plan.Cast<duckdb::PhysicalTableScan>(), *level, group);
      return expected / rows_of(*level);
    }
    if (plan.type == Type::TOP_N) {
      // The filter of its scan comes about while it runs, and tells nothing beforehand.
      const auto& order = plan.Cast<duckdb::PhysicalTopN>();
      const LevelTable* below = level_below(plan);
      return below ? (static_cast<double>(order.limit) + static_cast<double>(order.offset)) / rows_of(*below) : 1;
    }
    double out = 1;
    for (const auto& child : plan.GetChildren()) out = std::min(out, expected_share(child.get()));
    return out;
  }

  /// The first level below an operator; nullptr where there is none.
  const LevelTable* level_below(const duckdb::PhysicalOperator& plan) const {
    const LevelTable* out = level_of_(plan);
    for (const auto& child : plan.GetChildren()) out = out ? out : level_below(child.get());
    return out;
  }

  static double rows_of(const LevelTable& level) { return static_cast<double>(std::max<int64_t>(1, level.num_rows())); }

  const LevelOf& level_of_;
  std::vector<std::pair<const duckdb::PhysicalTableScan*, ScanForecast>> scans_ = {};
};

}  // namespace

std::vector<std::pair<const duckdb::PhysicalTableScan*, ScanForecast>> forecast_scans(
    const duckdb::PhysicalOperator& plan, const LevelOf& level_of) {
  Forecast out(level_of);
  out.add(plan, Reach());
  return out.take();
}

}  // namespace tacore
