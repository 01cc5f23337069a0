#include "validate/meta.hpp"

#include "base/text.hpp"
#include "format/names.hpp"
#include "table/compare_columns.hpp"

namespace tacore::validator {

void MetaCheck::begin(std::string_view path) {
  table_ = nullptr;
  row_ = 0;
  rows_.clear();
  if (!section_.open_entry || !section_.entries) return;
  name_ = std::string(names::kData).append(path).append("/").append(names::kMeta);
  const auto entry = section_.entries->find(name_);
  if (!entry) return;  // reported at the row of the FOLDER
  if (section_.is_zip) offset_ = section_.entries->offset(*entry);
  try {
    table_ = LevelTable::open(section_.open_entry(*entry), where());
    check_columns();
    adopt_columns();
  } catch (const Error& error) {
    report_.add("MET-1", in_quotes(name_) + ": " + message_of(error), where());
    table_ = nullptr;
  }
}

/// The columns from which readers build the frame of a FOLDER must be those of the level (§5.3, PIT-2), in any order,
/// except for columns that link levels.
void MetaCheck::check_columns() {
  if (table_->columns() == seen_) return;
  const LevelTable& level = *section_.levels[static_cast<std::size_t>(level_)].table;
  seen_ = table_->columns();
  for (const Column& column : seen_) {
    const int same = level.find(column.name);
    if (same < 0) {
      report_.add("PIT-2",
                  in_quotes(name_) + " has a column " + in_quotes(column.name) + ", but its level table has none",
                  where());
    } else if (const auto& type = level.columns()[static_cast<std::size_t>(same)].type; type != column.type) {
      report_.add("PIT-2",
                  in_quotes(name_) + ": column " + in_quotes(column.name) + " has the type " + column.type +
                      ", the level table has " + type,
                  where());
    }
  }
  for (const Column& column : level.columns()) {
    if (column.name.starts_with(names::kInternal) || table_->find(column.name) >= 0) continue;
    report_.add("MET-4", in_quotes(name_) + " has no column " + in_quotes(column.name), where());
  }
}

/// FOLDERs of a tree have the same children, so most of their columns have the same bytes.
void MetaCheck::adopt_columns() {
  if (last_) {
    for (const auto name : {names::kId, names::kType, names::kOffset, names::kSize}) {
      const int column = table_->find(name), last = last_->find(name);
      if (column >= 0 && last >= 0) table_->adopt(column, *last_, last);
    }
  }
  last_ = table_;
}

void MetaCheck::check(const Row& row, SampleType type, std::optional<std::size_t> entry) {
  if (!table_) return;
  const std::string_view id = *row.id;
  try {
    if (row_ < table_->num_rows()) {
      const auto found_id = table_->text(table_->find(names::kId), row_);
      const auto found_type = table_->text(table_->find(names::kType), row_);
      if (found_id != id || found_type != to_string(type)) {
        report_.add("MET-2",
                    in_quotes(name_) + " row " + std::to_string(row_) + " is " + found_type.value_or("null") + " " +
                        in_quotes(found_id.value_or("")) + ", " + to_string(type) + " " + in_quotes(id) + " expected",
                    where());
      } else {
        rows_.emplace_back(section_.levels[static_cast<std::size_t>(level_)].begin + row.number, row_);
        if (section_.is_zip && entry) check_place(*entry);
      }
    }
    ++row_;
  } catch (const Error& error) {
    report_.add("MET-1", in_quotes(name_) + ": " + message_of(error), where());
    table_ = nullptr;
  }
}

/// Readers use either value.
void MetaCheck::compare_values() {
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

void MetaCheck::check_place(std::size_t entry) {
  const auto stored = [&](std::string_view name) -> std::string {
    const int column = table_->find(name);
    const auto value = column < 0 ? std::nullopt : table_->integer(column, row_);
    return value ? std::to_string(*value) : "null";
  };
  const std::string offset = stored(names::kOffset), size = stored(names::kSize);
  const std::string expected_offset = std::to_string(section_.entries->offset(entry));
  const std::string expected_size = std::to_string(section_.entries->size_of(entry));
  if (offset == expected_offset && size == expected_size) return;
  report_.add("MET-3",
              in_quotes(name_) + " row " + std::to_string(row_) + ": internal:offset is " + offset +
                  ", internal:size " + size + "; " + in_quotes(section_.entries->names()[entry]) + " is " +
                  expected_size + " bytes at " + expected_offset,
              where());
}

void MetaCheck::end() {
  if (table_ && row_ != table_->num_rows()) {
    report_.add("MET-2",
                in_quotes(name_) + " has " + counted(static_cast<uint64_t>(table_->num_rows()), "row") + ", " +
                    std::to_string(row_) + " expected",
                where());
  } else if (table_ && section_.deep && !rows_.empty()) {
    try {
      compare_values();
    } catch (const Error& error) {
      report_.add("MET-1", in_quotes(name_) + ": " + message_of(error), where());
    }
  }
  table_ = nullptr;
}

}  // namespace tacore::validator
