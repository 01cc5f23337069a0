#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_range.hpp"
#include "format/zip_records.hpp"

/// TACO_HEADER, the first entry of a TACO ZIP (§6.3; docs/format.md): up to 7 (offset, size) pairs,
/// the levels and then COLLECTION.json.
namespace tacore::taco_header {

inline constexpr uint64_t kSize = 157;  ///< local header, name, payload
inline constexpr uint64_t kPayloadOffset = 41;
inline constexpr uint64_t kPayloadSize = 116;
inline constexpr int kMaxEntries = 7;

struct Header {
  std::vector<ByteRange> levels = {};
  ByteRange collection = {};
  bool crc_ok = true;  ///< false: the payload does not match the CRC-32 of its local header
};

/// True when the bytes start like a TACO ZIP: local header signature and the name TACO_HEADER.
bool is_header(std::span<const std::byte> bytes) noexcept;

/// Parses the first kSize bytes of a file of `file_size` bytes; `bytes` may go on after them.
/// Throws FormatError: too short, another signature or name, an extra field (the payload would not
/// be at kPayloadOffset), count above 7 or below 2 (a level and the collection), a range that is
/// empty, starts inside the header or goes beyond the end of the file.
Header parse(std::span<const std::byte> bytes, uint64_t file_size);

/// The kSize bytes of the first entry, as parse() reads them; its central entry is central_entry(). Throws FormatError:
/// no level or more than six, or an empty range.
std::vector<std::byte> encode(const Header& header, zip::DosTime time = {});
/// The record of the header in the central directory: a plain entry, but for the mode that published files give it.
zip::CentralEntry central_entry(const Header& header, zip::DosTime time = {});

}  // namespace tacore::taco_header
