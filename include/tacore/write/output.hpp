#pragma once

#include <string>

#include "tacore/write/parquet_options.hpp"

namespace tacore {

/// How output is written, whatever it is.
struct OutputOptions {
  /// Replaces existing output atomically. A folder is replaced only if it is empty or a dataset.
  bool overwrite = false;
  /// Folder in which the output is made before it is renamed, on the same file system; "": the folder of the output.
  std::string temp_dir = {};
  ParquetOptions parquet = {};
};

}  // namespace tacore
