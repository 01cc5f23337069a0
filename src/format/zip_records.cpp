#include "format/zip_records.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <initializer_list>
#include <optional>

#include "base/checked_math.hpp"
#include "base/little_endian.hpp"
#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore::zip {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kCentralSignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kEnd64LocatorSignature = 0x07064b50;

constexpr uint16_t kZip64Extra = 0x0001;  // 4.5.3
constexpr uint64_t kExtraHeaderSize = 4;  // 4.5.1: id and size
constexpr uint32_t kMax16 = 0xFFFF;
constexpr uint32_t kMax32 = 0xFFFFFFFF;
constexpr uint16_t kStored = 0;

std::string hex(uint32_t value) {
  char out[11];
  std::snprintf(out, sizeof out, "0x%08x", value);
  return out;
}

void expect_signature(Cursor& in, uint32_t expected, const char* what, uint64_t offset) {
  const uint32_t found = in.u32();
  if (found == expected) return;
  throw FormatError(std::string(what) + ": signature is " + hex(found) + ", expected " + hex(expected),
                    {.offset = offset});
}

/// The ZIP64 field of an extra area (4.5.1: a chain of id, size, data).
std::optional<Cursor> find_zip64_extra(std::span<const std::byte> extra, uint64_t origin) {
  Cursor in(extra, "extra field", origin);
  while (in.remaining() >= kExtraHeaderSize) {
    const uint16_t id = in.u16();
    const uint16_t size = in.u16();
    const uint64_t start = origin + in.position();
    const auto data = in.take(size);
    if (id == kZip64Extra) return Cursor(data, "ZIP64 extra field", start);
  }
  return std::nullopt;
}

bool has_foreign_extra(std::span<const std::byte> extra) {
  Cursor in(extra, "extra field");
  while (in.remaining() >= kExtraHeaderSize) {
    const uint16_t id = in.u16(), size = in.u16();
    if (id != kZip64Extra || size > in.remaining()) return true;
    in.skip(size);
  }
  return in.remaining() > 0;
}

/// Readers choose differently among two ZIP64 fields, and between a number in the record and one in the field. The
/// field is unambiguous when it occurs once and has exactly the missing numbers, of `num_bytes` together, or is empty
/// where these are exactly all ones.
bool has_odd_zip64(std::span<const std::byte> extra, uint64_t num_bytes) {
  Cursor in(extra, "extra field");
  int count = 0;
  while (in.remaining() >= kExtraHeaderSize) {
    const uint16_t id = in.u16(), size = in.u16();
    if (size > in.remaining()) return false;  // a foreign field
    if (id == kZip64Extra && (++count > 1 || num_bytes == 0 || (size != num_bytes && size != 0))) return true;
    in.skip(size);
  }
  return false;
}

uint64_t num_missing_bytes(std::initializer_list<uint64_t> fields) {
  return 8 * static_cast<uint64_t>(std::count(fields.begin(), fields.end(), kMax32));
}

/// Replaces the fields that are all ones by those of the ZIP64 extra, which holds these and no
/// others, in the order of `fields` (4.5.3).
void resolve_zip64(std::initializer_list<uint64_t*> fields, std::span<const std::byte> extra, uint64_t extra_offset) {
  const auto is_missing = [](const uint64_t* field) { return *field == kMax32; };
  if (std::none_of(fields.begin(), fields.end(), is_missing)) return;
  auto zip64 = find_zip64_extra(extra, extra_offset);
  if (!zip64) {
    throw FormatError("a size or offset of FFFFFFFF without ZIP64 extra field", {.offset = extra_offset});
  }
  // An empty field is what libzip writes for a payload of exactly FFFFFFFF bytes.
  if (zip64->remaining() == 0) return;
  for (uint64_t* field : fields) {
    if (is_missing(field)) *field = zip64->u64();
  }
}

/// A stored payload has one size; with two, readers would disagree about what follows it.
void check_sizes(uint16_t method, uint16_t flags, uint64_t compressed_size, uint64_t size, uint64_t offset) {
  if (method != kStored || (flags & kEncryptedFlag) != 0 || compressed_size == size) return;
  throw FormatError(
      "stored entry has size " + std::to_string(size) + " but compressed size " + std::to_string(compressed_size),
      {.offset = offset});
}

/// The numbers of an end record, of 16 and 32 bits (4.3.16) or wider (4.3.14).
struct EndNumbers {
  uint32_t disk = 0;
  uint32_t directory_disk = 0;
  uint64_t num_entries_here = 0;
  uint64_t num_entries = 0;
  uint64_t size = 0;
  uint64_t offset = 0;
};

bool is_end_record(std::span<const std::byte> bytes) {
  Cursor in(bytes, "end of central directory");
  if (in.u32() != kEndSignature) return false;
  in.skip(kEndRecordSize - 6);
  const uint16_t comment_size = in.u16();
  return comment_size == in.remaining();
}

/// Position of the last end record whose comment reaches exactly to the end. Backwards, because a
/// payload or the comment may look like one.
std::size_t find_end_record(std::span<const std::byte> tail, uint64_t archive_size) {
  const uint64_t longest = std::min<uint64_t>(tail.size(), kEndRecordSize + kMaxCommentSize);
  for (uint64_t size = kEndRecordSize; size <= longest; ++size) {
    if (is_end_record(tail.last(size))) return tail.size() - size;
  }
  throw FormatError("no end of central directory record in the last " + std::to_string(longest) + " bytes",
                    {.offset = archive_size - longest});
}

EndNumbers parse_end_record(std::span<const std::byte> bytes) {
  Cursor in(bytes, "end of central directory");
  in.skip(4);
  EndNumbers out;
  out.disk = in.u16();
  out.directory_disk = in.u16();
  out.num_entries_here = in.u16();
  out.num_entries = in.u16();
  out.size = in.u32();
  out.offset = in.u32();
  return out;
}

/// Offset of the ZIP64 end record from the locator that stands before the end record, if one does.
std::optional<uint64_t> parse_locator(std::span<const std::byte> before_end, uint64_t tail_offset) {
  const uint64_t end_offset = tail_offset + before_end.size();
  if (end_offset < kEnd64LocatorSize) return std::nullopt;
  const uint64_t offset = end_offset - kEnd64LocatorSize;
  if (offset < tail_offset) {
    throw FormatError("ZIP64 locator may lie before the bytes that were read", {.offset = offset});
  }
  Cursor in(before_end.last(kEnd64LocatorSize), "ZIP64 locator", offset);
  if (in.u32() != kEnd64LocatorSignature) return std::nullopt;
  const uint32_t disk = in.u32();
  const uint64_t record_offset = in.u64();
  const uint32_t num_disks = in.u32();
  if (disk != 0 || num_disks > 1) {
    throw FormatError("archive is split over several files", {.offset = offset});
  }
  return record_offset;
}

/// `bytes` is what lies between the start of the record and the locator.
EndNumbers parse_end64_record(std::span<const std::byte> bytes, uint64_t offset) {
  Cursor in(bytes, "ZIP64 end of central directory", offset);
  expect_signature(in, kEnd64Signature, "ZIP64 end of central directory", offset);
  const uint64_t size = in.u64();  // of what follows (4.3.14.1)
  if (size < kEnd64RecordSize - 12 || size > in.remaining()) {
    throw FormatError("ZIP64 end of central directory: size is " + std::to_string(size) + ", expected 44 to " +
                          std::to_string(in.remaining()),
                      {.offset = offset});
  }
  in.skip(4);  // versions
  EndNumbers out;
  out.disk = in.u32();
  out.directory_disk = in.u32();
  out.num_entries_here = in.u64();
  out.num_entries = in.u64();
  out.size = in.u64();
  out.offset = in.u64();
  return out;
}

/// The short record holds the same number or all ones (4.4.1.4). Anything else is an archive that
/// shows two readers two directories.
void check_agreement(const EndNumbers& end, const EndNumbers& end64, uint64_t offset) {
  const auto agree = [](uint64_t narrow, uint64_t wide, uint64_t ones) { return narrow == wide || narrow == ones; };
  if (agree(end.disk, end64.disk, kMax16) && agree(end.directory_disk, end64.directory_disk, kMax16) &&
      agree(end.num_entries_here, end64.num_entries_here, kMax16) &&
      agree(end.num_entries, end64.num_entries, kMax16) && agree(end.size, end64.size, kMax32) &&
      agree(end.offset, end64.offset, kMax32)) {
    return;
  }
  throw FormatError("the two end of central directory records disagree", {.offset = offset});
}

/// A count of FFFF stays legal: it is the number of entries.
void check_needs_no_zip64(const EndNumbers& end, uint64_t offset) {
  if (end.size != kMax32 && end.offset != kMax32) return;
  throw FormatError("end of central directory: FFFFFFFF without ZIP64 record", {.offset = offset});
}

void check_one_disk(const EndNumbers& end, uint64_t offset) {
  if (end.disk == 0 && end.directory_disk == 0 && end.num_entries_here == end.num_entries) return;
  throw FormatError("archive is split over several files", {.offset = offset});
}

/// `limit` is where the end records start. The count is checked too, for it will size a vector.
void check_directory(const Directory& found, uint64_t limit) {
  if (found.offset > limit || found.size > limit - found.offset) {
    throw FormatError("central directory of " + std::to_string(found.size) + " bytes at " +
                          std::to_string(found.offset) + " passes its end record at " + std::to_string(limit),
                      {.offset = found.end_offset});
  }
  if (found.num_entries > found.size / kCentralHeaderSize) {
    throw FormatError("central directory of " + std::to_string(found.size) + " bytes cannot hold " +
                          std::to_string(found.num_entries) + " entries",
                      {.offset = found.end_offset});
  }
}

EndNumbers read_end64(std::span<const std::byte> before_locator, uint64_t tail_offset, uint64_t record_offset) {
  if (record_offset < tail_offset) {
    throw FormatError("ZIP64 end of central directory lies before the bytes that were read", {.offset = record_offset});
  }
  const uint64_t position = record_offset - tail_offset;
  if (position > before_locator.size()) {
    throw FormatError("ZIP64 locator points at byte " + std::to_string(record_offset) + ", past itself",
                      {.offset = tail_offset + before_locator.size()});
  }
  return parse_end64_record(before_locator.subspan(position), record_offset);
}

/// The payload lies between its local header and the directory, so the directory bounds it.
void check_place(const CentralEntry& entry, const Directory& where) {
  const char* what = "central directory entry";
  const uint64_t payload = checked_add(entry.local_offset, kLocalHeaderSize + entry.name.size(), what);
  if (checked_add(payload, entry.compressed_size, what) <= where.offset) return;
  throw FormatError("entry " + quoted(entry.name) + " of " + std::to_string(entry.compressed_size) + " bytes at " +
                        std::to_string(entry.local_offset) + " overlaps the central directory at " +
                        std::to_string(where.offset),
                    {.offset = entry.record_offset});
}

CentralEntry parse_central_entry(Cursor& in, uint64_t directory_offset) {
  CentralEntry out;
  out.record_offset = directory_offset + in.position();
  expect_signature(in, kCentralSignature, "central directory entry", out.record_offset);
  out.version_made_by = in.u16();
  out.version_needed = in.u16();
  out.flags = in.u16();
  out.method = in.u16();
  out.time = in.u16();
  out.date = in.u16();
  out.crc32 = in.u32();
  out.compressed_size = in.u32();
  out.size = in.u32();
  const uint16_t name_size = in.u16();
  const uint16_t extra_size = in.u16();
  out.comment_size = in.u16();
  out.disk = in.u16();
  in.skip(2);  // internal attributes
  out.external_attributes = in.u32();
  out.local_offset = in.u32();
  out.name = in.text(name_size);
  const uint64_t extra_offset = directory_offset + in.position();
  // Sizes first: 4.5.3 orders the original before the compressed one.
  const auto extra = in.take(extra_size);
  out.has_odd_zip64 = has_odd_zip64(extra, num_missing_bytes({out.size, out.compressed_size, out.local_offset}));
  resolve_zip64({&out.size, &out.compressed_size, &out.local_offset}, extra, extra_offset);
  out.has_foreign_extra = has_foreign_extra(extra);
  in.skip(out.comment_size);
  check_sizes(out.method, out.flags, out.compressed_size, out.size, out.record_offset);
  return out;
}

/// True when `header`, from its signature to the payload, names `name`, has this much extra, and
/// states `size`. Does not throw for other bytes, since most calls are about bytes that are not a header.
bool is_header_with(std::span<const std::byte> header, std::string_view name, uint64_t extra_size,
                    std::optional<uint64_t> size) {
  if (local_header_size_at(header, name) != header.size()) return false;
  Cursor in(header, "local header");
  in.skip(6);
  const uint16_t flags = in.u16();
  in.skip(14);
  uint64_t stated = in.u32();
  in.skip(4 + name.size());
  if (extra_size > 0) {
    if (in.u16() != kZip64Extra || in.u16() != extra_size - kExtraHeaderSize) return false;
    if (stated == kMax32) stated = in.u64();
  }
  return !size || stated == *size || (flags & kDescriptorFlag) != 0;
}

}  // namespace

Directory find_directory(std::span<const std::byte> tail, uint64_t tail_offset) {
  const uint64_t archive_size = checked_add<uint64_t>(tail_offset, tail.size(), "archive size");
  const std::size_t position = find_end_record(tail, archive_size);
  const uint64_t end_offset = tail_offset + position;
  EndNumbers numbers = parse_end_record(tail.subspan(position));
  const auto end64_offset = parse_locator(tail.first(position), tail_offset);
  if (end64_offset) {
    const auto before_locator = tail.first(position - kEnd64LocatorSize);
    const EndNumbers wide = read_end64(before_locator, tail_offset, *end64_offset);
    check_agreement(numbers, wide, end_offset);
    numbers = wide;
  } else {
    check_needs_no_zip64(numbers, end_offset);
  }
  check_one_disk(numbers, end_offset);
  const Directory out = {.offset = numbers.offset,
                         .size = numbers.size,
                         .num_entries = numbers.num_entries,
                         .zip64 = end64_offset.has_value(),
                         .end_offset = end_offset,
                         .end64_offset = end64_offset.value_or(0)};
  check_directory(out, end64_offset.value_or(end_offset));
  return out;
}

std::optional<uint64_t> other_end_record(std::span<const std::byte> tail, uint64_t tail_offset,
                                         const Directory& found) {
  const uint64_t real = found.end_offset - tail_offset;
  for (uint64_t at = 0; tail.size() >= kEndRecordSize && at <= tail.size() - 4; ++at) {
    if (at == real || Cursor(tail.subspan(at), "signature").u32() != kEndSignature) continue;
    const bool is_in_comment = at > real;
    if (is_in_comment || is_end_record(tail.subspan(at))) return tail_offset + at;
  }
  return std::nullopt;
}

std::vector<CentralEntry> parse_directory(std::span<const std::byte> bytes, const Directory& where) {
  if (bytes.size() != where.size || where.num_entries > bytes.size() / kCentralHeaderSize) {
    throw FormatError("central directory has " + std::to_string(bytes.size()) + " bytes, expected " +
                          std::to_string(where.size) + " for " + std::to_string(where.num_entries) + " entries",
                      {.offset = where.offset});
  }
  std::vector<CentralEntry> out;
  out.reserve(where.num_entries);
  Cursor in(bytes, "central directory", where.offset);
  while (in.remaining() > 0 && out.size() < where.num_entries) {
    out.push_back(parse_central_entry(in, where.offset));
    check_place(out.back(), where);
  }
  if (out.size() != where.num_entries || in.remaining() > 0) {
    throw FormatError("central directory: " + std::to_string(out.size()) + " of " + std::to_string(where.num_entries) +
                          " entries, then " + std::to_string(in.remaining()) + " bytes",
                      {.offset = where.offset + in.position()});
  }
  return out;
}

std::vector<CentralEntry> last_entries(std::span<const std::byte> bytes, const Directory& where) {
  const uint64_t offset = where.offset + where.size - bytes.size();
  // Bytes that look like an entry may be part of a name or a comment, but only real entries form a chain to the very
  // end. A chain that joins an earlier one ends as that does, so each offset is parsed once.
  std::vector<bool> is_known(bytes.size());
  for (std::size_t begin = 0; bytes.size() - begin >= kCentralHeaderSize; ++begin) {
    if (is_known[begin] || Cursor(bytes.subspan(begin), "signature").u32() != kCentralSignature) continue;
    std::vector<CentralEntry> out;
    Cursor in(bytes.subspan(begin), "central directory", offset + begin);
    try {
      while (in.remaining() > 0 && !is_known[begin + in.position()]) {
        is_known[begin + in.position()] = true;
        out.push_back(parse_central_entry(in, offset + begin));
        check_place(out.back(), where);
      }
    } catch (const FormatError&) {
      continue;
    }
    if (in.remaining() == 0) return out;
  }
  return {};
}

LocalHeader parse_local_header(std::span<const std::byte> bytes, uint64_t offset) {
  checked_add<uint64_t>(offset, bytes.size(), "local header offset");
  Cursor in(bytes, "local header", offset);
  expect_signature(in, kLocalSignature, "local header", offset);
  LocalHeader out;
  out.version_needed = in.u16();
  out.flags = in.u16();
  out.method = in.u16();
  out.time = in.u16();
  out.date = in.u16();
  out.crc32 = in.u32();
  out.compressed_size = in.u32();
  out.size = in.u32();
  const uint16_t name_size = in.u16();
  const uint16_t extra_size = in.u16();
  out.name = in.text(name_size);
  const uint64_t extra_offset = offset + in.position();
  const auto extra = in.take(extra_size);
  out.has_foreign_extra = has_foreign_extra(extra);
  out.has_odd_zip64 = has_odd_zip64(extra, num_missing_bytes({out.size, out.compressed_size}));
  resolve_zip64({&out.size, &out.compressed_size}, extra, extra_offset);
  out.header_size = in.position();
  check_sizes(out.method, out.flags, out.compressed_size, out.size, offset);
  return out;
}

std::optional<uint64_t> local_header_size_at(std::span<const std::byte> bytes, std::string_view name) {
  if (bytes.size() < kLocalHeaderSize + name.size()) return std::nullopt;
  Cursor in(bytes, "local header");
  if (in.u32() != kLocalSignature) return std::nullopt;
  in.skip(22);
  const uint64_t name_size = in.u16(), extra_size = in.u16();
  if (name_size != name.size() || in.text(name.size()) != name) return std::nullopt;
  return kLocalHeaderSize + name_size + extra_size;
}

bool is_local_header_of(std::span<const std::byte> before, std::string_view name, std::optional<uint64_t> size) {
  for (const uint64_t extra_size : {uint64_t{0}, kFullZip64ExtraSize}) {
    const uint64_t whole = kLocalHeaderSize + name.size() + extra_size;
    if (whole <= before.size() && is_header_with(before.last(whole), name, extra_size, size)) return true;
  }
  return false;
}

std::optional<LocalHeader> local_header_before(std::span<const std::byte> before, std::string_view name) {
  // Most extra fields are empty, and none is longer than a 16-bit length can state.
  for (uint64_t extra_size = 0; extra_size <= kMax16; ++extra_size) {
    const uint64_t whole = kLocalHeaderSize + name.size() + extra_size;
    if (whole > before.size()) break;
    const auto header = before.last(whole);
    if (header[0] != std::byte{'P'} || local_header_size_at(header, name) != whole) continue;
    try {
      return parse_local_header(header, 0);
    } catch (const FormatError&) {  // bytes that only look like one
      continue;
    }
  }
  return std::nullopt;
}

namespace {

constexpr uint16_t kPlainVersion = 10;
constexpr uint16_t kMadeByUnix = 0x033F;
constexpr uint16_t kUtf8Flag = 0x0800;
constexpr uint32_t kPlainFile = 0100644U << 16;

bool is_large(uint64_t value) { return value >= kMax32; }
uint32_t short_of(uint64_t value) { return is_large(value) ? kMax32 : static_cast<uint32_t>(value); }

void encode_common(const CentralEntry& entry, uint16_t version_needed, FieldWriter& out) {
  out.u16(version_needed);
  out.u16(entry.flags);
  out.u16(entry.method);
  out.u16(entry.time);
  out.u16(entry.date);
  out.u32(entry.crc32);
  out.u32(short_of(entry.compressed_size));
  out.u32(short_of(entry.size));
  out.u16(static_cast<uint16_t>(entry.name.size()));
}

}  // namespace

DosTime dos_time(int64_t seconds) {
  constexpr int64_t kFirst = 315'532'800, kLast = 4'354'819'198;  // 1980-01-01T00:00:00Z, 2107-12-31T23:59:58Z
  const std::chrono::sys_seconds at{std::chrono::seconds(std::clamp(seconds, kFirst, kLast))};
  const auto midnight = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day day(midnight);
  const std::chrono::hh_mm_ss clock(at - midnight);
  return {
      static_cast<uint16_t>(clock.hours().count() << 11 | clock.minutes().count() << 5 | clock.seconds().count() / 2),
      static_cast<uint16_t>((static_cast<int>(day.year()) - 1980) << 9 |
                            static_cast<int>(static_cast<unsigned>(day.month())) << 5 |
                            static_cast<int>(static_cast<unsigned>(day.day())))};
}

int64_t seconds_of(DosTime time) {
  const std::chrono::year_month_day day(std::chrono::year(1980 + (time.date >> 9)),
                                        std::chrono::month(time.date >> 5 & 15U), std::chrono::day(time.date & 31U));
  const auto midnight = std::chrono::sys_days(
      day.ok() ? day : std::chrono::year_month_day(std::chrono::year(1980), std::chrono::January, std::chrono::day(1)));
  return std::chrono::seconds(midnight.time_since_epoch()).count() + (time.time >> 11) * 3600 +
         (time.time >> 5 & 63) * 60 + (time.time & 31) * 2;
}

CentralEntry stored_entry(std::string name, uint64_t size, uint64_t local_offset, DosTime time) {
  if (name.size() > kMax16)
    throw FormatError("name of a ZIP entry has " + std::to_string(name.size()) + " bytes, at most 65535 allowed");
  const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  CentralEntry out;
  out.version_made_by = kMadeByUnix;
  out.version_needed = is_large(size) || is_large(local_offset) ? kZip64Version : kPlainVersion;
  out.flags = ascii ? 0 : kUtf8Flag;
  out.time = time.time;
  out.date = time.date;
  out.compressed_size = out.size = size;
  out.external_attributes = kPlainFile;
  out.name = std::move(name);
  out.local_offset = local_offset;
  return out;
}

uint64_t local_header_size(const CentralEntry& entry) noexcept {
  return kLocalHeaderSize + entry.name.size() + (is_large(entry.size) ? kFullZip64ExtraSize : 0);
}

std::vector<std::byte> encode_local_header(const CentralEntry& entry) {
  FieldWriter out;
  out.u32(kLocalSignature);
  encode_common(entry, is_large(entry.size) ? kZip64Version : kPlainVersion,
                out);  // a local header does not state its offset
  out.u16(is_large(entry.size) ? kFullZip64ExtraSize : 0);
  out.text(entry.name);
  if (is_large(entry.size)) {
    out.u16(kZip64Extra);
    out.u16(kFullZip64ExtraSize - kExtraHeaderSize);
    out.u64(entry.size);
    out.u64(entry.compressed_size);
  }
  return out.take();
}

void encode_central_entry(const CentralEntry& entry, FieldWriter& out) {
  const int extra = (is_large(entry.size) ? 16 : 0) + (is_large(entry.local_offset) ? 8 : 0);
  out.u32(kCentralSignature);
  out.u16(entry.version_made_by);
  encode_common(entry, entry.version_needed, out);
  out.u16(static_cast<uint16_t>(extra == 0 ? 0 : extra + static_cast<int>(kExtraHeaderSize)));
  out.u16(0);  // comment
  out.u16(0);  // disk
  out.u16(0);  // internal attributes
  out.u32(entry.external_attributes);
  out.u32(short_of(entry.local_offset));
  out.text(entry.name);
  if (extra == 0) return;
  out.u16(kZip64Extra);
  out.u16(static_cast<uint16_t>(extra));
  if (is_large(entry.size)) {
    out.u64(entry.size);
    out.u64(entry.compressed_size);
  }
  if (is_large(entry.local_offset)) out.u64(entry.local_offset);
}

void encode_directory_end(const Directory& directory, FieldWriter& out) {
  // Exactly 65,535 entries are stated by the short record alone, as libzip does.
  const bool zip64 =
      directory.zip64 || directory.num_entries > kMax16 || is_large(directory.offset) || is_large(directory.size);
  if (zip64) {
    out.u32(kEnd64Signature);
    out.u64(kEnd64RecordSize - 12);
    out.u16(kZip64Version);
    out.u16(kZip64Version);
    out.u32(0);  // disks
    out.u32(0);
    out.u64(directory.num_entries);
    out.u64(directory.num_entries);
    out.u64(directory.size);
    out.u64(directory.offset);
    out.u32(kEnd64LocatorSignature);
    out.u32(0);
    out.u64(directory.offset + directory.size);
    out.u32(1);
  }
  const auto count = static_cast<uint16_t>(std::min<uint64_t>(directory.num_entries, kMax16));
  out.u32(kEndSignature);
  out.u32(0);  // disks
  out.u16(count);
  out.u16(count);
  out.u32(short_of(directory.size));
  out.u32(short_of(directory.offset));
  out.u16(0);  // comment
}

}  // namespace tacore::zip
