#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/value.hpp"

namespace tacore::assets {

/// A row of a repair: values of its columns.
struct RowRepair {
  int64_t row = 0;          ///< of the level
  std::string sample = {};  ///< path of ids; empty in a plan by another hand that leaves it out
  std::vector<Value> old_values = {}, new_values = {};
};

/// New values of some columns of one level, or a new description of one column, for one reason.
struct Repair {
  int number = 0;  ///< in the plan, from 1
  std::string rule = {}, reason = {};
  int level = 0;
  std::vector<std::string> columns = {};
  double confidence = 0;
  bool is_accepted = false;
  std::vector<RowRepair> rows = {};
  std::optional<std::string> old_description = {}, new_description = {};  ///< of columns[0]
};

/// A plan of repairs, to be made in this order.
struct RepairPlan {
  std::string dataset = {}, version = {};  ///< id and version, for people
  std::vector<Repair> repairs = {};
};

/// The plan as JSON, one line for each row.
std::string encode_plan(const RepairPlan& plan);
/// Throws FormatError, with the byte or the member.
RepairPlan parse_plan(std::string_view json);

/// Whether two values are equal: NaN equals NaN, and an integer the real number of its value.
bool is_same_value(const Value& a, const Value& b);

}  // namespace tacore::assets
