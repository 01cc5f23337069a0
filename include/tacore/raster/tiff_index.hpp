#pragma once

#include <cstdint>
#include <string>

#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// Options of write_tiff_index().
struct TiffIndexFileOptions {
  Task task = {};  ///< progress counts files
  /// Path of the index; "": `PATH.headers` beside the dataset, the only place where readers look.
  std::string output = {};
  std::string base_path = {};  ///< as in LoadOptions
  bool overwrite = false;
};

/// The result of write_tiff_index().
struct TiffIndexFileResult {
  std::string path = {};    ///< path of the index
  int64_t num_headers = 0;  ///< TIFFs in the index
  int64_t num_others = 0;   ///< FILEs that are not TIFF, or TIFFs that only GDAL reads
  int64_t num_broken = 0;   ///< TIFFs with a damaged directory; a warning names each
};

/// Writes a TIFF index: a file beside a dataset with the directory (header) of each of its TIFFs (docs/format.md), so
/// that open_raster() of a sample reads nothing but pixels. The dataset is not changed. When it changes later, readers
/// ignore the index, with a warning. The index contains every TIFF that tacore decodes, with its no-data value.
///
///     write_tiff_index("chips.tacozip");  // writes chips.tacozip.headers
///
/// Throws what load() throws; ValidationError when the index would be empty, and for a TACOLLECTION.json, whose
/// datasets have their own; IoError when the index exists, a sample cannot be read, or `progress` returned false.
TACORE_EXPORT TiffIndexFileResult write_tiff_index(const std::string& path, const TiffIndexFileOptions& options = {});

}  // namespace tacore
