#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
#include "validate/names.hpp"
#include "validate/report.hpp"

/// The checks of an archive: its records, the checksums of its entries, and TACO_HEADER.
namespace tacore::validator {

/// The locations of the tables of an index or a ZIP.
struct Tables {
  std::optional<ByteRange> collection = {};
  std::vector<ByteRange> levels = {};
};

/// ZIP-*, and CRC-1 when `deep`. Returns nothing when the archive has no central directory.
std::optional<Entries> check_zip(Report& report, const ByteSource& archive, bool deep);
/// Throws FormatError with the first error of ZIP-*, for archives that will be extracted whole. IoError.
void require_strict_zip(const ByteSource& archive);
/// ZIP-2 to ZIP-7 and ZIP-14: local headers against the directory. Returns the offset of the payload of each entry.
std::vector<uint64_t> check_records(Report& report, const ByteSource& archive, const zip::Directory& directory,
                                    const std::vector<zip::CentralEntry>& entries);
/// CRC-1. `payloads` are the offsets of the bytes of `entries`.
void check_checksums(Report& report, const ByteSource& archive, const std::vector<zip::CentralEntry>& entries,
                     const std::vector<uint64_t>& payloads);

/// HDR-*. Returns the tables listed in the directory, or without one those that the header names.
Tables check_header(Report& report, const ByteSource& archive, const Entries* entries);

}  // namespace tacore::validator
