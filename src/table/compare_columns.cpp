#include "table/compare_columns.hpp"

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/compare.h>
#include <arrow/type.h>

#include <algorithm>
#include <set>

#include "table/arrow_error.hpp"
#include "table/encode.hpp"

namespace tacore {
namespace {

/// Consecutive rows in both columns, each in one array.
struct Run {
  const arrow::Array& a;
  const arrow::Array& b;
  int64_t a_row = 0, b_row = 0;
  std::size_t first = 0;
};

bool is_equal(const Run& run, int64_t begin, int64_t end) {
  if (run.a.type()->Equals(run.b.type())) {
    const auto options = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
    return run.a.RangeEquals(run.a_row + begin, run.a_row + end, run.b_row + begin, run.b, options);
  }
  for (int64_t i = begin; i < end; ++i) {
    if (cell_as_text(run.a, run.a_row + i) != cell_as_text(run.b, run.b_row + i)) return false;
  }
  return true;
}

/// Binary search for differences: of a million equal rows none is compared twice.
void find(const Run& run, int64_t begin, int64_t end, const std::function<void(std::size_t)>& differs) {
  if (is_equal(run, begin, end)) return;
  if (end - begin == 1) return differs(run.first + static_cast<std::size_t>(begin));
  const int64_t middle = begin + (end - begin) / 2;
  find(run, begin, middle, differs);
  find(run, middle, end, differs);
}

}  // namespace

ComparedColumn::ComparedColumn(std::span<const std::shared_ptr<const LevelTable>> tables, const std::string& name)
    : begins_{0} {
  for (const auto& table : tables) {
    const int column = table->find(name);
    for (int g = 0; g < table->num_row_groups(); ++g) {
      const int64_t rows = table->group_begin(g + 1) - table->group_begin(g);
      chunks_.push_back(column < 0 ? check(arrow::MakeArrayOfNull(arrow::null(), rows)) : table->decode(column, g));
      begins_.push_back(begins_.back() + rows);
    }
  }
}

ComparedColumn::ComparedColumn(const LevelTable& table, int column, int64_t begin, int64_t end) {
  int group = begin < end ? table.group_of(begin) : 0;
  begins_.push_back(table.group_begin(group));
  for (; begins_.back() < end; ++group) {
    chunks_.push_back(table.array(column, group));
    begins_.push_back(table.group_begin(group + 1));
  }
}

std::size_t ComparedColumn::chunk_of(int64_t row) const {
  return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), row) - begins_.begin() - 1);
}

std::optional<std::string> ComparedColumn::text(int64_t row) const {
  const std::size_t chunk = chunk_of(row);
  return cell_as_text(*chunks_[chunk], row - begins_[chunk]);
}

void compare_columns(const ComparedColumn& a, const ComparedColumn& b,
                     std::span<const std::pair<int64_t, int64_t>> rows,
                     const std::function<void(std::size_t)>& differs) {
  for (std::size_t i = 0; i < rows.size();) {
    const auto [a_row, b_row] = rows[i];
    const std::size_t a_chunk = a.chunk_of(a_row), b_chunk = b.chunk_of(b_row);
    const int64_t most = std::min(a.begins_[a_chunk + 1] - a_row, b.begins_[b_chunk + 1] - b_row);
    int64_t length = 1;
    while (length < most && i + static_cast<std::size_t>(length) < rows.size() &&
           rows[i + static_cast<std::size_t>(length)] == std::pair(a_row + length, b_row + length)) {
      ++length;
    }
    find({.a = *a.chunks_[a_chunk],
          .b = *b.chunks_[b_chunk],
          .a_row = a_row - a.begins_[a_chunk],
          .b_row = b_row - b.begins_[b_chunk],
          .first = i},
         0, length, differs);
    i += static_cast<std::size_t>(length);
  }
}

std::vector<std::string> repeated_columns(const LevelTable& table) {
  std::set<std::string> seen, out;
  for (const auto& field : table.stored_schema()->fields()) {
    if (!seen.insert(field->name()).second) out.insert(field->name());
  }
  return {out.begin(), out.end()};
}

}  // namespace tacore
