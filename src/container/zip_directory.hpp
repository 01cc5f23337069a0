#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/zip_records.hpp"
#include "io/byte_source.hpp"

/// The central directory of a ZIP, read from its bytes.
namespace tacore {

/// Finds the central directory of an archive, and its number of entries: one read, two when a comment is long. Throws
/// IoError, and FormatError when there is none.
zip::Directory directory_of(const ByteSource& archive);

/// The number of bytes at the end of an archive in which the end records are searched first.
inline constexpr uint64_t kShortTail = 4096;

/// Reads all entries of an archive: two reads, three when the directory is long.
std::vector<zip::CentralEntry> read_directory(const ByteSource& archive);
/// Reads all entries of an archive from a directory that directory_of() found.
std::vector<zip::CentralEntry> read_directory(const ByteSource& archive, const zip::Directory& where);

/// The offset of the payload of each entry, from its local header. Throws FormatError when the header is absent, when
/// the payload would overlap the next of `all` entries of the archive (none: of `entries`), and for a symbolic link.
std::vector<uint64_t> payload_offsets(const ByteSource& archive, std::span<const zip::CentralEntry> entries,
                                      std::span<const zip::CentralEntry> all = {});

}  // namespace tacore
