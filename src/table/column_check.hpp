#pragma once

#include <arrow/type_fwd.h>

#include <string>

namespace tacore {

/// Throws SchemaError for a metadata column that a dataset cannot store so that readers open it: text not in UTF-8,
/// more than 32 nested lists and structs, a struct without fields or with two of one name, a type that Parquet or SQL
/// lacks. `name` is for messages.
void check_column(const std::string& name, const arrow::Array& values);

}  // namespace tacore
