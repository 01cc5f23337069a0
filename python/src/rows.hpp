#pragma once

#include "arrow_c.hpp"
#include "bind.hpp"

namespace tacore::python {

/// The rows of a stream as dicts of Python values; times with a time zone are in UTC, to the microsecond. Throws
/// TypeError for a type without a Python equivalent (intervals, unions).
nb::list rows_of(ArrowArrayStream& stream);

}  // namespace tacore::python
