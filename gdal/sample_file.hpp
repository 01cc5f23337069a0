#pragma once

#include <memory>
#include <string>

#include "open_dataset.hpp"

namespace tacore::gdal {

/// A file of a sample, which GDAL can open again and again. What it reads from real files only, netCDF and HDF5, is
/// copied out of containers: to an anonymous (unlinked) file in TMPDIR (else /tmp), removed with this object.
/// Immutable.
class SampleFile {
 public:
  /// Throws IoError when it cannot be copied.
  explicit SampleFile(std::string path);

  /// The path as it was given.
  const std::string& path() const noexcept { return path_; }

  /// For reading, once more. `kind` is GDAL_OF_RASTER or GDAL_OF_MULTIDIM_RASTER. Only what the file itself holds is
  /// read: drivers that follow references to other files or hosts (VRT, WMS, ...) are left out. Throws IoError when
  /// there is no such file, FormatError when GDAL cannot decode it.
  DatasetPtr open(unsigned kind) const;

 private:
  class Copy;

  std::string path_;
  std::shared_ptr<const Copy> copy_ = {};  ///< what GDAL opens instead
};

}  // namespace tacore::gdal
