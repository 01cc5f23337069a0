#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "writer/tree.hpp"

namespace tacore {

/// All bytes of a FILE, and their destination, which has its size.
struct WholePayload {
  const Payload* payload = nullptr;
  std::span<std::byte> out = {};
};

/// Reads all files. Those in one local file that are 4 KiB or less apart, as in a ZIP with its local headers, are read
/// together, in whatever order they are given; remote ones by read_remote() with `num_ranges`. The destinations must
/// not overlap. Throws as PayloadReader and read_remote() do.
void read_whole(std::span<const WholePayload> files, std::size_t num_ranges);

/// Verifies the CRC-32 of the copied bytes of a FILE against that of the ZIP it came from, if any. Throws FormatError
/// that names the sample.
void check_crc32(const Tree& tree, int level, int64_t row, uint32_t crc32);

}  // namespace tacore
