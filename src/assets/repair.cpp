#include "tacore/ops/repair.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "assets/check.hpp"
#include "assets/repair_plan.hpp"
#include "base/log.hpp"
#include "base/report.hpp"
#include "base/text.hpp"
#include "dataset/open_container.hpp"
#include "edit/plan.hpp"
#include "io/vsi_path.hpp"
#include "model/identifier.hpp"
#include "net/storage.hpp"
#include "table/values.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

using assets::Repair;
using assets::RepairPlan;

constexpr auto kNothingAccepted = "no repair of the plan is accepted: accept some by their numbers, or in the plan";

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

/// Checks that a row is that of the sample which the plan names: the old value of another sample may well be the same.
void check_sample(const Container& container, const Repair& repair, const assets::RowRepair& row,
                  const ErrorContext& where) {
  const std::string who = "repair " + std::to_string(repair.number) + ": ";
  if (row.row < 0 || row.row >= container.stored_level(repair.level)->num_rows())
    throw ValidationError(who + "there is no row " + std::to_string(row.row), where);
  const std::string found = row.sample.empty() ? "" : container.relative_path(repair.level, row.row);
  if (found != row.sample) {
    throw ValidationError(who + "row " + std::to_string(row.row) + " is the sample " + in_quotes(found) + ", " +
                              in_quotes(row.sample) + " expected: the plan is of another dataset, or of an index of it",
                          where);
  }
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
    for (const auto& row : repair.rows) check_sample(container, repair, row, where);
    for (std::size_t c = 0; c < repair.columns.size() && !repair.rows.empty(); ++c) {
      const auto key = std::pair(repair.level, repair.columns[c]);
      auto column = columns.find(key);
      if (column == columns.end())
        column =
            columns.emplace(key, read_column(*container.stored_level(repair.level), repair.columns[c], where)).first;
      auto& [values, rows] = column->second;
      for (const auto& row : repair.rows) {
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
    throw ValidationError(kNothingAccepted, {.path = container.path()});
  return out;
}

/// The plan of one ZIP of an index.
struct PartPlan {
  std::string path = {};
  RepairPlan plan = {};

  /// `repair` without its rows, to which those of this ZIP are added.
  Repair& same(const Repair& repair) {
    if (plan.repairs.empty() || plan.repairs.back().number != repair.number) {
      plan.repairs.push_back(repair);
      plan.repairs.back().rows.clear();
      plan.repairs.back().is_accepted = true;
    }
    return plan.repairs.back();
  }
};

/// Divides the accepted repairs among the ZIPs of an index: `sample` begins with the name of the ZIP. The numbers of
/// the rows are those that an index had, which another one may have in another order.
std::vector<PartPlan> plans_of_parts(const Collection& index, const std::string& folder, const RepairPlan& plan,
                                     const ApplyOptions& options, const std::string& path) {
  std::map<std::string, PartPlan> parts;
  for (const Source& source : index.sources) {
    if (const auto why = why_unsafe_id(source.file); !why.empty())
      throw FormatError("the name " + in_quotes(source.file) + " of a ZIP " + why, {.path = path});
    parts.emplace(source.file, PartPlan{.path = path_of_name(folder, source.file)});
  }
  for (const Repair& repair : plan.repairs) {
    if (!is_made(repair, options)) continue;
    for (auto& [file, part] : parts) {
      if (repair.new_description) part.same(repair);
    }
    for (const auto& row : repair.rows) {
      const auto slash = row.sample.find('/');
      const auto part = parts.find(row.sample.substr(0, slash));
      if (slash == row.sample.npos || part == parts.end()) {
        throw ValidationError("repair " + std::to_string(repair.number) + ": the sample " + in_quotes(row.sample) +
                                  " is in no ZIP of the index; ZIP/ID expected",
                              {.path = path, .offset = {}, .level = repair.level});
      }
      auto& rows = part->second.same(repair).rows;
      rows.push_back(row);
      rows.back().sample = row.sample.substr(slash + 1);
    }
  }
  std::vector<PartPlan> out;
  for (auto& [file, part] : parts) {
    if (!part.plan.repairs.empty()) out.push_back(std::move(part));
  }
  return out;
}

/// Numbers the rows of the plan of a ZIP as the ZIP does.
void find_rows(PartPlan& part, const Container& zip) {
  std::map<int, std::unordered_map<std::string, int64_t>> known;
  for (Repair& repair : part.plan.repairs) {
    auto [level, is_new] = known.try_emplace(repair.level);
    const bool is_there = repair.level >= 0 && repair.level < zip.num_levels();
    const int64_t num_rows = is_there ? zip.stored_level(repair.level)->num_rows() : 0;
    for (int64_t row = 0; is_new && row < num_rows; ++row)
      level->second.emplace(zip.relative_path(repair.level, row), row);
    for (auto& row : repair.rows) {
      const auto found = level->second.find(row.sample);
      if (found == level->second.end()) {
        throw ValidationError("repair " + std::to_string(repair.number) + ": there is no sample " +
                                  in_quotes(row.sample) + ": the plan is of another dataset",
                              {.path = part.path, .offset = {}, .level = repair.level});
      }
      row.row = found->second;
    }
  }
}

/// Applies the plan of an index to its ZIPs, after all of it was compared with all of them.
RepairResult apply_to_parts(const Detected& index, const RepairPlan& plan, const ApplyOptions& options,
                            const std::string& path) {
  const auto storage = any_storage();
  auto parts = plans_of_parts(read_collection(*storage, index, path), index.folder, plan, options, path);
  const auto num_made = std::ranges::count_if(plan.repairs, [&](const Repair& each) { return is_made(each, options); });
  RepairResult out{.num_repairs = static_cast<int>(num_made),
                   .num_left = static_cast<int>(std::ssize(plan.repairs) - num_made)};
  if (parts.empty()) throw ValidationError(kNothingAccepted, {.path = path});
  for (PartPlan& part : parts) {
    const auto zip = open_container(storage, detect(*storage, part.path), part.path, "");
    find_rows(part, *zip);
    RepairResult ignored;
    (void)values_after(*zip, part.plan, {}, ignored);
  }
  std::size_t num_changed = 0;
  const auto warn = [&] {
    log::warning(path + ": " + std::to_string(num_changed) + " of " + std::to_string(parts.size()) +
                 " ZIPs to be repaired are; the index has the values from before: `taco index` makes a new one");
  };
  try {
    for (const PartPlan& part : parts) {
      RepairResult done;
      const auto make = [&](const std::shared_ptr<const Container>& zip) {
        done = {};
        return values_after(*zip, part.plan, {}, done);
      };
      edit_values(part.path, options.edit, make, false);
      out.num_values += done.num_values;
      ++num_changed;
    }
  } catch (const Error&) {
    if (num_changed > 0) warn();
    throw;
  }
  warn();
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
      const std::string file = container->format() == Format::Tacocat
                                   ? stored_address(*container->stored_level(layer.level), row).source_file + "/"
                                   : "";
      repair.rows.push_back({row, file + container->relative_path(layer.level, row), old_values, new_values});
    }
    plan.repairs.push_back(std::move(repair));
  }
  return encode_plan(plan);
}

RepairResult apply_repairs(const std::string& path, std::string_view json, const ApplyOptions& options) {
  const RepairPlan plan = assets::parse_plan(json);
  check_numbers(plan, options);
  require_local(path, "changed in place");
  const auto storage = any_storage();
  if (const Detected at = detect(*storage, path); at.format == Format::Tacocat)
    return apply_to_parts(at, plan, options, path);
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
