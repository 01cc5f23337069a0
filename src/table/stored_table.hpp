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

/// A Parquet file to be written again.
struct StoredTable {
  std::shared_ptr<arrow::Table> table =
      {};  ///< all columns by their stored names, each in one piece, list items called `item`
  std::map<std::string, std::string> metadata = {};  ///< its key-values, but for those of Arrow and pandas
};

/// The same table with the items of lists called `item`, as most call them: Parquet has a name of its own for them, and
/// what is read would not be what was written.
std::shared_ptr<arrow::Table> with_item_names(const arrow::Table& table);

/// Reads all of `source`. Throws FormatError for what cannot be decoded, SchemaError as in_one_piece() and for two
/// columns of one name, IoError.
StoredTable read_stored_table(const std::shared_ptr<const ByteSource>& source, const ErrorContext& where);

/// The values of a column of numbers without a fraction, whatever their type. Throws SchemaError when there is no such
/// column, FormatError for null and for what is no such number.
std::vector<int64_t> whole_numbers(const arrow::Table& table, std::string_view name, const ErrorContext& where);

}  // namespace tacore
