#include "tacore/ops/repair.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "assets/check.hpp"
#include "assets/repair_plan.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "dataset/open_container.hpp"
#include "edit/plan.hpp"
#include "net/storage.hpp"
#include "table/values.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

using assets::Repair;
using assets::RepairPlan;

bool is_made(const Repair& repair, const ApplyOptions& options) {
  return repair.is_accepted || options.accept_all ||
         std::ranges::find(options.accept, repair.number) != options.accept.end();
}

void check_numbers(const RepairPlan& plan, const ApplyOptions& options) {
  for (const int number : options.accept) {
    if (std::ranges::find(plan.repairs, number, &Repair::number) == plan.repairs.end())
      throw ValidationError("the plan has no repair " + std::to_string(number) + "; it has " +
                            std::to_string(plan.repairs.size()));
  }
}

/// The values of a column, and the rows that repairs have changed.
struct ChangedColumn {
  std::vector<Value> values = {};
  std::set<int64_t> rows = {};
};

ChangedColumn read_column(const LevelTable& table, const std::string& name, const ErrorContext& where) {
  const int column = table.find(name);
  if (column < 0) throw SchemaError("there is no column " + in_quotes(name), where);
  ChangedColumn out;
  for (int group = 0; group < table.num_row_groups(); ++group) {
    auto values = read_values(*table.decode(column, group));
    std::ranges::move(values, std::back_inserter(out.values));
  }
  return out;
}

/// The values that the accepted repairs leave, one after another.
ValueEdit values_after(const Container& container, const RepairPlan& plan, const ApplyOptions& options,
                       RepairResult& result) {
  std::map<std::pair<int, std::string>, ChangedColumn> columns;
  ValueEdit out;
  for (const Repair& repair : plan.repairs) {
    if (!is_made(repair, options)) {
      ++result.num_left;
      continue;
    }
    ++result.num_repairs;
    const std::string who = "repair " + std::to_string(repair.number) + ": ";
    if (repair.level < 0 || repair.level >= container.num_levels())
      throw ValidationError(who + "there is no level " + std::to_string(repair.level), {.path = container.path()});
    const ErrorContext where{.path = container.path(), .offset = {}, .level = repair.level};
    if (repair.new_description) {
      const auto& fields = container.collection().field_schema;
      const auto level = fields.find("level" + std::to_string(repair.level));
      const auto field = level == fields.end()
                             ? std::vector<FieldDescription>::const_iterator()
                             : std::ranges::find(level->second, repair.columns[0], &FieldDescription::name);
      if (level == fields.end() || field == level->second.end() || field->description != repair.old_description) {
        throw ValidationError(who + "the description of " + in_quotes(repair.columns[0]) + " is not " +
                                  in_quotes(repair.old_description.value_or("")) +
                                  ": the plan is of another dataset, or was made already",
                              where);
      }
      out.descriptions.push_back({repair.level, repair.columns[0], *repair.new_description});
    }
    for (std::size_t c = 0; c < repair.columns.size() && !repair.rows.empty(); ++c) {
      const auto key = std::pair(repair.level, repair.columns[c]);
      auto column = columns.find(key);
      if (column == columns.end())
        column =
            columns.emplace(key, read_column(*container.stored_level(repair.level), repair.columns[c], where)).first;
      auto& [values, rows] = column->second;
      for (const auto& row : repair.rows) {
        if (row.row < 0 || row.row >= static_cast<int64_t>(values.size()))
          throw ValidationError(who + "there is no row " + std::to_string(row.row), where);
        Value& value = values[static_cast<std::size_t>(row.row)];
        if (!assets::is_same_value(value, row.old_values[c])) {
          throw ValidationError(
              who + "column " + in_quotes(repair.columns[c]) + " of row " + std::to_string(row.row) + " (" +
                  in_quotes(row.sample) + ") is " + assets::text_of(value) + ", " + assets::text_of(row.old_values[c]) +
                  " expected: the plan is of another dataset, was made already, or needs a repair before it",
              where);
        }
        value = row.new_values[c];
        rows.insert(row.row);
      }
    }
  }
  for (auto& [key, column] : columns) {
    ColumnValues values{.level = key.first, .column = key.second};
    for (const int64_t row : column.rows) {
      values.rows.push_back(row);
      values.values.push_back(std::move(column.values[static_cast<std::size_t>(row)]));
    }
    result.num_values += static_cast<int64_t>(values.rows.size());
    out.values.push_back(std::move(values));
  }
  if (out.values.empty() && out.descriptions.empty())
    throw ValidationError("no repair of the plan is accepted: accept some by their numbers, or in the plan",
                          {.path = container.path()});
  return out;
}

}  // namespace

std::string propose_repairs(const std::string& path, const ProposeOptions& options) {
  const auto storage = any_storage();
  const Detected at = detect(*storage, path);
  if (at.format == Format::Tacollection)
    throw ValidationError("lists datasets, which are repaired one by one", {.path = path});
  assets::SurveyOptions how{.jobs = options.task.jobs, .transformer = options.transformer};
  if (options.task.progress)
    how.tell = [&](uint64_t num_done, uint64_t num_all) { report(options.task, num_done, num_all, path); };
  const auto container = open_container(storage, at, path, options.base_path);
  const auto found = assets::check_assets(container, how);
  RepairPlan plan{.dataset = container->collection().id, .version = container->collection().dataset_version};
  for (const auto& finding : found.findings) {
    if (finding.confidence == 0) continue;
    const assets::Layer& layer = found.survey.layers[finding.layer];
    Repair repair{.number = static_cast<int>(plan.repairs.size()) + 1,
                  .rule = finding.rule,
                  .reason = finding.reason,
                  .level = layer.level,
                  .columns = finding.columns,
                  .confidence = finding.confidence,
                  .is_accepted = finding.is_accepted};
    if (finding.description) {
      repair.old_description = finding.description->old_text;
      repair.new_description = finding.description->new_text;
    }
    for (const auto& [index, old_values, new_values] : finding.changes) {
      const int64_t row = layer.rows[index];
      repair.rows.push_back({row, container->relative_path(layer.level, row), old_values, new_values});
    }
    plan.repairs.push_back(std::move(repair));
  }
  return encode_plan(plan);
}

RepairResult apply_repairs(const std::string& path, std::string_view json, const ApplyOptions& options) {
  const RepairPlan plan = assets::parse_plan(json);
  check_numbers(plan, options);
  RepairResult out;
  edit_values(path, options.edit, [&](const std::shared_ptr<const Container>& container) {
    out = {};
    return values_after(*container, plan, options, out);
  });
  return out;
}

std::string inverse_repairs(std::string_view json, const ApplyOptions& options) {
  RepairPlan plan = assets::parse_plan(json);
  check_numbers(plan, options);
  std::erase_if(plan.repairs, [&](const Repair& repair) { return !is_made(repair, options); });
  std::ranges::reverse(plan.repairs);
  for (std::size_t i = 0; i < plan.repairs.size(); ++i) {
    Repair& repair = plan.repairs[i];
    repair.number = static_cast<int>(i) + 1;
    repair.is_accepted = true;
    repair.reason = "undoes: " + repair.reason;
    std::swap(repair.old_description, repair.new_description);
    for (auto& row : repair.rows) std::swap(row.old_values, row.new_values);
  }
  return encode_plan(plan);
}

}  // namespace tacore
