#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "io/byte_source.hpp"
#include "tortilla/header.hpp"
#include "tortilla/write/plan.hpp"
#include "writer/write_options.hpp"

namespace tacore::v1 {

/// The data after the samples of a file.
struct Tables {
  Bytes before = {};                                 ///< between the samples and the footer
  std::shared_ptr<arrow::Table> footer = {};         ///< of level 0
  std::map<std::string, std::string> metadata = {};  ///< key-values of its Parquet
};

/// The parts of a file that write_tortilla() writes besides the samples.
struct TortillaFile {
  Kind kind = Kind::Tortilla;
  std::string collection = {};  ///< COLLECTION of a TACO
  uint64_t num_partitions = 1;
  /// Called when every sample has its offset. None: only the footer of level 0 is written.
  std::function<Tables(const TortillaPart&)> tables = {};
};

/// Writes one file in one pass: every sample is read once and written to its offset, and the file appears when it is
/// complete. Throws IoError.
void write_tortilla(const TortillaPart& part, const TortillaFile& file, const std::string& target,
                    const WriteOptions& options);

}  // namespace tacore::v1
