#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "table/rows.hpp"

namespace tacore {

/// A column of stacked rows, and where its values come from.
struct StackedColumn {
  enum class From {
    Column,    ///< the column `name` of the part
    Text,      ///< one text in all rows of a part: `texts` has that of each
    StoredRow  ///< the number of the row in its table
  };
  Column column = {};
  From from = From::Column;
  std::string name = {};
  std::vector<std::string> texts = {};
};

/// Parts whose rows follow each other.
struct Stack {
  std::vector<StackedColumn> columns = {};
  /// The first row of each part, and the number of rows of all.
  std::vector<int64_t> begins = {};
  /// The rows of a part, which have keys. Called for each access, from several threads, and may throw.
  std::function<std::shared_ptr<const Rows>(std::size_t part)> open = {};
  /// False only where a part has no row with this id.
  std::function<bool(std::size_t part, std::string_view id)> may_have_id = {};
};

/// The rows of a stack, which keep no part open: memory does not grow with their number.
std::shared_ptr<const Rows> stacked_rows(Stack stack);

}  // namespace tacore
