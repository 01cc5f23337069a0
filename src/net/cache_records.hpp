#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_range.hpp"
#include "io/byte_source.hpp"

/// The bytes and names of the files in a DiskCache. Pure.
namespace tacore::net {

/// What a store said of a file.
struct FileFacts {
  bool exists = true;  ///< the rest is of a file that does
  uint64_t size = 0;   ///< bytes
  std::string validator = {};

  bool operator==(const FileFacts&) const = default;
};

/// A file that says of others of its dataset where they are and what is in them.
struct CachedMetadata {
  std::string folder = {};      ///< of the dataset, with its slash; "": it is no metadata
  std::string collection = {};  ///< of a level: the name of the COLLECTION.json above it
};

/// `name`: of a file, a URL without secrets.
CachedMetadata cached_metadata_of(std::string_view name);

struct About {
  FileFacts facts = {};
  std::string mark = {};
};

/// What a file `about` says of the file `name`. All are of one line.
std::string about_text(const std::string& name, const FileFacts& facts, const std::string& mark);
/// Nothing unless it is what about_text() makes for this name.
std::optional<About> parse_about(std::string_view text, const std::string& name);

/// In front of the bytes of a piece: "TCP1", the CRC-32 of all that follows, offset and size.
Bytes piece_header(ByteRange piece, std::span<const std::byte> bytes);
inline constexpr uint64_t kPieceHeader = 24;
inline constexpr uint64_t kLargestPiece = 1 << 20;

/// "OFFSET-SIZE", and the inverse: nothing for anything else.
std::string piece_name(ByteRange piece);
std::optional<ByteRange> parse_piece_name(std::string_view name) noexcept;

}  // namespace tacore::net
