#pragma once

#include <string>
#include <string_view>

#include "bind.hpp"
#include "tacore/value.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::python {

/// A Python object as a metadata value: None, NaT and NA, bool, int, float, str, bytes-like, datetime (naive: UTC),
/// date, list, tuple and dict of these, scalars and arrays of NumPy, scalars of pyarrow, and objects with `tolist()` or
/// `to_list()`. Throws TypeError for other objects, OverflowError for integers beyond 64 bits.
Value value_of(nb::handle object);

/// A value as a Python object; times are naive datetimes in UTC. `type` is the name of an Arrow type: date32 gives a
/// date, a timestamp with a time zone an aware datetime.
nb::object object_of(const Value& value, std::string_view type = "");

/// A metadata field. Its type is that of the object, if it has more information than the value (the width of a NumPy
/// number, the time zone of a datetime, a date), else "". Throws as value_of(), with the key.
MetadataField metadata_of(std::string key, nb::handle object);

/// A metadata column from a sequence of objects.
MetadataColumn column_of(std::string key, nb::handle objects);

}  // namespace tacore::python
