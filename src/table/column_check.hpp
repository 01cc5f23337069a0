#pragma once

#include <arrow/type_fwd.h>

#include <string>

namespace tacore {

/// Throws SchemaError for a column of metadata that a dataset cannot hold as it is so that readers open it: text not
/// UTF-8, more than 32 lists and structs in one another, a struct without fields or with two of one name, a type that
/// Parquet or SQL lacks. `name` is what messages call it.
void check_column(const std::string& name, const arrow::Array& values);

}  // namespace tacore
