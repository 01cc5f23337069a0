#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_range.hpp"

/// The header of a Tortilla 0.5.0 or TACO 0.2.0 file: 200 bytes, little-endian.
namespace tacore::v1 {

inline constexpr uint64_t kHeaderSize = 200;
/// The size of the header's fields, in any generation; the rest is free space.
inline constexpr uint64_t kHeaderUsed = 66;
/// The deepest nesting of Tortillas that is written and read as trees: the specification has no limit, but a malicious
/// file could nest as deep as it has bytes.
inline constexpr int kMaxLevels = 64;

enum class Kind { Tortilla, Taco };

struct Header {
  Kind kind = Kind::Tortilla;
  /// The Parquet table of samples, from the first byte of the container. Published writers put it directly after the
  /// data; a streaming file has the tables of its other levels in between.
  ByteRange footer = {};
  uint64_t num_partitions = 1;                  ///< files that the dataset is split into
  std::optional<ByteRange> collection = {};     ///< COLLECTION, TACO only
  std::optional<std::string> file_format = {};  ///< of all samples, in files of the generation before 0.5.0 (G1)
};

/// True when the bytes start with a magic: `#y` (Tortilla) or `WX` (TACO).
bool is_header(std::span<const std::byte> bytes) noexcept;

/// Parses the first kHeaderUsed bytes, or more, of a container of `container_size` bytes that begins at byte `begin` of
/// its file (for messages). Reads 0.5.0 and the generation before, in which the name of a format begins at byte 18; a
/// Tortilla with a collection up to its end is a TACO with the wrong magic. Throws FormatError: too short, another
/// magic, a range that leaves the container or starts inside of the header, no partitions, samples that start at byte
/// 50 (the generations before, of 2024).
Header parse_header(std::span<const std::byte> bytes, uint64_t container_size, uint64_t begin = 0);

/// The kHeaderSize bytes of a 0.5.0 header, as parse_header() reads them.
std::vector<std::byte> encode_header(const Header& header);

}  // namespace tacore::v1
