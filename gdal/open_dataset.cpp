#include "open_dataset.hpp"

#include <gdal_priv.h>

#include <mutex>

#include "gdal_error.hpp"
#include "tacore/error.hpp"

namespace tacore::gdal {

void CloseDataset::operator()(GDALDataset* dataset) const noexcept { GDALClose(dataset); }

DatasetPtr open_dataset(const std::string& path, unsigned kind) {
  static std::once_flag registered;
  std::call_once(registered, GDALAllRegister);
  const Quiet quiet;
  DatasetPtr out(GDALDataset::Open(path.c_str(), kind | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR));
  if (!out) throw IoError("GDAL cannot open it" + Quiet::reason(), {.path = path});
  return out;
}

}  // namespace tacore::gdal
