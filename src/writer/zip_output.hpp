#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/byte_range.hpp"
#include "format/taco_header.hpp"
#include "format/zip_records.hpp"
#include "io/output_file.hpp"

namespace tacore {

/// The end of a TACO ZIP being written: the entries after the samples (tables, COLLECTION.json), and the directory.
struct ZipOutput {
  OutputFile& file;
  std::vector<zip::CentralEntry> entries = {};  ///< in the order of the archive, TACO_HEADER aside
  uint64_t end = taco_header::kSize;            ///< the size of the archive so far

  /// Appends an entry. Returns the location of its bytes.
  ByteRange add(std::string name, std::span<const std::byte> bytes, zip::DosTime time);
  /// Writes TACO_HEADER, the central directory and its end records.
  void finish(const taco_header::Header& header, zip::DosTime time);
};

}  // namespace tacore
