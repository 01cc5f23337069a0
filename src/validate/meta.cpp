#include "validate/meta.hpp"

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "format/names.hpp"
#include "table/compare_columns.hpp"

namespace tacore::validator {
namespace {

/// FOLDERs that a thread checks at once, and FOLDERs and children that wait for it.
constexpr std::size_t kAtOnce = 64, kMostWaiting = 1 << 14;

/// Checks FOLDERs one after the other.
class MetaCheck {
 public:
  MetaCheck(Report& report, const Section& section, int level) : report_(report), section_(section), level_(level) {}

  /// Faults of the columns of a `__meta__`. They are told once for all that follow it with the same columns.
  struct OfColumns {
    std::vector<Column> columns = {};
    Report report = {};
  };

  void check(const FolderRows& folder) {
    name_ = section_.entries->names()[folder.meta];
    if (section_.is_zip) offset_ = section_.entries->offset(folder.meta);
    rows_.clear();
    try {
      open(folder.meta);
      check_columns();
      for (std::size_t i = 0; i < folder.children.size(); ++i) check_row(folder.children[i], static_cast<int64_t>(i));
      const auto expected = static_cast<int64_t>(folder.children.size());
      if (expected != table_->num_rows()) {
        report_.add("MET-2",
                    in_quotes(name_) + " has " + counted(static_cast<uint64_t>(table_->num_rows()), "row") + ", " +
                        std::to_string(expected) + " expected",
                    where());
      } else if (section_.deep && !rows_.empty()) {
        compare_values();
      }
    } catch (const Error& error) {
      report_.add("MET-1", in_quotes(name_) + ": " + message_of(error), where());
      table_ = nullptr;
    }
  }

  std::vector<OfColumns>& of_columns() { return of_columns_; }

 private:
  /// FOLDERs of a tree have the same columns and the same children, so most of what is decoded has the same bytes.
  void open(std::size_t entry) {
    const auto last = std::move(table_);
    const auto source = section_.open_entry(entry);
    table_ = last ? LevelTable::open(source, where(), *last) : LevelTable::open(source, where());
    if (!last) return;
    for (const auto name : {names::kId, names::kType, names::kSize}) {
      const int column = table_->find(name), same = last->find(name);
      if (column >= 0 && same >= 0) table_->adopt(column, *last, same);
    }
  }

  /// The columns from which readers build the frame of a FOLDER must be those of the level (§5.3, PIT-2), in any order,
  /// except for columns that link levels.
  void check_columns() {
    if (!of_columns_.empty() && table_->columns() == of_columns_.back().columns) return;
    const LevelTable& level = *section_.levels[static_cast<std::size_t>(level_)].table;
    auto& [columns, report] = of_columns_.emplace_back(table_->columns());
    for (const Column& column : columns) {
      const int same = level.find(column.name);
      if (same < 0) {
        report.add("PIT-2",
                   in_quotes(name_) + " has a column " + in_quotes(column.name) + ", but its level table has none",
                   where());
      } else if (const auto& type = level.columns()[static_cast<std::size_t>(same)].type; type != column.type) {
        report.add("PIT-2",
                   in_quotes(name_) + ": column " + in_quotes(column.name) + " has the type " + column.type +
                       ", the level table has " + type,
                   where());
      }
    }
    for (const Column& column : level.columns()) {
      if (column.name.starts_with(names::kInternal) || table_->find(column.name) >= 0) continue;
      report.add("MET-4", in_quotes(name_) + " has no column " + in_quotes(column.name), where());
    }
  }

  void check_row(const FolderRows::Child& child, int64_t row) {
    if (row >= table_->num_rows()) return;
    const auto id = table_->text(table_->find(names::kId), row), type = table_->text(table_->find(names::kType), row);
    if (id != child.id || type != to_string(child.type)) {
      report_.add("MET-2",
                  in_quotes(name_) + " row " + std::to_string(row) + " is " + type.value_or("null") + " " +
                      in_quotes(id.value_or("")) + ", " + to_string(child.type) + " " + in_quotes(child.id) +
                      " expected",
                  where());
    } else {
      rows_.emplace_back(child.row, row);
      if (section_.is_zip && child.entry) check_place(*child.entry, row);
    }
  }

  /// Readers use either value.
  void compare_values() {
    const LevelTable& level = *section_.levels[static_cast<std::size_t>(level_)].table;
    for (std::size_t c = 0; c < table_->columns().size(); ++c) {
      const std::string& column = table_->columns()[c].name;
      const int same = level.find(column);
      if (same < 0 || column == names::kId || column == names::kType || column.starts_with(names::kInternal)) continue;
      const ComparedColumn here(*table_, static_cast<int>(c), 0, table_->num_rows());
      const ComparedColumn there(level, same, rows_.front().first, rows_.back().first + 1);
      compare_columns(there, here, rows_, [&](std::size_t i) {
        const auto [row, meta_row] = rows_[i];
        report_.add("MET-2",
                    in_quotes(name_) + " row " + std::to_string(meta_row) + ": " + column + " is " +
                        here.text(meta_row).value_or("null") + ", the level table has " +
                        there.text(row).value_or("null"),
                    where());
      });
    }
  }

  void check_place(std::size_t entry, int64_t row) {
    const auto stored = [&](std::string_view name) -> std::string {
      const int column = table_->find(name);
      const auto value = column < 0 ? std::nullopt : table_->integer(column, row);
      return value ? std::to_string(*value) : "null";
    };
    const std::string offset = stored(names::kOffset), size = stored(names::kSize);
    const std::string expected_offset = std::to_string(section_.entries->offset(entry));
    const std::string expected_size = std::to_string(section_.entries->size_of(entry));
    if (offset == expected_offset && size == expected_size) return;
    report_.add("MET-3",
                in_quotes(name_) + " row " + std::to_string(row) + ": internal:offset is " + offset +
                    ", internal:size " + size + "; " + in_quotes(section_.entries->names()[entry]) + " is " +
                    expected_size + " bytes at " + expected_offset,
                where());
  }

  ErrorContext where() const { return {.path = section_.path, .offset = offset_, .level = level_}; }

  Report& report_;
  const Section& section_;
  int level_;
  std::shared_ptr<const LevelTable> table_ = {};  ///< of the FOLDER, or of the previous one
  std::string name_ = {};
  std::optional<uint64_t> offset_ = {};
  std::vector<std::pair<int64_t, int64_t>> rows_ = {};  ///< of the level and of `__meta__`, which are one sample
  std::vector<OfColumns> of_columns_ = {};
};

}  // namespace

void MetaChecks::begin(std::string_view path) {
  if (!section_.open_entry || !section_.entries) return;
  const auto entry = section_.entries->find(std::string(names::kData).append(path).append("/").append(names::kMeta));
  if (!entry) return;  // reported at the row of the FOLDER
  waiting_.push_back({.meta = *entry});
  ++num_waiting_;
  is_open_ = true;
}

void MetaChecks::check(const Row& row, SampleType type, std::optional<std::size_t> entry) {
  if (!is_open_) return;
  const int64_t first = section_.levels[static_cast<std::size_t>(level_)].begin;
  waiting_.back().children.push_back(
      {.id = std::string(*row.id), .type = type, .row = first + row.number, .entry = entry});
  ++num_waiting_;
}

void MetaChecks::end() {
  is_open_ = false;
  if (num_waiting_ >= kMostWaiting) finish();
}

void MetaChecks::finish() {
  struct Result {
    std::vector<MetaCheck::OfColumns> of_columns = {};
    Report report = {};
  };
  std::vector<Result> results((waiting_.size() + kAtOnce - 1) / kAtOnce);
  run_parallel(results.size(), section_.jobs, [&](std::size_t number) {
    MetaCheck check(results[number].report, section_, level_);
    const auto rest = std::span(waiting_).subspan(number * kAtOnce);
    for (const FolderRows& folder : rest.first(std::min(kAtOnce, rest.size()))) check.check(folder);
    results[number].of_columns = std::move(check.of_columns());
  });
  for (auto& [of_columns, report] : results) {
    for (auto& [columns, faults] : of_columns) {
      if (columns == seen_) continue;
      report_.add(std::move(faults));
      seen_ = std::move(columns);
    }
    report_.add(std::move(report));
  }
  waiting_.clear();
  num_waiting_ = 0;
}

}  // namespace tacore::validator
