#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "table/level_table.hpp"

/// The values of columns that a table derives from its stored ones.
namespace tacore {

/// The type of a column that is derived from `from` (nullptr: a constant). Throws SchemaError for an unsuitable type.
std::shared_ptr<arrow::DataType> derived_type(const DerivedColumn& column, const std::shared_ptr<arrow::DataType>& from,
                                              const ErrorContext& where);

/// The derived values, one for each of `from`, whose first value is row `first`. Throws FormatError for a number with a
/// fraction or outside of 63 bits, and for ids (the column `id`) that are null or not UTF-8.
std::shared_ptr<arrow::Array> derive_array(const DerivedColumn& column, const std::shared_ptr<arrow::Array>& from,
                                           int64_t first, const ErrorContext& where);

/// True for TORTILLA in any case: the format of samples that have children.
bool is_nested(std::string_view format);

std::shared_ptr<arrow::Array> constant_array(const std::string& text, int64_t rows);

}  // namespace tacore
