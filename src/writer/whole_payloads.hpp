#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "writer/tree.hpp"

namespace tacore {

/// All of a FILE, and where its bytes go: as many as it has.
struct WholePayload {
  const Payload* payload = nullptr;
  std::span<std::byte> out = {};
};

/// Fills all of them, wherever they are. Parts of one local file that are 4 KiB or less apart, as a local header of a
/// ZIP leaves them, come with one read, in whatever order they are given; remote ones as read_remote() has them, with
/// `num_ranges`. The spans do not overlap. Throws as PayloadReader and read_remote() do.
void read_whole(std::span<const WholePayload> files, std::size_t num_ranges);

/// The CRC-32 that the bytes of a FILE turned out to have is that which its ZIP states, if it is of one. Throws
/// FormatError, which names the sample.
void check_crc32(const Tree& tree, int level, int64_t row, uint32_t crc32);

}  // namespace tacore
