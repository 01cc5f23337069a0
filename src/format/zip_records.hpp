#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/little_endian.hpp"

/// ZIP records (APPNOTE 6.3.10): bytes in, structs out. TACO stores every entry (method 0) without
/// descriptor. Pure: the caller reads the bytes. Each parser checks length, then signature, then
/// fields, and throws FormatError with the byte offset.
namespace tacore::zip {

inline constexpr uint64_t kLocalHeaderSize = 30;     // 4.3.7, before name and extra
inline constexpr uint64_t kFullZip64ExtraSize = 20;  ///< with both sizes, as a local header has it
inline constexpr uint16_t kZip64Version = 45;        ///< that an entry with ZIP64 fields needs
inline constexpr uint64_t kCentralHeaderSize = 46;   // 4.3.12
inline constexpr uint64_t kEndRecordSize = 22;       // 4.3.16
inline constexpr uint64_t kEnd64LocatorSize = 20;    // 4.3.15
inline constexpr uint64_t kEnd64RecordSize = 56;     // 4.3.14
inline constexpr uint64_t kMaxCommentSize = 0xFFFF;
/// Enough tail bytes to find the end records of any archive.
inline constexpr uint64_t kTailSize = kEndRecordSize + kMaxCommentSize + kEnd64LocatorSize;

inline constexpr uint16_t kEncryptedFlag = 0x0001;   // 4.4.4, bit 0
inline constexpr uint16_t kDescriptorFlag = 0x0008;  // 4.4.4, bit 3

/// 4.3.7 local file header, ZIP64 sizes resolved. With a descriptor (flag bit 3) crc32 and the
/// sizes are 0 here, and the central entry has them.
struct LocalHeader {
  uint16_t version_needed = 0;
  uint16_t flags = 0;
  uint16_t method = 0;
  uint16_t time = 0;
  uint16_t date = 0;
  uint32_t crc32 = 0;
  uint64_t compressed_size = 0;
  uint64_t size = 0;
  std::string name = {};
  bool has_foreign_extra = false;  ///< an extra field that is not that of ZIP64
  bool has_odd_zip64 = false;      ///< as in CentralEntry
  uint64_t header_size = 0;        ///< with name and extra: the payload starts here

  bool is_stored() const noexcept { return method == 0 && (flags & kEncryptedFlag) == 0; }
  bool has_descriptor() const noexcept { return (flags & kDescriptorFlag) != 0; }
};

/// 4.3.12 central directory header, ZIP64 fields resolved.
struct CentralEntry {
  uint16_t version_made_by = 0;
  uint16_t version_needed = 0;
  uint16_t flags = 0;
  uint16_t method = 0;
  uint16_t time = 0;
  uint16_t date = 0;
  uint32_t crc32 = 0;
  uint64_t compressed_size = 0;
  uint64_t size = 0;
  uint32_t external_attributes = 0;
  std::string name = {};
  bool has_foreign_extra = false;  ///< an extra field that is not that of ZIP64
  bool has_odd_zip64 = false;      ///< a ZIP64 field that occurs twice, or has other numbers than the missing ones
  uint32_t disk = 0;               ///< where the entry starts; 0 is the only disk there is
  uint16_t comment_size = 0;
  uint64_t local_offset = 0;
  uint64_t record_offset = 0;  ///< of this record in the archive

  /// Made on Unix as a symbolic link, which extraction would follow.
  bool is_link() const noexcept { return (external_attributes >> 16 & 0170000) == 0120000; }
  /// True when the archive contains the bytes of the entry uncompressed.
  bool is_stored() const noexcept { return method == 0 && (flags & kEncryptedFlag) == 0; }
};

/// Where the central directory lies (4.3.14 to 4.3.16).
struct Directory {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t num_entries = 0;
  bool zip64 = false;
  uint64_t end_offset = 0;    ///< of the end record (4.3.16) in the archive
  uint64_t end64_offset = 0;  ///< of the ZIP64 end record, when zip64
};

/// Finds the end record in the last bytes of an archive (`tail` ends where the archive ends and
/// starts at `tail_offset`): the last whose comment reaches exactly to the end. The ZIP64 end
/// record may lie before `tail` (it has a variable part), and so may its locator where `tail` is
/// shorter than kTailSize. The FormatError then has a context().offset below `tail_offset`, as no
/// other has: a retry with a tail from there on is possible. Checks that the directory lies before
/// its end records and can hold num_entries, and that a ZIP64 record does not contradict the short
/// one.
Directory find_directory(std::span<const std::byte> tail, uint64_t tail_offset);

/// Offset of bytes, other than the end record of `found`, that a reader may take for one: in its comment, or before it
/// with a comment that reaches exactly to the end of the archive. `tail` as for find_directory().
std::optional<uint64_t> other_end_record(std::span<const std::byte> tail, uint64_t tail_offset, const Directory& found);

/// All entries, in order. `bytes` is exactly the directory. Throws when an entry is cut, when their
/// number is not `num_entries`, when an entry overlaps the directory, and when a stored one has
/// two sizes. Names are not checked.
std::vector<CentralEntry> parse_directory(std::span<const std::byte> bytes, const Directory& where);

/// The complete entries at the end of a directory, of which `bytes` are the last bytes. Empty where their boundaries
/// are ambiguous.
std::vector<CentralEntry> last_entries(std::span<const std::byte> bytes, const Directory& where);

/// `bytes` starts at the local header, which is at `offset` in the archive, and holds at least the
/// header, name and extra.
LocalHeader parse_local_header(std::span<const std::byte> bytes, uint64_t offset);

/// The size of the local header of `name` at the start of `bytes`, extra field included; nullopt where `bytes` start
/// with something else. The extra field need not be in `bytes`.
std::optional<uint64_t> local_header_size_at(std::span<const std::byte> bytes, std::string_view name);

/// True when the bytes just before a payload are the local header of `name`, with or without a
/// ZIP64 extra, and state `size`, if it is given, unless a descriptor has it. `before`
/// are the last bytes before the payload; 30 + name + 20 are examined.
bool is_local_header_of(std::span<const std::byte> before, std::string_view name, std::optional<uint64_t> size = {});

/// The local header of `name` that ends where `before` does, with any extra field; nullopt where there is no such
/// header.
std::optional<LocalHeader> local_header_before(std::span<const std::byte> before, std::string_view name);

// Writing: entries as published files have them.

/// A DOS time: seconds in steps of two, UTC, 1980 to 2107 (earlier and later times become those limits).
struct DosTime {
  uint16_t time = 0;
  uint16_t date = 0x21;  ///< 1980-01-01
};
DosTime dos_time(int64_t seconds_since_1970);
/// The seconds since 1970 of a DOS time; an invalid date counts as 1980-01-01.
int64_t seconds_of(DosTime time);

/// An entry to be written at `local_offset`: stored, made by Unix, a plain file of mode 0644, names beyond ASCII marked
/// as UTF-8, the version that it needs. Its crc32 is set later. Throws FormatError for a name longer than 65,535 bytes.
CentralEntry stored_entry(std::string name, uint64_t size, uint64_t local_offset, DosTime time = {});

/// The bytes before the payload of `entry`: 30 + name, and 20 more where the size takes ZIP64.
uint64_t local_header_size(const CentralEntry& entry) noexcept;
std::vector<std::byte> encode_local_header(const CentralEntry& entry);
void encode_central_entry(const CentralEntry& entry, FieldWriter& out);
/// The end records of a directory of `num_entries` at [offset, offset + size): with ZIP64 ones where a number needs
/// them, or where an entry has them (`zip64`).
void encode_directory_end(const Directory& directory, FieldWriter& out);

}  // namespace tacore::zip
