#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/value.hpp"

/// Values of metadata and Arrow columns.
namespace tacore {

/// The type whose Arrow name is `name` ("timestamp[us]", "list<item: double>", "struct<a: int64, b: string>"), in any
/// case of its own words. Throws SchemaError.
std::shared_ptr<arrow::DataType> parse_type(std::string_view name);

/// The type of a value: null, bool, int64, double, string, binary, timestamp[us], list or struct of these. Throws
/// SchemaError for a list whose items have no type in common.
std::shared_ptr<arrow::DataType> infer_type(const Value& value);

/// A type that holds values of both: null gives way to anything, integers to floating point. nullptr: there is none.
std::shared_ptr<arrow::DataType> common_type(const std::shared_ptr<arrow::DataType>& a,
                                             const std::shared_ptr<arrow::DataType>& b);

/// A column of `type`; a null pointer is a null. Throws SchemaError for a value that `type` does not hold, with its
/// position.
std::shared_ptr<arrow::Array> make_array(const std::vector<const Value*>& values,
                                         const std::shared_ptr<arrow::DataType>& type);

/// The values of a column; text for types that Value has none for. Throws SchemaError for times beyond 64 bits of
/// microseconds.
std::vector<Value> read_values(const arrow::ChunkedArray& column);
std::vector<Value> read_values(const arrow::Array& column);

}  // namespace tacore
