#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/extensions/constant.hpp"

/// Where and when samples lie, in the words of STAC. `sample_id` is put before messages. The centroid is a WKB Point of
/// longitude and latitude; one that is given is kept as it is. `time_middle` is halfway between start and end, rounded
/// down, when there is an end and no middle is given. All throw SchemaError.
///
/// The CRS is checked always: it is one that tacore knows itself, or one that `transformer` knows (see CrsTransformer).
/// Codes of SR-ORG, of which nobody keeps a database, are accepted with a given centroid.
namespace tacore::extensions {

struct StacOptions {
  std::string sample_id = {};
  std::string crs = {};
  std::vector<int64_t> tensor_shape = {};   ///< the last two are rows and columns
  std::array<double, 6> geotransform = {};  ///< pixel to CRS, in GDAL's order
  Timestamp time_start = {};
  std::optional<Timestamp> time_end = {};  ///< not before the start
  std::optional<Timestamp> time_middle = {};
  std::optional<Binary> centroid = {};
  const CrsTransformer* transformer = nullptr;  ///< used while constructing
};

/// A sample on a regular grid. Without a given centroid it is the centre of the grid; its longitude is brought within
/// 180 degrees when the grid is in degrees and runs on to 360.
struct TACORE_EXPORT STAC : SampleColumns {
  explicit STAC(const StacOptions& options);
};

struct IstacOptions {
  std::string sample_id = {};
  std::string crs = {};
  Binary geometry = {};  ///< WKB in `crs`: ISO or EWKB, either byte order, any type, not empty
  Timestamp time_start = {};
  std::optional<Timestamp> time_end = {};  ///< not before the start
  std::optional<Timestamp> time_middle = {};
  std::optional<Binary> centroid = {};
  /// Longitudes of a geographic system take the shorter way: an edge from 179 to -179 crosses the antimeridian.
  bool check_antimeridian = false;
  const CrsTransformer* transformer = nullptr;  ///< used while constructing
};

/// A sample without a regular grid. Without a given centroid it is the planar centroid of the geometry: of its areas,
/// else of its lines, else of its points.
struct TACORE_EXPORT ISTAC : SampleColumns {
  explicit ISTAC(const IstacOptions& options);
};

/// The STAC columns of all samples that have what they are computed from: at each level with `stac:crs`,
/// `stac:tensor_shape`, `stac:geotransform` and `stac:time_start` (a timestamp, or text in RFC 3339), all columns of
/// STAC, behind the other fields. A sample of which one of the four is null has nulls. Throws SchemaError, with the id
/// of the sample, as STAC does; when no level has these columns; and for a column of another type.
TACORE_EXPORT Tortilla with_stac(const Tortilla& samples, const CrsTransformer* transformer = nullptr);

/// The same for ISTAC, from `istac:crs`, `istac:geometry` and `istac:time_start`.
TACORE_EXPORT Tortilla with_istac(const Tortilla& samples, const CrsTransformer* transformer = nullptr);

}  // namespace tacore::extensions
