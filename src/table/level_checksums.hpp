#pragma once

#include <cstdint>
#include <vector>

#include "io/byte_source.hpp"

namespace tacore {

/// The CRC-32s of the level tables of a ZIP, from the end of its central directory, where its metadata are listed last:
/// they tell an index that a part was edited. Empty where they are not there, or where reading them would take a request
/// to a server. Both the writer and the reader of an index ask.
std::vector<uint32_t> level_checksums(const ByteSource& zip);

}  // namespace tacore
