#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "container/container.hpp"
#include "query/filters.hpp"
#include "query/sql_inspect.hpp"
#include "table/rows.hpp"

namespace tacore {

/// A user's query over `data`, after its checks.
struct SqlStep {
  Select select;
  bool names_path = false;   ///< its text contains internal:gdal_vsi, so the column must be computed
  bool names_place = false;  ///< it may show internal:offset or internal:size, which must be verified
};
/// A stable sort of the rows by a column; nulls are last. If the column belongs to a level below 0, each sample is
/// sorted by the least value among its descendants, or, in descending order, by the greatest.
struct SortStep {
  std::string column;
  int level = 0;
  bool descending = false;
};
/// The first `count` rows.
struct LimitStep {
  int64_t count = 0;
};
using Step = std::variant<SqlStep, Filter, SortStep, LimitStep>;

struct View;

/// One input of a union. `first_leaf` numbers its containers within the union.
struct UnionPart {
  std::shared_ptr<const View> view;
  int first_leaf = 0;
  std::string source_path = {};
  std::string source_file = {};
};

/// Several datasets as one. `columns[k]` are the columns of level k in the union, null where a part lacks one;
/// `names[k]` are their names in the parts.
struct Union {
  std::vector<UnionPart> parts;
  std::vector<std::vector<Column>> columns;
  std::vector<std::vector<std::string>> names;
  bool fills_missing = false;  ///< columns that a part lacks were not dropped (ColumnMode::FillMissing)
};

/// The rows of a view after its first `steps` steps, one of which may give other rows when it is run again: they are
/// computed once, on first use.
struct DrawnRows {
  std::size_t steps = 0;
  std::function<std::shared_ptr<const Rows>()> rows;
  bool has_keys_alone = false;  ///< `rows` has keys only: other columns are those of the stored levels
};

/// A lazy query as a value: the source of the rows, and the steps applied to those of level 0, in order.
struct View {
  std::variant<std::shared_ptr<const Container>, Union> base;
  std::vector<Step> steps = {};
  int num_leaves = 1;
  std::optional<DrawnRows> drawn = {};

  const Container* container() const {
    const auto* leaf = std::get_if<std::shared_ptr<const Container>>(&base);
    return leaf ? leaf->get() : nullptr;
  }
  /// Throws as Container::num_levels().
  int num_levels() const {
    const Container* leaf = container();
    return leaf ? leaf->num_levels() : static_cast<int>(std::get<Union>(base).columns.size());
  }
};

}  // namespace tacore
