#pragma once

#include <optional>

#include "tacore/value.hpp"

namespace tacore::extensions {

/// null for nothing
template <class T>
Value value_of(const std::optional<T>& value) {
  return value ? Value(*value) : Value();
}

}  // namespace tacore::extensions
