#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <utility>

#include "tacore/error.hpp"

/// Conversion of arrow::Status to exceptions, which happens only here.
namespace tacore {

/// Throws `status` as an exception: FormatError for damaged data. Of Arrow's text the first line is kept.
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
