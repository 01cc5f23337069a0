#include "table/sample_table.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "model/identifier.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"
#include "table/read_table.hpp"
#include "table/reserved_columns.hpp"
#include "table/tortilla_columns.hpp"
#include "tacore/error.hpp"
#include "tacore/time_range.hpp"

namespace tacore {
namespace {

struct Renamed {
  std::string from, to;
  const char* option;  ///< of the tool
};

std::vector<Renamed> renamed(const TableOptions& options) {
  std::vector<Renamed> out;
  if (!options.id_column.empty()) out.push_back({options.id_column, "id", "--id-column"});
  if (!options.path_column.empty() && options.path_column != options.id_column)
    out.push_back({options.path_column, "path", "--path-column"});
  if (!options.time_column.empty()) out.push_back({options.time_column, "stac:time_start", "--time-column"});
  for (const auto& [from, to] : options.rename) out.push_back({from, to, "--rename"});
  return out;
}

/// A word of a command line that a shell reads as `text`.
std::string shell_word(const std::string& text) {
  const std::string plain = without_controls(text);
  const bool is_plain = std::all_of(plain.begin(), plain.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == ':' || c == '-' || c == '.' || c == '/' || c >= 0x80;
  });
  if (is_plain && !plain.empty()) return plain;
  if (plain.find_first_of("\"$`\\!") == plain.npos) return '"' + plain + '"';
  std::string out = "'";
  for (const char c : plain) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

/// A name of metadata like `name`, other than those in `taken`.
std::string legal_name(const std::string& name, const std::set<std::string>& taken) {
  std::string out;
  for (const char c : name) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_word) out += c;
    else if (!out.empty() && out.back() != '_') out += '_';
  }
  while (out.ends_with('_')) out.pop_back();
  return out.empty() || taken.contains(out) || !why_bad_key(out).empty() ? "NEW_NAME" : out;
}

/// The column that most likely is meant by `name`, which is `id` or `path`.
std::optional<std::string> likely_column(const std::string& name, const std::vector<std::string>& columns) {
  std::optional<std::string> file;  // its names may be ids, too
  for (const auto& column : columns) {
    const std::string folded = lower(trimmed(column));
    const bool is_name = name == "id" && folded == "name";
    if (is_name || folded == name || folded == name + "s" || folded.ends_with("_" + name)) return column;
    if (!file && (folded == "file" || folded == "filename" || folded == "filepath")) file = column;
  }
  return file;
}

/// `columns` are the names in the file, `names` those that they get.
void check_required(const std::vector<std::string>& columns, const std::vector<std::string>& names,
                    const std::string& name, const std::string& option, const std::string& path) {
  if (std::ranges::find(names, name) != names.end()) return;
  const auto meant = likely_column(name, columns);
  const std::string hint = meant ? "did you mean " + in_quotes(*meant) + "? " + option + " " + shell_word(*meant)
                                 : "name the one that has the " + name + "s: " + option + " NAME";
  throw SchemaError("no column " + in_quotes(name) + ": " + join(columns, ", ") + "; " + hint, {.path = path});
}

/// All names that are not allowed, and how to change them.
void check_names(const std::vector<std::string>& columns, const TableOptions& options, const std::string& path) {
  const std::set<std::string> taken(columns.begin(), columns.end());
  std::vector<std::string> faults;
  std::string hint;
  for (const auto& name : columns) {
    if (name == "id" || name == "path" || name == "type") continue;
    const auto why = why_bad_key(name);
    if (why.empty()) continue;
    faults.push_back("column " + in_quotes(name) + " " + why);
    hint += " --rename " + shell_word(name_in_file(name, options)) + "=" + legal_name(name, taken);
  }
  if (faults.empty()) return;
  throw SchemaError(join(faults, "; ") + "; rename " + (faults.size() == 1 ? "it:" : "them:") + hint, {.path = path});
}

/// The time that a cell of text or of whole numbers means; nullopt for what is no time.
std::optional<int64_t> time_of(const std::string& name, const arrow::Array& values, int64_t row,
                               const std::string& text) {
  try {
    if (text.size() == 4 || text.size() == 7) {  // a year or month
      const TimeRange period = TimeRange::parse(text);
      return (name.ends_with("_end") ? period.end : period.start).microseconds;
    }
    if (!is_text(*values.type())) return std::nullopt;
    return static_cast<const arrow::TimestampArray&>(*timestamps(name, values.Slice(row, 1))).Value(0);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::string name_in_file(const std::string& name, const TableOptions& options) {
  for (const auto& each : renamed(options)) {
    if (each.to == name) return each.from;
  }
  return name;
}

TableWithData take_data(const std::shared_ptr<arrow::Table>& table, const TableOptions& options) {
  const int column = table->schema()->GetFieldIndex("data");
  if (column < 0 || !arrow::is_base_binary_like(table->column(column)->type()->id()) ||
      is_text(*table->column(column)->type())) {
    return {table};
  }
  TableWithData out{.table = check(table->RemoveColumn(column)), .owner = table->column(column)};
  for (const auto& chunk : out.owner->chunks()) {
    for (int64_t row = 0; row < chunk->length(); ++row) out.bytes.push_back(binary_cell(*chunk, row));
  }
  if (options.path_column.empty() && out.table->schema()->GetFieldIndex("path") < 0) {
    auto none = check(arrow::MakeArrayOfNull(arrow::utf8(), table->num_rows()));
    out.table = check(out.table->AddColumn(out.table->num_columns(), arrow::field("path", arrow::utf8()),
                                           std::make_shared<arrow::ChunkedArray>(std::move(none))));
  }
  return out;
}

std::shared_ptr<arrow::Table> with_sample_names(const std::shared_ptr<arrow::Table>& table, const TableOptions& options,
                                                const std::string& path) {
  const auto before = column_names(*table);
  auto names = before;
  std::set<std::string> done;
  for (const auto& [from, to, option] : renamed(options)) {
    const auto found = std::ranges::find(before, from);
    if (found == before.end()) {
      throw SchemaError(std::string(option) + ": " + no_column(in_quotes(from), from, before), {.path = path});
    }
    if (!done.insert(from).second) {
      throw SchemaError(std::string(option) + ": column " + in_quotes(from) + " gets two names; one expected",
                        {.path = path});
    }
    names[static_cast<std::size_t>(found - before.begin())] = to;
  }
  for (const auto& [from, to, option] : renamed(options)) {
    if (std::ranges::count(names, to) < 2) continue;
    const bool is_there = std::ranges::find(before, to) != before.end() && !done.contains(to);
    throw SchemaError(std::string(option) + ": two columns would be called " + in_quotes(to) +
                          (is_there ? "; rename that of the table too: --rename " + shell_word(to) + "=NEW_NAME" : ""),
                      {.path = path});
  }
  auto out = table;
  if (!options.id_column.empty() && options.id_column == options.path_column && !std::ranges::count(names, "path")) {
    // Names of files are ids as well.
    const int ids = static_cast<int>(std::ranges::find(before, options.id_column) - before.begin());
    out = check(table->AddColumn(table->num_columns(), table->field(ids)->WithName("path"), table->column(ids)));
    names.emplace_back("path");
  }
  check_required(before, names, "id", "--id-column", path);
  check_required(before, names, "path", "--path-column", path);
  check_names(names, options, path);
  return check(out->RenameColumns(names));
}

void RowFaults::add(int64_t row, const std::string& what, int64_t other, int error_number) {
  constexpr std::size_t kMostKept = 20;
  ++num_faults_;
  first_.insert({row, {what, other, error_number}});
  if (first_.size() > kMostKept) first_.erase(std::prev(first_.end()));
}

void RowFaults::throw_if_any() const {
  if (num_faults_ == 0) return;
  std::set<int64_t> rows;
  for (const auto& [row, fault] : first_) {
    rows.insert(row);
    if (fault.other >= 0) rows.insert(fault.other);
  }
  const std::vector<int64_t> sorted(rows.begin(), rows.end());
  const auto lines = lines_of_rows(path_, options_, sorted);
  const auto place = [&](int64_t row) {
    const auto at = static_cast<std::size_t>(std::ranges::lower_bound(sorted, row) - sorted.begin());
    return at < lines.size() ? "line " + std::to_string(lines[at]) : "row " + std::to_string(row);
  };
  std::vector<std::string> told;
  for (const auto& [row, fault] : first_) {
    told.push_back(place(row) + fault.what + (fault.other < 0 ? "" : " " + place(fault.other)));
    if (fault.error_number == 0) continue;
    if (num_faults_ == 1) throw IoError(told[0], {.path = path_}, fault.error_number);
    told.back() += ": " + std::generic_category().message(fault.error_number);
  }
  if (num_faults_ == 1) throw SchemaError(told[0], {.path = path_});
  const auto num_told = static_cast<int64_t>(told.size());
  throw SchemaError(std::to_string(num_faults_) + " faults" +
                        (num_told < num_faults_ ? ", the first " + std::to_string(num_told) : "") + ":\n  " +
                        join(told, "\n  "),
                    {.path = path_});
}

std::shared_ptr<arrow::Table> with_times(const std::shared_ptr<arrow::Table>& table, const TableOptions& options,
                                         RowFaults& faults) {
  auto out = table;
  const auto set = [&](int c, const std::shared_ptr<arrow::Array>& times) {
    out =
        check(out->SetColumn(c, out->field(c)->WithType(times->type()), std::make_shared<arrow::ChunkedArray>(times)));
  };
  for (const ReservedField& field : kReservedFields) {
    const std::string name(field.name);
    const int c = out->schema()->GetFieldIndex(name);
    if (c < 0 || field.kind != FieldKind::Time) continue;
    const auto values = out->column(c)->chunk(0);
    const bool is_whole = arrow::is_integer(values->type_id());
    try {
      if (!is_whole) {
        set(c, timestamps(name, values));
        continue;
      }
    } catch (const SchemaError&) {
      if (!is_text(*values->type())) throw;
    }
    arrow::TimestampBuilder times(arrow::timestamp(arrow::TimeUnit::MICRO), arrow::default_memory_pool());
    for (int64_t row = 0; row < values->length(); ++row) {
      if (values->IsNull(row)) {
        check(times.AppendNull());
        continue;
      }
      const std::string text = is_whole ? std::to_string(integer_cell(*values, row).value_or(INT64_MAX))
                                        : std::string(*text_cell(*values, row));
      const auto time = time_of(name, *values, row, text);
      if (!time) {
        faults.add(
            row, ", column " + in_quotes(name_in_file(name, options)) + ": " + in_quotes(text) +
                     " is no time; 2005-06-30T10:00:00Z (at most microseconds), 2005-06-30, 2005-06 or 2005 expected");
      }
      check(times.Append(time.value_or(0)));
    }
    set(c, check(times.Finish()));
  }
  return out;
}

}  // namespace tacore
