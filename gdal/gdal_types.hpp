#pragma once

#include <gdal_priv.h>

#include <cstring>
#include <optional>

#include "tacore/raster/raster.hpp"

namespace tacore::gdal {

/// nullopt for complex numbers, and for types that tensors do not have.
inline std::optional<DataType> type_of(GDALDataType type) {
  switch (type) {
    case GDT_Byte: return DataType::UInt8;
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
    case GDT_Int8: return DataType::Int8;
#endif
    case GDT_UInt16: return DataType::UInt16;
    case GDT_Int16: return DataType::Int16;
    case GDT_UInt32: return DataType::UInt32;
    case GDT_Int32: return DataType::Int32;
    case GDT_UInt64: return DataType::UInt64;
    case GDT_Int64: return DataType::Int64;
    case GDT_Float32: return DataType::Float32;
    case GDT_Float64: return DataType::Float64;
    default: return std::nullopt;
  }
}

/// The type of the pixels of a band; before GDAL 3.7, signed bytes are bytes with the metadata item PIXELTYPE.
inline std::optional<DataType> type_of(GDALRasterBand& band) {
  const auto out = type_of(band.GetRasterDataType());
  const char* remark = band.GetMetadataItem("PIXELTYPE", "IMAGE_STRUCTURE");
  return out == DataType::UInt8 && remark && std::strcmp(remark, "SIGNEDBYTE") == 0 ? DataType::Int8 : out;
}

}  // namespace tacore::gdal
