#pragma once

#include "tacore/dataframe.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"

/// Tables as text and files.
namespace tacore::tabular {

/// Writes the rows and visible columns of a DataFrame as a table, CSV, JSON or Parquet, batch by batch.
///
///     tabular::encode(load("chips.tacozip").data(), tabular::Encoding::Csv, output);  // a tabular::Output
TACORE_EXPORT void encode(const DataFrame& rows, Encoding encoding, Output& output);

}  // namespace tacore::tabular
