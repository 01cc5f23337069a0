#include "validate/level_reader.hpp"

#include <algorithm>

#include "container/tiff_index_file.hpp"
#include "format/names.hpp"
#include "table/cells.hpp"

namespace tacore::validator {
namespace {

using Array = std::shared_ptr<arrow::Array>;

/// The columns of one row group.
class Group {
 public:
  Group(Report& report, const LevelTable& table, const RowColumns& columns, int group)
      : report_(report), table_(table), group_(group) {
    id_ = decode(columns.id);
    type_ = decode(columns.type);
    current_id_ = decode(columns.current_id);
    parent_id_ = decode(columns.parent_id);
    offset_ = decode(columns.offset);
    size_ = decode(columns.size);
    relative_path_ = decode(columns.relative_path);
    source_file_ = decode(columns.source_file);
    header_ = decode(columns.header);
  }

  Row row(int64_t i) const {
    return {.id = text(id_, i),
            .type = text(type_, i),
            .current_id = integer(current_id_, i),
            .parent_id = integer(parent_id_, i),
            .parent_text = text(parent_id_, i),
            .offset = integer(offset_, i),
            .size = integer(size_, i),
            .relative_path = text(relative_path_, i),
            .source_file = text(source_file_, i),
            .header = header_ ? binary_cell(*header_, i) : std::nullopt};
  }

 private:
  Array decode(int column) const {
    if (column < 0) return nullptr;
    try {
      return table_.decode(column, group_);
    } catch (const Error& error) {
      report_.add(rule_of(error, column), error, table_.where());
      return nullptr;
    }
  }

  /// Ids are checked when they are decoded, because paths are built from them.
  std::string_view rule_of(const Error& error, int column) const {
    const std::string message = message_of(error);
    if (column != table_.find(names::kId) || !message.starts_with("row ")) return "SCH-1";
    return message.ends_with("is null") ? "SCH-3" : "ID-1";
  }

  static std::optional<std::string_view> text(const Array& array, int64_t i) {
    return array ? text_cell(*array, i) : std::nullopt;
  }
  static std::optional<int64_t> integer(const Array& array, int64_t i) {
    return array ? integer_cell(*array, i) : std::nullopt;
  }

  Report& report_;
  const LevelTable& table_;
  int group_;
  Array id_, type_, current_id_, parent_id_, offset_, size_, relative_path_, source_file_, header_;
};

/// A column of another type contains no TIFF indexes, whatever its name.
int find_header(const LevelTable& table) {
  for (const auto name : kHeaderColumns) {
    const int column = table.find(name);
    if (column >= 0 && table.columns()[static_cast<std::size_t>(column)].type.find("binary") != std::string::npos) {
      return column;
    }
  }
  return -1;
}

}  // namespace

RowColumns::RowColumns(const LevelTable& table)
    : id(table.find(names::kId)),
      type(table.find(names::kType)),
      current_id(table.find(names::kCurrentId)),
      parent_id(table.find(names::kParentId)),
      offset(table.find(names::kOffset)),
      size(table.find(names::kSize)),
      relative_path(table.find(names::kRelativePath)),
      source_file(table.find(names::kSourceFile)),
      header(find_header(table)) {}

void visit_rows(Report& report, const LevelRange& range, const std::function<void(const Row&)>& visit) {
  const LevelTable& table = *range.table;
  const RowColumns columns(table);
  for (int g = 0; g < table.num_row_groups(); ++g) {
    const int64_t first = std::max(range.begin, table.group_begin(g));
    const int64_t last = std::min(range.end, table.group_begin(g + 1));
    if (first >= last) continue;
    const Group group(report, table, columns, g);
    for (int64_t i = first; i < last; ++i) {
      Row row = group.row(i - table.group_begin(g));
      row.number = i - range.begin;
      visit(row);
    }
  }
}

}  // namespace tacore::validator
