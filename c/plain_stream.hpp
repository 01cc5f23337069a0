#pragma once

#include <functional>

#include "tacore.h"

namespace tacore::c {

/// Makes a stream of rows, as `flags` (0 or TACORE_PLAIN) say, of the one that `source` exports.
void export_rows(const std::function<void(ArrowArrayStream*)>& source, int32_t flags, ArrowArrayStream* out);

/// Makes a plain stream (tacore.h) of the stream `in`, which is read to its end and released. Throws SchemaError for a
/// column without an equivalent and for a value that its new type cannot hold.
void make_plain(ArrowArrayStream* in, ArrowArrayStream* out);

}  // namespace tacore::c
