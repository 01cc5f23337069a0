#pragma once

#include <cstdint>
#include <vector>

#include "bind.hpp"
#include "tacore/collection.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::python {

/// Columns of metadata of equal length on their way from Python into samples, as `_core.Columns`.
struct Columns {
  std::vector<MetadataColumn> all = {};

  int64_t num_rows() const { return all.empty() ? 0 : static_cast<int64_t>(all[0].values.size()); }
  /// Of one row, as the fields of a sample.
  std::vector<MetadataField> row(std::size_t at) const;
};

/// (name, type, description) of each.
nb::list descriptions_of(const std::vector<FieldDescription>& fields);

}  // namespace tacore::python
