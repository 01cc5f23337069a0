#pragma once

#include <cstdint>
#include <type_traits>

#include "tacore/error.hpp"

/// Arithmetic on numbers that come from files: overflow is a FormatError, never a wrapped value.
namespace tacore {

template <class T>
T checked_add(T a, T b, const char* what) {
  T out;
  if (__builtin_add_overflow(a, b, &out)) throw FormatError(std::string(what) + " overflows");
  return out;
}

template <class T>
T checked_multiply(T a, T b, const char* what) {
  T out;
  if (__builtin_mul_overflow(a, b, &out)) throw FormatError(std::string(what) + " overflows");
  return out;
}

/// `value` as another integer type, or a FormatError when it does not fit.
template <class To, class From>
To narrow(From value, const char* what) {
  static_assert(std::is_integral_v<To> && std::is_integral_v<From>);
  To out;
  if (__builtin_add_overflow(value, From{0}, &out)) {
    throw FormatError(std::string(what) + " is out of range: " + std::to_string(value));
  }
  return out;
}

/// A position or a number of rows, which is not negative, as the index of a container.
inline std::size_t as_size(int64_t number) { return static_cast<std::size_t>(number); }

}  // namespace tacore
