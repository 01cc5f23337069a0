#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <utility>

#include "tacore/error.hpp"

/// arrow::Status becomes an exception here and nowhere else.
namespace tacore {

/// Damaged data is a FormatError; Arrow's own texts are kept, first line only.
[[noreturn]] void throw_arrow(const arrow::Status& status, const ErrorContext& where);

inline void check(const arrow::Status& status, const ErrorContext& where = {}) {
  if (!status.ok()) throw_arrow(status, where);
}

template <class T>
T check(arrow::Result<T> result, const ErrorContext& where = {}) {
  if (!result.ok()) throw_arrow(result.status(), where);
  return std::move(result).ValueUnsafe();
}

}  // namespace tacore
