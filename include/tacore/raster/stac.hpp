#pragma once

#include <optional>

#include "tacore/crs.hpp"
#include "tacore/extensions/stac.hpp"
#include "tacore/raster/raster.hpp"
#include "tacore/write/sample.hpp"

/// The place of a raster in the words of STAC, from its georeference.
namespace tacore::extensions {

/// What is needed to say where rasters lie.
struct RasterPlaces {
  const CrsTransformer* transformer = nullptr;  ///< for a CRS that tacore does not know itself
  const RasterOpener* fallback = nullptr;       ///< for a CRS without a code, and for what is no TIFF
};

/// What STAC says of a raster: CRS, geotransform, and bands, rows and columns as its shape. `time_start` is for the
/// caller to set: when a file says a time, it is that of the file. Throws SchemaError for a raster without CRS or
/// without geotransform (ground control points are none), FormatError, IoError.
TACORE_EXPORT StacOptions to_stac(const Raster& raster, const RasterPlaces& with = {});

/// What ISTAC says of it: its footprint in EPSG:4326, and its centre. The footprint is a Polygon; where it crosses the
/// antimeridian a MultiPolygon, cut there; around a pole it reaches up to it, along all longitudes. Edges that bend
/// have corners enough to stay within a thousandth of its size. Throws as to_stac, and SchemaError when corners have no
/// longitude and latitude.
TACORE_EXPORT IstacOptions to_istac(const Raster& raster, const RasterPlaces& with = {});

struct FromRasters {
  RasterPlaces with = {};
  std::optional<Timestamp> time_start = {};  ///< of all samples, where a level does not say it
  int jobs = 0;                              ///< threads that read; 0 is one for each processor
};

/// The same as with_stac, of rasters: a level that has `stac:time_start`, or with a time given any level of FILEs, and
/// none of `stac:crs`, `stac:tensor_shape` and `stac:geotransform`, first gets these from its FILEs, of which only the
/// headers are read. FOLDERs, padding and samples whose time is null have null. Throws as with_stac, and as to_stac and
/// open_raster, with the id of the sample.
TACORE_EXPORT Tortilla with_stac(const Tortilla& samples, const FromRasters& from);

/// The same for ISTAC: `istac:crs`, `istac:geometry` and `istac:centroid`.
TACORE_EXPORT Tortilla with_istac(const Tortilla& samples, const FromRasters& from);

/// Places of TIFFs, where no level of `samples` has a column of places: `stac:crs`, `stac:tensor_shape`,
/// `stac:geotransform` and `stac:centroid` at each level with TIFFs that say them, null for samples that do not, for
/// FOLDERs and for remote files, which are not read.
TACORE_EXPORT Tortilla with_raster_places(const Tortilla& samples, const RasterPlaces& with = {}, int jobs = 0);

}  // namespace tacore::extensions
