#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_range.hpp"

/// The header of a Tortilla 0.5.0 or TACO 0.2.0 file (dossier v1 1.1, 2.1): 200 bytes, little-endian.
namespace tacore::v1 {

inline constexpr uint64_t kHeaderSize = 200;
/// The bytes of it that say anything, in any generation; the rest is free.
inline constexpr uint64_t kHeaderUsed = 66;
/// How deep Tortillas are written in each other, and trees of them read: the specification names no end, but a file of
/// strangers may go on for as long as it has bytes.
inline constexpr int kMaxLevels = 64;

enum class Kind { Tortilla, Taco };

struct Header {
  Kind kind = Kind::Tortilla;
  /// Of the Parquet table of samples, from the first byte of the container. Its offset is the end of the data in what
  /// the published writers make; a streaming file has the tables of its other levels in between.
  ByteRange footer = {};
  uint64_t num_partitions = 1;                  ///< files that the dataset is split into
  std::optional<ByteRange> collection = {};     ///< COLLECTION, TACO only
  std::optional<std::string> file_format = {};  ///< of all samples, in files of the generation before 0.5.0 (G1)
};

/// True when the bytes start with the magic of either: `#y` or `WX`.
bool is_header(std::span<const std::byte> bytes) noexcept;

/// Parses the first kHeaderUsed bytes, or more, of a container of `container_size` bytes that begins at byte `begin` of
/// its file (for messages). Reads 0.5.0 and the generation before, in which byte 18 begins the name of a format; a
/// Tortilla that states a collection up to its end is a TACO whose magic was never changed (dossier v1 7, row 2).
/// Throws FormatError: too short, another magic, a range that leaves the container or starts inside of the header, no
/// partitions, samples that start at byte 50 (the generations before, of 2024).
Header parse_header(std::span<const std::byte> bytes, uint64_t container_size, uint64_t begin = 0);

/// The kHeaderSize bytes of a 0.5.0 header, as parse_header() reads them.
std::vector<std::byte> encode_header(const Header& header);

}  // namespace tacore::v1
