#pragma once

#include <optional>

#include "tacore/crs.hpp"
#include "tacore/extensions/stac.hpp"
#include "tacore/raster/raster.hpp"
#include "tacore/write/sample.hpp"

/// STAC metadata of rasters, read from their georeference.
namespace tacore::extensions {

/// The objects that help to locate rasters; both may be missing.
struct RasterPlaces {
  const CrsTransformer* transformer = nullptr;  ///< for a CRS that tacore does not know
  const RasterOpener* fallback = nullptr;       ///< for a CRS without a code, and for formats other than TIFF
};

/// Reads the STAC metadata of a raster: its CRS, geotransform, and shape (bands, rows, columns). The caller sets
/// `time_start`, since a time in the file may be that of the file, not of the acquisition. Throws SchemaError for a
/// raster without CRS or without geotransform (ground control points do not count), FormatError, IoError.
///
///     StacOptions options = to_stac(*open_raster("image.tif"));
///     options.time_start = Timestamp::parse("2024-01-31T10:30:00Z");
///     sample.extend_with(STAC(options));
TACORE_EXPORT StacOptions to_stac(const Raster& raster, const RasterPlaces& with = {});

/// Computes the ISTAC metadata of a raster: its footprint in EPSG:4326, and its centre. The footprint is a Polygon;
/// across the antimeridian it is a MultiPolygon, cut there; around a pole it extends to the pole along all longitudes.
/// Edges that are curved in EPSG:4326 get enough vertices to stay within a thousandth of the size of the footprint.
/// Throws as to_stac(), and SchemaError when corners cannot be transformed.
TACORE_EXPORT IstacOptions to_istac(const Raster& raster, const RasterPlaces& with = {});

/// Options of with_stac() and with_istac() that read rasters.
struct FromRasters {
  RasterPlaces with = {};  ///< helpers for other CRS and formats
  /// Acquisition time of all samples, for levels without a column of times.
  std::optional<Timestamp> time_start = {};
  /// Number of threads that read; 0: one for each processor.
  int jobs = 0;
};

/// Makes a copy of `samples` with all STAC columns, which are read from their rasters. Applies to each level that has
/// `stac:time_start`, or, when `from.time_start` is set, to each level with FILEs, and that has none of `stac:crs`,
/// `stac:tensor_shape` and `stac:geotransform`: these are read from the headers of the FILEs. FOLDERs, padding and
/// samples without a time get null. The remaining columns are computed as by with_stac() of extensions/stac.hpp. Throws
/// as that function, and as to_stac() and open_raster(), with the id of the sample.
TACORE_EXPORT Tortilla with_stac(const Tortilla& samples, const FromRasters& from);

/// Makes a copy of `samples` with all ISTAC columns, whose `istac:crs`, `istac:geometry` and `istac:centroid` are
/// computed from their rasters. Applies and throws as with_stac().
TACORE_EXPORT Tortilla with_istac(const Tortilla& samples, const FromRasters& from);

/// Makes a copy of `samples` with the locations of their TIFFs, when no level has a column of locations. Adds
/// `stac:crs`, `stac:tensor_shape`, `stac:geotransform` and `stac:centroid` to each level with georeferenced TIFFs,
/// null for other samples, for FOLDERs and for remote files, which are not read. `jobs` is the number of threads; 0:
/// one for each processor.
TACORE_EXPORT Tortilla with_raster_places(const Tortilla& samples, const RasterPlaces& with = {}, int jobs = 0);

}  // namespace tacore::extensions
