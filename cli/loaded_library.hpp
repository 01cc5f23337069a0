#pragma once

#include <memory>

#include <tacore/crs.hpp>
#include <tacore/raster/gdal.hpp>
#include <tacore/raster/raster.hpp>
#include <tacore/remote.hpp>

/// tacore_gdal (gdal.hpp), which is loaded when it is needed: GDAL would take most of the time of a short command.
namespace tacore::cli {

/// For a CRS that tacore does not know itself; where the library is not installed that is a SchemaError.
const CrsTransformer* transformer();

/// What is no plain TIFF. Loads the library when it is asked to open something; where there is none that is a
/// FormatError.
const RasterOpener* raster_opener();

/// What is at gs://, az://, oss://, swift:// and /vsi... paths, in the same way; where there is no library, none.
const RemoteOpener* remote_opener();

/// The mean of a raster, and the names of polygons, for extensions. Throw SchemaError where there is no library, and as
/// gdal::raster_mean() and gdal::polygon_names().
std::shared_ptr<const extensions::GeoLayer> raster_mean(const gdal::RasterLayer& layer);
std::shared_ptr<const extensions::GeoLayer> polygon_names(const gdal::VectorLayer& layer);

}  // namespace tacore::cli
