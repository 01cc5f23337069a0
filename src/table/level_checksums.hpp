#pragma once

#include <cstdint>
#include <vector>

#include "io/byte_source.hpp"

namespace tacore {

/// The CRC-32s of the level tables of a ZIP, from the end of its central directory, which lists metadata last: by them
/// an index detects that a ZIP was edited. Empty where they are absent or reading them would take a request. Both the
/// writer and the reader of an index call this.
std::vector<uint32_t> level_checksums(const ByteSource& zip);

}  // namespace tacore
