#pragma once

#include <string>

#include "tacore/write/parquet_options.hpp"

namespace tacore {

/// Options that all functions have that write a dataset.
struct OutputOptions {
  /// Replace existing output atomically. A folder is replaced only if it is empty or a dataset.
  bool overwrite = false;
  /// Folder for the unfinished output, which is renamed when complete; it must be on the same file system. "": the
  /// parent folder of the output.
  std::string temp_dir = {};
  ParquetOptions parquet = {};
};

}  // namespace tacore
