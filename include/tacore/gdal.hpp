#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "tacore/crs.hpp"
#include "tacore/export.hpp"
#include "tacore/extensions/geo_layer.hpp"

/// What only GDAL and PROJ can do: the library tacore_gdal (CMake: component `gdal`, target `tacore::gdal`).
namespace tacore::gdal {

/// Knows every system that PROJ knows. Its functions may be called from several threads. Reads no files and no network.
TACORE_EXPORT std::shared_ptr<const CrsTransformer> crs_transformer();

struct RasterLayer {
  std::string path = {};  ///< whatever GDAL opens
  int band = 1;
  std::string source = {};   ///< for GeoLayer::source()
  std::string version = {};  ///< for GeoLayer::version()
};

/// The mean of a raster: pixels count by the part of them that the footprint covers, and in a geographic raster by
/// their size on the ground. Scale and offset of the band are applied; no data, masked and NaN pixels are left out.
/// Throws IoError when it cannot be opened, SchemaError when it has no such band or no place on the ground.
TACORE_EXPORT std::shared_ptr<const extensions::GeoLayer> raster_mean(const RasterLayer& layer);

/// The name of the code that covers most of the footprint, by the same weights. Codes without a name are no data.
/// Throws as raster_mean.
TACORE_EXPORT std::shared_ptr<const extensions::GeoLayer> raster_names(const RasterLayer& layer,
                                                                       std::map<int64_t, std::string> names);

/// Names by code for raster_names, from a table that GDAL opens (CSV, for example). Throws IoError, SchemaError for
/// columns that are not there, codes that are no integers, and two names for one.
TACORE_EXPORT std::map<int64_t, std::string> read_names(const std::string& path, const std::string& code_column,
                                                        const std::string& name_column);

struct VectorLayer {
  std::string path = {};     ///< whatever GDAL opens
  std::string layer = {};    ///< empty: the first one
  std::string field = {};    ///< holds the names
  std::string source = {};   ///< for GeoLayer::source()
  std::string version = {};  ///< for GeoLayer::version()
};

/// The name of the polygons that cover most of the footprint; the first one of the layer where two cover the same.
/// Throws IoError when it cannot be opened, SchemaError when it has no such layer or field, or no CRS.
TACORE_EXPORT std::shared_ptr<const extensions::GeoLayer> polygon_names(const VectorLayer& layer);

/// crs_transformer() for programs that load this library (dlopen) only when they need it, since GDAL takes 30 ms to load. Lives
/// as long as the library.
extern "C" TACORE_EXPORT const CrsTransformer* tacore_gdal_crs_transformer();

}  // namespace tacore::gdal
