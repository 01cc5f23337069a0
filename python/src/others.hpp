#pragma once

#include "tacore/crs.hpp"
#include "tacore/raster/raster.hpp"

/// Functions by optional Python packages (rasterio, pyproj), which are imported on first use.
namespace tacore::python {

/// Opens rasters that tacore does not decode by rasterio. Throws IoError if it is not installed.
const RasterOpener* raster_opener();

/// Coordinate reference systems that are not built in, by pyproj. Throws SchemaError if it is not installed.
const CrsTransformer* crs_transformer();

}  // namespace tacore::python
