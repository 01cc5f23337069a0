#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/extensions/constant.hpp"

/// Location and time of samples, with the terms of STAC (SpatioTemporal Asset Catalog). Error messages begin with
/// `sample_id`. The centroid is a WKB Point of longitude and latitude; a given centroid is stored unchanged.
/// `time_middle` is halfway between start and end, rounded down, when there is an end and no middle is given. All
/// functions and constructors throw SchemaError.
///
/// The CRS must be built in or known to `transformer` (see CrsTransformer). Codes of SR-ORG, which has no maintained
/// database, are accepted with a given centroid.
namespace tacore::extensions {

/// The arguments of STAC.
struct StacOptions {
  std::string sample_id = {};
  std::string crs = {};
  std::vector<int64_t> tensor_shape = {};   ///< the last two are rows and columns
  std::array<double, 6> geotransform = {};  ///< from pixel to CRS, in GDAL's order
  Timestamp time_start = {};
  std::optional<Timestamp> time_end = {};  ///< not before the start
  std::optional<Timestamp> time_middle = {};
  std::optional<Binary> centroid = {};
  const CrsTransformer* transformer = nullptr;  ///< used while constructing
};

/// The columns `stac:*`: location and time of a sample on a regular grid. Without a given centroid it is the centre of
/// the grid, whose longitude is wrapped to at most 180 degrees when the grid is in degrees from 0 to 360.
///
///     sample.extend_with(STAC({.crs = "EPSG:32630",
///                              .tensor_shape = {3, 256, 256},
///                              .geotransform = {500000, 10, 0, 4400000, 0, -10},
///                              .time_start = Timestamp::parse("2024-01-31")}));
struct TACORE_EXPORT STAC : SampleColumns {
  explicit STAC(const StacOptions& options);
};

/// The arguments of ISTAC.
struct IstacOptions {
  std::string sample_id = {};
  std::string crs = {};
  Binary geometry = {};  ///< WKB in `crs`: ISO or EWKB, either byte order, any type, not empty
  Timestamp time_start = {};
  std::optional<Timestamp> time_end = {};  ///< not before the start
  std::optional<Timestamp> time_middle = {};
  std::optional<Binary> centroid = {};
  /// In a geographic CRS, connect two longitudes on the shorter way: an edge from 179 to -179 then crosses the
  /// antimeridian.
  bool check_antimeridian = false;
  const CrsTransformer* transformer = nullptr;  ///< used while constructing
};

/// The columns `istac:*`: location and time of a sample without a regular grid. Without a given centroid it is the
/// planar centroid of the geometry: of its areas, else of its lines, else of its points.
///
///     sample.extend_with(ISTAC({.crs = "EPSG:4326", .geometry = wkb, .time_start = Timestamp::parse("2024-01-31")}));
struct TACORE_EXPORT ISTAC : SampleColumns {
  explicit ISTAC(const IstacOptions& options);
};

/// Makes a copy of `samples` with all STAC columns, at each level that has `stac:crs`, `stac:tensor_shape`,
/// `stac:geotransform` and `stac:time_start` (a timestamp, or text in RFC 3339). New columns come after the other
/// fields. A sample where one of the four is null gets nulls. Throws SchemaError, with the id of the sample, as STAC
/// does; also when no level has these columns, and for a column of another type.
TACORE_EXPORT Tortilla with_stac(const Tortilla& samples, const CrsTransformer* transformer = nullptr);

/// Makes a copy of `samples` with all ISTAC columns, at each level that has `istac:crs`, `istac:geometry` and
/// `istac:time_start`, in the same way as with_stac().
TACORE_EXPORT Tortilla with_istac(const Tortilla& samples, const CrsTransformer* transformer = nullptr);

}  // namespace tacore::extensions
