#pragma once

#include <arrow/type_fwd.h>

#include <optional>
#include <string>
#include <string_view>

#include "tacore/types.hpp"

namespace tacore {

/// The text of a cell in CSV, before quoting; nullopt for null. The name of the column tells geometries.
std::optional<std::string> cell_as_text(const arrow::Array& array, int64_t row, std::string_view column = "");

/// Encodes batches as text or Parquet, in the forms of tacore/types.hpp.
void encode_batches(arrow::RecordBatchReader& batches, tabular::Encoding encoding, tabular::Output& output);

}  // namespace tacore
