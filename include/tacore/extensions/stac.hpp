#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/extension.hpp"
#include "tacore/raster.hpp"

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
class TACORE_EXPORT STAC : public SampleExtension {
 public:
  explicit STAC(const StacOptions& options);
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Sample& sample) const override;
  /// What compute() gives, which depends on no sample.
  const std::vector<Value>& values() const noexcept { return values_; }

 private:
  std::vector<Value> values_;
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
class TACORE_EXPORT ISTAC : public SampleExtension {
 public:
  explicit ISTAC(const IstacOptions& options);
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Sample& sample) const override;
  /// What compute() gives, which depends on no sample.
  const std::vector<Value>& values() const noexcept { return values_; }

 private:
  std::vector<Value> values_;
};

/// What is needed to say where rasters lie.
struct RasterPlaces {
  const CrsTransformer* transformer = nullptr;  ///< for a CRS that tacore does not know itself
  const RasterOpener* others = nullptr;         ///< for a CRS without a code, and for what is no TIFF
};

/// What STAC says of a raster: CRS, geotransform, and bands, rows and columns as its shape. `time_start` is for the
/// caller to set: when a file says a time, it is that of the file. Throws SchemaError for a raster without CRS or
/// without geotransform (ground control points are none), FormatError, IoError.
TACORE_EXPORT StacOptions stac_of(const Raster& raster, const RasterPlaces& with = {});

/// What ISTAC says of it: its footprint in EPSG:4326, and its centre. The footprint is a Polygon; where it crosses the
/// antimeridian a MultiPolygon, cut there; around a pole it reaches up to it, along all longitudes. Edges that bend
/// have corners enough to stay within a thousandth of its size. Throws as stac_of, and SchemaError when corners have no
/// longitude and latitude.
TACORE_EXPORT IstacOptions istac_of(const Raster& raster, const RasterPlaces& with = {});

/// The STAC columns of all samples that have what they are computed from: at each level with `stac:crs`,
/// `stac:tensor_shape`, `stac:geotransform` and `stac:time_start` (a timestamp, or text in RFC 3339), all columns of
/// STAC, behind the other fields. A sample of which one of the four is null has nulls. Throws SchemaError, with the id
/// of the sample, as STAC does; when no level has these columns; and for a column of another type.
TACORE_EXPORT Tortilla with_stac(const Tortilla& samples, const CrsTransformer* transformer = nullptr);

/// The same for ISTAC, from `istac:crs`, `istac:geometry` and `istac:time_start`.
TACORE_EXPORT Tortilla with_istac(const Tortilla& samples, const CrsTransformer* transformer = nullptr);

struct FromRasters {
  RasterPlaces with = {};
  std::optional<Timestamp> time_start = {};  ///< of all samples, where a level does not say it
  int jobs = 0;                              ///< threads that read; 0 is one for each processor
};

/// The same as with_stac, of rasters: a level that has `stac:time_start`, or with a time given any level of FILEs, and
/// none of `stac:crs`, `stac:tensor_shape` and `stac:geotransform`, first gets these from its FILEs, of which only the
/// headers are read. FOLDERs, padding and samples whose time is null have null. Throws as with_stac, and as stac_of and
/// open_raster, with the id of the sample.
TACORE_EXPORT Tortilla with_stac(const Tortilla& samples, const FromRasters& from);

/// The same for ISTAC: `istac:crs`, `istac:geometry` and `istac:centroid`.
TACORE_EXPORT Tortilla with_istac(const Tortilla& samples, const FromRasters& from);

/// Places of TIFFs, where no level of `samples` has a column of places: `stac:crs`, `stac:tensor_shape`,
/// `stac:geotransform` and `stac:centroid` at each level with TIFFs that say them, null for samples that do not, for
/// FOLDERs and for remote files, which are not read.
TACORE_EXPORT Tortilla with_raster_places(const Tortilla& samples, const RasterPlaces& with = {}, int jobs = 0);

/// Places and times of FOLDERs that say none, by their children, so that filters and Items of their level work: where
/// children agree their footprint, else the smallest box that holds them (`istac:crs`, `istac:geometry`), and the time
/// from the first start to the last end (`istac:time_start`, `istac:time_end`). FILEs beside them get their own, since
/// filters take these columns first. Levels that have such columns keep them. Throws FormatError for a geometry that is
/// no WKB.
TACORE_EXPORT Tortilla with_folder_places(const Tortilla& samples, const CrsTransformer* transformer = nullptr);

}  // namespace tacore::extensions
