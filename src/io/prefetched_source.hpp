#pragma once

#include "io/byte_source.hpp"

namespace tacore {

/// `whole`, with `ranges` (cut at its end) read now, together, and kept: a later read inside one of them costs nothing.
std::shared_ptr<const ByteSource> prefetched(std::shared_ptr<const ByteSource> whole, std::vector<ByteRange> ranges);

/// The file below a source of prefetched(), else the source itself.
const ByteSource& without_prefetched(const ByteSource& source);

}  // namespace tacore
