#pragma once

#include <arrow/type_fwd.h>

#include <optional>
#include <string>

#include "tacore/types.hpp"

namespace tacore {

/// A cell as CSV has it, before quoting; nullopt for null, NaN and infinities.
std::optional<std::string> cell_as_text(const arrow::Array& array, int64_t row);

/// Batches as text or Parquet; the forms are those of tacore/types.hpp.
void encode_batches(arrow::RecordBatchReader& batches, tabular::Encoding encoding, tabular::Output& output);

}  // namespace tacore
