#pragma once

#include <cstdint>
#include <string>

#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

struct TiffIndexFileOptions {
  Task task = {};              ///< the unit of its progress is files
  std::string output = {};     ///< "": beside the dataset, as `PATH.headers`, the only place where readers look
  std::string base_path = {};  ///< as in LoadOptions
  bool overwrite = false;
};

struct TiffIndexFileResult {
  std::string path = {};
  int64_t num_headers = 0;
  int64_t num_others = 0;  ///< FILEs that are no TIFF, or one for GDAL
  int64_t num_broken = 0;  ///< TIFFs whose directory cannot be read; a warning names each
};

/// Reads the directory of every TIFF of a dataset once and writes their structure to a file beside it (docs/format.md),
/// so that open_raster() of a sample needs nothing but its pixels. The dataset stays as it is. Once it changes, readers
/// leave the file aside, with a warning. Any TIFF that tacore decodes is described, with its no data.
///
/// Throws what load() throws; ValidationError when there would be nothing in it, and for a TACOLLECTION.json, whose
/// datasets have one each; IoError when the file exists, a sample cannot be read, or `progress` returned false.
TACORE_EXPORT TiffIndexFileResult write_tiff_index(const std::string& path, const TiffIndexFileOptions& options = {});

}  // namespace tacore
