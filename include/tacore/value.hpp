#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tacore/time_range.hpp"

namespace tacore {

/// A binary value: bytes that are not text, such as WKB.
struct Binary {
  std::string bytes = {};

  bool operator==(const Binary&) const = default;
};

struct Value;

/// A struct value: named values, in order.
using Struct = std::vector<std::pair<std::string, Value>>;

/// A metadata value: null, bool, integer, real number, text, binary, time, list or struct. Text is UTF-8. The items of
/// a list have one type or are null; integers among real numbers become real. Functions that take a value throw
/// SchemaError where it breaks these rules.
///
///     Value cloud = 12.5, bands = Value::List{"B04", "B03", "B02"}, center = Struct{{"lon", 9.1}, {"lat", 45.5}};
struct Value {
  using List = std::vector<Value>;

  std::variant<std::monostate, bool, int64_t, double, std::string, Binary, Timestamp, List, Struct> data = {};

  Value() = default;  ///< null
  Value(bool value) : data(value) {}
  Value(int value) : data(int64_t{value}) {}
  Value(int64_t value) : data(value) {}
  Value(double value) : data(value) {}
  Value(const char* value) : data(std::string(value)) {}
  Value(std::string value) : data(std::move(value)) {}
  Value(Binary value) : data(std::move(value)) {}
  Value(Timestamp value) : data(value) {}
  Value(List value) : data(std::move(value)) {}
  Value(Struct value) : data(std::move(value)) {}

  bool is_null() const noexcept { return std::holds_alternative<std::monostate>(data); }
  /// A pointer to the value when it is a T, else nullptr.
  template <typename T>
  const T* get() const noexcept {
    return std::get_if<T>(&data);
  }

  bool operator==(const Value&) const = default;
};

}  // namespace tacore
