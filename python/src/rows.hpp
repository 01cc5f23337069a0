#pragma once

#include "arrow_c.hpp"
#include "bind.hpp"

namespace tacore::python {

/// The rows of a stream as dicts of Python's own values; times with a zone are in UTC, to the microsecond. Throws
/// TypeError for a type that has none (intervals, unions).
nb::list rows_of(ArrowArrayStream& stream);

}  // namespace tacore::python
