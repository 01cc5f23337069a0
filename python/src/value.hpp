#pragma once

#include <string>
#include <string_view>

#include "bind.hpp"
#include "tacore/value.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::python {

/// A Python object as a value of metadata: None, NaT and NA, bool, int, float, str, bytes-like, datetime (naive: UTC),
/// date, list, tuple and dict of these, NumPy's scalars and arrays, pyarrow's scalars, and what has `tolist()` or
/// `to_list()`. Throws TypeError for what has no form there, OverflowError beyond 64 bits.
Value value_of(nb::handle object);

/// A value as a Python object; times are naive and UTC. `type` is an Arrow name: of a date32 it is a date, of a
/// timestamp with a zone an aware datetime.
nb::object object_of(const Value& value, std::string_view type = "");

/// A field of metadata. Its type is what the object says beyond its value (the width of a NumPy number, the zone of a
/// datetime, a date), "" where it says nothing. Errors as above, with the key.
MetadataField metadata_of(std::string key, nb::handle object);

/// A column of metadata, of a sequence of objects.
MetadataColumn column_of(std::string key, nb::handle objects);

}  // namespace tacore::python
