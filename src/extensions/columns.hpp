#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/value.hpp"

/// The table of the columns of built-in extensions (`columns.inc`), and the check of their values.
namespace tacore::extensions {

/// What a value must be, apart from its type. Null passes all checks but NotNull, NotEmpty and OneOf.
enum class Check { None, NotNull, NotEmpty, Finite, NotNegative, Fraction, Fractions, Geometry, OneOf };

/// One row of the table.
struct Column {
  const char* extension;
  const char* name;
  const char* type;  ///< Arrow's name for it, lower case
  Check check;
  const char* description;
  const char* words = "";  ///< of Check::OneOf, separated by |
};

/// The rows of an extension, in order. Throws SchemaError for an unknown name.
std::span<const Column> columns_of(std::string_view extension);
/// The names, types and descriptions of the columns.
std::vector<FieldDescription> schema_of(std::string_view extension);

/// What is wrong with a value, as the end of a sentence that begins with the column's name; "" for a good value.
std::string fault_in(const Column& column, const Value& value);
/// What is wrong with the values of all columns of an extension together, as a sentence; "" for good ones.
std::string fault_among(std::string_view extension, std::span<const Value* const> values);

/// The value, or null for nullopt.
template <class T>
Value value_of(const std::optional<T>& value) {
  return value ? Value(*value) : Value();
}

template <class Numbers>
Value list_of(const Numbers& numbers) {
  return Value::List(numbers.begin(), numbers.end());
}

}  // namespace tacore::extensions
