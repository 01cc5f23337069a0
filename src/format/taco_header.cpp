#include "format/taco_header.hpp"

#include <string>

#include "base/crc32.hpp"
#include "base/little_endian.hpp"
#include "format/names.hpp"
#include "tacore/error.hpp"

namespace tacore::taco_header {
namespace {

constexpr uint32_t kSignature = 0x04034b50;  // local file header (APPNOTE 4.3.7)
constexpr uint64_t kCrcOffset = 14;
constexpr uint64_t kNameSizeOffset = 26;
constexpr int kMinEntries = 2;

void check_local_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    throw FormatError(
        "TACO_HEADER is truncated: " + std::to_string(bytes.size()) + " bytes, expected " + std::to_string(kSize),
        {.offset = 0});
  }
  if (!is_header(bytes)) {
    throw FormatError("not a TACO ZIP: its first entry is not TACO_HEADER", {.offset = 0});
  }
  // The payload is read at a fixed offset, which an extra field would move.
  Cursor in(bytes.subspan(kNameSizeOffset + 2), "TACO_HEADER", kNameSizeOffset + 2);
  if (const uint16_t extra_size = in.u16(); extra_size != 0) {
    throw FormatError("TACO_HEADER: extra field has " + std::to_string(extra_size) + " bytes, none allowed",
                      {.offset = kNameSizeOffset + 2});
  }
}

int parse_count(Cursor& in) {
  const int count = in.u8();
  in.skip(3);  // reserved
  if (count > kMaxEntries) {
    throw FormatError(
        "TACO_HEADER: count is " + std::to_string(count) + ", at most " + std::to_string(kMaxEntries) + " allowed",
        {.offset = kPayloadOffset});
  }
  if (count < kMinEntries) {
    throw FormatError(
        "TACO_HEADER: count is " + std::to_string(count) + ", at least 2 expected (level 0 and the collection)",
        {.offset = kPayloadOffset});
  }
  return count;
}

ByteRange parse_range(Cursor& in, int position, uint64_t file_size) {
  const uint64_t at = kPayloadOffset + in.position();
  const ByteRange out = {.offset = in.u64(), .size = in.u64()};
  const auto fail = [&](const std::string& what) -> ByteRange {
    throw FormatError("TACO_HEADER: range " + std::to_string(position) + " (" + std::to_string(out.size) +
                          " bytes at " + std::to_string(out.offset) + ") " + what,
                      {.offset = at});
  };
  if (out.size == 0) return fail("is empty");
  if (out.offset < kSize) return fail("starts inside the header");
  if (out.offset > file_size || out.size > file_size - out.offset) {
    return fail("goes beyond the end of the file of " + std::to_string(file_size) + " bytes");
  }
  return out;
}

bool crc_matches(std::span<const std::byte> bytes) {
  Cursor in(bytes.subspan(kCrcOffset), "TACO_HEADER", kCrcOffset);
  return in.u32() == crc32(bytes.subspan(kPayloadOffset, kPayloadSize));
}

}  // namespace

bool is_header(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < kPayloadOffset) return false;
  Cursor in(bytes, "TACO_HEADER");
  if (in.u32() != kSignature) return false;
  in.skip(kNameSizeOffset - in.position());
  if (in.u16() != names::kHeader.size()) return false;
  in.skip(2);
  return in.text(names::kHeader.size()) == names::kHeader;
}

Header parse(std::span<const std::byte> bytes, uint64_t file_size) {
  check_local_header(bytes);
  Cursor in(bytes.subspan(kPayloadOffset, kPayloadSize), "TACO_HEADER", kPayloadOffset);
  const int count = parse_count(in);
  Header out;
  for (int i = 0; i + 1 < count; ++i) out.levels.push_back(parse_range(in, i, file_size));
  out.collection = parse_range(in, count - 1, file_size);
  out.crc_ok = crc_matches(bytes);
  return out;
}

namespace {

constexpr uint32_t kMode = 0644U << 16;  // without the bits of a plain file

std::vector<std::byte> payload(const Header& header) {
  if (header.levels.empty() || header.levels.size() >= kMaxEntries) {
    throw FormatError("TACO_HEADER: " + std::to_string(header.levels.size()) + " levels, 1 to 6 expected");
  }
  FieldWriter out;
  out.u32(static_cast<uint32_t>(header.levels.size() + 1));  // count, and 3 bytes of 0
  const auto range = [&](const ByteRange& r) {
    if (r.size == 0) throw FormatError("TACO_HEADER: an empty range");
    out.u64(r.offset);
    out.u64(r.size);
  };
  for (const ByteRange& level : header.levels) range(level);
  range(header.collection);
  while (out.size() < kPayloadSize) out.u64(0);
  return out.take();
}

}  // namespace

zip::CentralEntry central_entry(const Header& header, zip::DosTime time) {
  auto out = zip::stored_entry(std::string(names::kHeader), kPayloadSize, 0, time);
  out.external_attributes = kMode;
  out.crc32 = crc32(payload(header));
  return out;
}

std::vector<std::byte> encode(const Header& header, zip::DosTime time) {
  auto out = zip::encode_local_header(central_entry(header, time));
  const auto data = payload(header);
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

}  // namespace tacore::taco_header
