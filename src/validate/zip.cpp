#include "validate/zip.hpp"

#include <algorithm>

#include "base/crc32.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "model/identifier.hpp"

namespace tacore::validator {
namespace {

constexpr uint64_t kPiece = 1 << 20;

ErrorContext at(const ByteSource& archive, uint64_t offset) { return {.path = archive.name(), .offset = offset}; }

zip::Directory find_directory(Report& report, const ByteSource& archive) {
  const uint64_t size = archive.size();
  const uint64_t length = std::min(size, zip::kTailSize + zip::kEnd64RecordSize);
  const Bytes tail = archive.read({size - length, length});
  const zip::Directory out = zip::find_directory(tail, size - length);
  if (const auto other = zip::other_end_record(tail, size - length, out)) {
    report.add("ZIP-13",
               "bytes that some readers take for the end of central directory record, which is at " +
                   std::to_string(out.end_offset),
               at(archive, *other));
  }
  return out;
}

/// Why an archive with an entry of this name may not be unpacked, or "". A final slash marks a folder.
std::string why_bad_name(std::string_view name) {
  if (!is_utf8(name)) return "is not UTF-8";
  if (name.size() > 1 && name.ends_with('/')) name.remove_suffix(1);
  for (const auto& part : split(name, '/')) {
    if (const auto why = why_unsafe_id(part); !why.empty()) return "has a part that " + why;
  }
  return "";
}

bool is_known_name(std::string_view name) {
  if (name == names::kHeader || name == names::kCollection) return true;
  if (name.ends_with('/')) return false;
  if (name.starts_with(names::kData)) return true;
  if (!name.starts_with(names::kMetadata)) return false;
  name.remove_prefix(names::kMetadata.size());
  return names::is_level_file(name);
}

void check_names(Report& report, const ByteSource& archive, const std::vector<zip::CentralEntry>& entries) {
  for (const auto& entry : entries) {
    const ErrorContext where = at(archive, entry.record_offset);
    if (const auto why = why_bad_name(entry.name); !why.empty()) {
      report.add("ZIP-9", "entry " + in_quotes(entry.name) + " " + why, where);
    } else if (!is_known_name(entry.name)) {
      report.add("ZIP-10", "entry " + in_quotes(entry.name) + " is not part of a TACO dataset", where);
    }
    if (entry.has_foreign_extra) {
      report.add("ZIP-12", "entry " + in_quotes(entry.name) + " has an extra field other than that of ZIP64", where);
    }
    if (entry.has_odd_zip64) {
      report.add("ZIP-14", "entry " + in_quotes(entry.name) + ": its ZIP64 field does not match its sizes and offset",
                 where);
    }
    if (entry.disk != 0) {
      report.add("ZIP-15",
                 "entry " + in_quotes(entry.name) + " is on disk " + std::to_string(entry.disk) + ", 0 expected",
                 where);
    }
    if (entry.comment_size != 0) {
      report.add("ZIP-16",
                 "entry " + in_quotes(entry.name) + " has a comment of " + counted(entry.comment_size, "byte"), where);
    }
    if (entry.is_link()) {
      report.add("ZIP-11", "entry " + in_quotes(entry.name) + " is a symbolic link", where);
    }
  }
}

void check_end(Report& report, const ByteSource& archive, const zip::Directory& directory) {
  const uint64_t end = directory.offset + directory.size;
  const uint64_t next = directory.zip64 ? directory.end64_offset : directory.end_offset;
  if (end != next) {
    report.add("ZIP-7", counted(next - end, "byte") + " between the central directory and its end record",
               at(archive, end));
  }
  if (const uint64_t records = zip::kEnd64RecordSize + zip::kEnd64LocatorSize;
      directory.zip64 && directory.end64_offset + records != directory.end_offset) {
    report.add("ZIP-7",
               "ZIP64 end records of " + std::to_string(directory.end_offset - directory.end64_offset) + " bytes, " +
                   std::to_string(records) + " expected",
               at(archive, directory.end64_offset));
  }
  if (const uint64_t last = directory.end_offset + zip::kEndRecordSize; last != archive.size()) {
    report.add("ZIP-8", "an archive comment of " + counted(archive.size() - last, "byte"), at(archive, last));
  }
}

Entries indexed(Report& report, const ByteSource& archive, const std::vector<zip::CentralEntry>& central,
                const std::vector<uint64_t>& payloads) {
  Entries out;
  for (std::size_t i = 0; i < central.size(); ++i) out.add(central[i].name, payloads[i], central[i].size);
  out.sort();
  for (const std::size_t i : out.names().duplicates()) {
    report.add("ZIP-5", "entry " + in_quotes(central[i].name) + " occurs twice", at(archive, central[i].record_offset));
  }
  return out;
}

}  // namespace

std::optional<Entries> check_zip(Report& report, const ByteSource& archive, bool deep) {
  zip::Directory directory;
  std::vector<zip::CentralEntry> central;
  try {
    directory = find_directory(report, archive);
    central = zip::parse_directory(archive.read({directory.offset, directory.size}), directory);
  } catch (const FormatError& error) {
    report.add("ZIP-1", error, {.path = archive.name()});
    return std::nullopt;
  }
  check_names(report, archive, central);
  check_end(report, archive, directory);
  const auto payloads = check_records(report, archive, directory, central);
  if (deep) check_checksums(report, archive, central, payloads);
  return indexed(report, archive, central, payloads);
}

void require_strict_zip(const ByteSource& archive) {
  Report report;
  check_zip(report, archive, false);
  for (const Issue& issue : report.finish()) {
    if (issue.severity == Severity::Error)
      throw FormatError(issue.message + " (rule " + issue.rule + "); such an archive is not extracted", issue.where);
  }
}

void check_checksums(Report& report, const ByteSource& archive, const std::vector<zip::CentralEntry>& entries,
                     const std::vector<uint64_t>& payloads) {
  Bytes piece;
  const uint64_t file_size = archive.size();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& entry = entries[i];
    if (payloads[i] > file_size || entry.compressed_size > file_size - payloads[i]) continue;  // reported as ZIP-2
    uint32_t crc = 0;
    for (uint64_t done = 0; done < entry.compressed_size; done += piece.size()) {
      piece.resize(std::min(kPiece, entry.compressed_size - done));
      archive.read(payloads[i] + done, piece);
      crc = crc32(piece, crc);
    }
    if (entry.method != 0 || crc == entry.crc32) continue;
    report.add("CRC-1",
               "entry " + in_quotes(entry.name) + ": CRC-32 of its " + std::to_string(entry.size) + " bytes is " +
                   hex(crc) + ", " + hex(entry.crc32) + " expected",
               at(archive, payloads[i]));
  }
}

}  // namespace tacore::validator
