#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/byte_range.hpp"
#include "format/taco_header.hpp"
#include "format/zip_records.hpp"
#include "io/output_file.hpp"

namespace tacore {

/// What comes behind the samples of a TACO ZIP that is being written: tables, COLLECTION.json, directory.
struct ZipOutput {
  OutputFile& file;
  std::vector<zip::CentralEntry> entries = {};  ///< in the order of the archive, TACO_HEADER aside
  uint64_t end = taco_header::kSize;            ///< of what there is so far

  /// An entry at the end. Returns where its bytes lie.
  ByteRange add(std::string name, std::span<const std::byte> bytes, zip::DosTime time);
  /// The header, the directory and its end records.
  void finish(const taco_header::Header& header, zip::DosTime time);
};

}  // namespace tacore
