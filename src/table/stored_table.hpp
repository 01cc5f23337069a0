#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/error.hpp"

namespace tacore {

/// A Parquet file that will be rewritten.
struct StoredTable {
  std::shared_ptr<arrow::Table> table =
      {};  ///< all columns by their stored names, each in one piece, list items called `item`
  std::map<std::string, std::string> metadata = {};  ///< its key-values, but for those of Arrow and pandas
};

/// A copy of the table with list items called `item`, as most writers call them: Parquet names them otherwise, so that
/// a table would change when it is written and read.
std::shared_ptr<arrow::Table> with_item_names(const arrow::Table& table);

/// Reads all of `source`. Throws FormatError for what cannot be decoded, SchemaError as in_one_piece() and for two
/// columns of one name, IoError.
StoredTable read_stored_table(const std::shared_ptr<const ByteSource>& source, const ErrorContext& where);

/// The values of a column of whole numbers of any numeric type. Throws SchemaError when the column is missing,
/// FormatError for null and for other numbers.
std::vector<int64_t> whole_numbers(const arrow::Table& table, std::string_view name, const ErrorContext& where);

}  // namespace tacore
