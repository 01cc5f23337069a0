#pragma once

#include <memory>
#include <string>

class GDALDataset;

namespace tacore::gdal {

struct CloseDataset {
  void operator()(GDALDataset* dataset) const noexcept;
};
using DatasetPtr = std::unique_ptr<GDALDataset, CloseDataset>;

/// Opens a dataset for reading. `kind` is GDAL_OF_RASTER or GDAL_OF_VECTOR. Throws IoError.
DatasetPtr open_dataset(const std::string& path, unsigned kind);

}  // namespace tacore::gdal
