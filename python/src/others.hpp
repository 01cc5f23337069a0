#pragma once

#include "tacore/crs.hpp"
#include "tacore/raster/raster.hpp"

/// What tacore cannot do itself, by packages of the user's environment that are imported when they are first needed.
namespace tacore::python {

/// Rasters that tacore does not decode, by rasterio. Opening one without it throws IoError, which says so.
const RasterOpener* raster_opener();

/// Coordinate systems other than WGS 84, by pyproj. Throws SchemaError without it, which says so.
const CrsTransformer* crs_transformer();

}  // namespace tacore::python
