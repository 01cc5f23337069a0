#include <algorithm>

#include "format/names.hpp"
#include "format/taco_header.hpp"
#include "validate/zip.hpp"

namespace tacore::validator {
namespace {

constexpr std::size_t kCount = taco_header::kPayloadOffset;
constexpr std::size_t kReserved = kCount + 1;  // three reserved bytes, then the ranges
constexpr std::size_t kRanges = kCount + 4;
constexpr std::size_t kRangeSize = 16;

std::string shown(const ByteRange& range) {
  return std::to_string(range.size) + " bytes at " + std::to_string(range.offset);
}

std::string level_name(std::size_t level) { return std::string(names::kMetadata).append(names::kLevelFiles[level]); }

std::optional<ByteRange> range_of(const Entries& entries, std::string_view name) {
  const auto at = entries.find(name);
  if (!at) return std::nullopt;
  return ByteRange{entries.offset(*at), entries.size_of(*at)};
}

Tables tables_of(const Entries& entries) {
  Tables out;
  out.collection = range_of(entries, names::kCollection);
  for (std::size_t k = 0; k < std::size(names::kLevelFiles); ++k) {
    const auto level = range_of(entries, level_name(k));
    if (!level) break;
    out.levels.push_back(*level);
  }
  return out;
}

/// HDR-3 for one range.
void check_range(Report& report, const Entries& entries, const std::string& name, const ByteRange& found,
                 const ErrorContext& where) {
  const auto expected = range_of(entries, name);
  if (expected == found) return;
  report.add("HDR-3",
             "TACO_HEADER states " + shown(found) + " for " + name + ", " +
                 (expected ? shown(*expected) + " expected" : "but there is no such entry"),
             where);
}

void check_ranges(Report& report, const taco_header::Header& header, const Entries& entries,
                  const ErrorContext& where) {
  for (std::size_t k = 0; k < header.levels.size(); ++k)
    check_range(report, entries, level_name(k), header.levels[k], where);
  check_range(report, entries, std::string(names::kCollection), header.collection, where);
  for (std::size_t k = header.levels.size(); k < std::size(names::kLevelFiles); ++k) {
    if (entries.find(level_name(k))) report.add("HDR-3", "TACO_HEADER does not list " + level_name(k), where);
  }
}

void check_zeros(Report& report, const Bytes& head, std::size_t num_ranges, const ErrorContext& where) {
  const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
  const auto byte = [&](std::size_t at) { return head.begin() + static_cast<std::ptrdiff_t>(at); };
  if (!std::all_of(byte(kReserved), byte(kRanges), is_zero)) {
    report.add("HDR-5", "reserved bytes 42 to 44 are not zero", where);
  }
  if (!std::all_of(byte(kRanges + num_ranges * kRangeSize), byte(taco_header::kSize), is_zero)) {
    report.add("HDR-5", "the unused ranges after the first " + std::to_string(num_ranges) + " are not zero", where);
  }
}

/// The directory must list the header, too, as the entry at byte 0.
void check_entry(Report& report, const Entries& entries, const ErrorContext& where) {
  const auto range = range_of(entries, names::kHeader);
  const ByteRange expected{taco_header::kPayloadOffset, taco_header::kPayloadSize};
  if (!range) {
    report.add("HDR-1", "the central directory has no entry TACO_HEADER", where);
  } else if (*range != expected) {
    report.add("HDR-2", "TACO_HEADER is " + shown(*range) + ", " + shown(expected) + " expected", where);
  }
}

}  // namespace

Tables check_header(Report& report, const ByteSource& archive, const Entries* entries) {
  const Tables tables = entries ? tables_of(*entries) : Tables{};
  const ErrorContext where{.path = archive.name(), .offset = 0};
  const Bytes head = archive.read({0, std::min(archive.size(), taco_header::kSize)});
  if (!taco_header::is_header(head)) {
    report.add("HDR-1", "the file does not start with the entry TACO_HEADER", where);
    return tables;
  }
  if (entries) check_entry(report, *entries, where);
  taco_header::Header header;
  try {
    header = taco_header::parse(head, archive.size());
  } catch (const FormatError& error) {
    report.add("HDR-2", error, where);
    return tables;
  }
  if (!header.crc_ok) report.add("HDR-4", "TACO_HEADER does not match the CRC-32 of its local header", where);
  check_zeros(report, head, header.levels.size() + 1, where);
  if (!entries) return {.collection = header.collection, .levels = header.levels};
  check_ranges(report, header, *entries, where);
  return tables;
}

}  // namespace tacore::validator
