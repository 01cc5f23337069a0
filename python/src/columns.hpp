#pragma once

#include <cstdint>
#include <vector>

#include "bind.hpp"
#include "tacore/collection.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::python {

/// Metadata columns of equal length, converted from Python objects; `_core.Columns`.
struct Columns {
  std::vector<MetadataColumn> all = {};

  int64_t num_rows() const { return all.empty() ? 0 : static_cast<int64_t>(all[0].values.size()); }
  /// The fields of a sample, from columns of one row.
  std::vector<MetadataField> row(std::size_t at) const;
};

/// The (name, type, description) of each column.
nb::list descriptions_of(const std::vector<FieldDescription>& fields);

}  // namespace tacore::python
