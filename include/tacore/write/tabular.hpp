#pragma once

#include "tacore/dataframe.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"

/// Rows as text and files; beyond section 7, so in a namespace of its own.
namespace tacore::tabular {

/// Encodes the rows that show, batch by batch.
TACORE_EXPORT void encode(const DataFrame& rows, Encoding encoding, Output& output);

}  // namespace tacore::tabular
