#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tacore/value.hpp"

namespace tacore {

/// An integer or real number.
inline std::optional<double> number_of(const Value& value) {
  if (const auto* whole = value.get<int64_t>()) return static_cast<double>(*whole);
  if (const auto* real = value.get<double>()) return *real;
  return std::nullopt;
}

/// The numbers of a list; nullopt for any other value, and for a list with null or something else.
inline std::optional<std::vector<double>> numbers_of(const Value& value) {
  const auto* list = value.get<Value::List>();
  if (!list) return std::nullopt;
  std::vector<double> out;
  for (const Value& item : *list) {
    const auto number = number_of(item);
    if (!number) return std::nullopt;
    out.push_back(*number);
  }
  return out;
}

}  // namespace tacore
