#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "table/level_table.hpp"

/// The values of columns that a table derives from others.
namespace tacore {

/// Of a column made of one of type `from`, nullptr for a constant. Throws SchemaError for a type that cannot serve.
std::shared_ptr<arrow::DataType> derived_type(const DerivedColumn& column, const std::shared_ptr<arrow::DataType>& from,
                                              const ErrorContext& where);

/// Its values, one for each of `from`. `first` is the row of the first. Throws FormatError for a number with a fraction
/// or outside of 63 bits, and for ids (the column `id`) that are null or not UTF-8.
std::shared_ptr<arrow::Array> derive_array(const DerivedColumn& column, const std::shared_ptr<arrow::Array>& from,
                                           int64_t first, const ErrorContext& where);

/// True for TORTILLA in any case: a format of samples that have children.
bool is_nested(std::string_view format);

std::shared_ptr<arrow::Array> constant_array(const std::string& text, int64_t rows);

}  // namespace tacore
