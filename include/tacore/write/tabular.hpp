#pragma once

#include "tacore/dataframe.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"

/// Rows as text and files.
namespace tacore::tabular {

/// Encodes the rows and visible columns of a frame, batch by batch.
TACORE_EXPORT void encode(const DataFrame& rows, Encoding encoding, Output& output);

}  // namespace tacore::tabular
