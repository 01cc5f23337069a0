#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_range.hpp"
#include "io/byte_source.hpp"

/// The contents and names of the files in a DiskCache. Pure.
namespace tacore::net {

/// What a server says of a file.
struct FileFacts {
  bool exists = true;  ///< the other members are of a file that does
  uint64_t size = 0;   ///< bytes
  std::string validator = {};

  bool operator==(const FileFacts&) const = default;
};

/// A metadata file, which has the offsets of the data of its dataset.
struct CachedMetadata {
  std::string folder = {};      ///< of the dataset, with a slash at its end; "": not a metadata file
  std::string collection = {};  ///< of a level: the name of its COLLECTION.json
};

/// Tells from the `name` of a file, a URL without secrets, whether it is a metadata file. The name decides, not a hint
/// of the reader: one reader without that hint would keep offsets of a dataset that was replaced.
CachedMetadata cached_metadata_of(std::string_view name);

struct About {
  FileFacts facts = {};
  std::string mark = {};
};

/// The contents of the file `about` of the file `name`. None of the arguments has a line break.
std::string about_text(const std::string& name, const FileFacts& facts, const std::string& mark);
/// The inverse of about_text() for this name; nullopt for any other text.
std::optional<About> parse_about(std::string_view text, const std::string& name);

/// The header of a piece: "TCP1", the CRC-32 of all bytes that follow, offset and size.
Bytes piece_header(ByteRange piece, std::span<const std::byte> bytes);
inline constexpr uint64_t kPieceHeader = 24;
inline constexpr uint64_t kLargestPiece = 1 << 20;

/// "OFFSET-SIZE", and the inverse: nullopt for any other text.
std::string piece_name(ByteRange piece);
std::optional<ByteRange> parse_piece_name(std::string_view name) noexcept;

}  // namespace tacore::net
