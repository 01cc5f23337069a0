#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "io/byte_source.hpp"

namespace tacore {

/// `whole`, read in blocks of `block_size` bytes, of which the last `num_blocks` are kept: for small reads in about the
/// order of the file, of a server. Reads of more than a block are those of `whole`.
std::shared_ptr<const ByteSource> in_blocks(std::shared_ptr<const ByteSource> whole, uint64_t block_size,
                                            std::size_t num_blocks);

}  // namespace tacore
