#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tacore/value.hpp"

/// Conversion between values of metadata and Arrow columns.
namespace tacore {

/// Parses the Arrow name of a type ("timestamp[us]", "list<item: double>", "struct<a: int64, b: string>"); its keywords
/// may have any case. Throws SchemaError.
std::shared_ptr<arrow::DataType> parse_type(std::string_view name);

/// The Arrow type of a value: null, bool, int64, double, string, binary, timestamp[us], list or struct of these. Throws
/// SchemaError for a list whose items have no common type.
std::shared_ptr<arrow::DataType> infer_type(const Value& value);

/// A type that holds the values of both: null fits any type, integers become floating point. nullptr: there is none.
std::shared_ptr<arrow::DataType> common_type(const std::shared_ptr<arrow::DataType>& a,
                                             const std::shared_ptr<arrow::DataType>& b);

/// A column of `type`; a null pointer becomes null. Throws SchemaError, with its position, for a value that does not
/// fit `type`.
std::shared_ptr<arrow::Array> make_array(const std::vector<const Value*>& values,
                                         const std::shared_ptr<arrow::DataType>& type);

/// The values of a column, or that of one row; types that Value lacks become text. Throws SchemaError for times that do
/// not fit 64 bits of microseconds.
Value read_value(const arrow::Array& column, int64_t row);
std::vector<Value> read_values(const arrow::ChunkedArray& column);
std::vector<Value> read_values(const arrow::Array& column);

}  // namespace tacore
