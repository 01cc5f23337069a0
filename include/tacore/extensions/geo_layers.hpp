#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tacore/value.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/extension.hpp"

/// Extensions that sample global layers (elevation, population, countries, ...) at the location of each sample.
namespace tacore::extensions {

/// The area on the ground that a sample covers.
struct Footprint {
  std::string crs = {};  ///< a code, WKT, PROJ string or PROJJSON
  Binary geometry = {};  ///< WKB Polygon or MultiPolygon in `crs`, x before y
};

/// A raster or polygon layer that is sampled at each footprint. tacore_gdal makes layers of local rasters and vector
/// files (`raster/gdal.hpp`); a derived class may query a web service instead:
///
///     class Flat : public GeoLayer {
///       Value value(const Footprint&) const override { return 0.0; }
///       const std::string& source() const noexcept override { return source_; }
///       const std::string& version() const noexcept override { return version_; }
///       std::string source_ = "sea level", version_ = "1";
///     };
class TACORE_EXPORT GeoLayer {
 public:
  virtual ~GeoLayer();
  /// The value at a footprint: a double, the area-weighted mean, or a string, the name that covers the largest part. It
  /// is null where the layer has no data; parts without data are left out of the mean. May be called from several
  /// threads. Throws IoError, and SchemaError for a footprint without area or in an unknown CRS.
  virtual Value value(const Footprint& footprint) const = 0;
  /// The origin of the layer's data and its version; both are stored in the descriptions of the columns.
  virtual const std::string& source() const noexcept = 0;
  virtual const std::string& version() const noexcept = 0;
};

/// Layers by the name of their variable, such as "elevation".
using GeoLayers = std::map<std::string, std::shared_ptr<const GeoLayer>>;

/// The columns `rai:*` for responsible AI: means and names over the footprint of a sample. They are `rai:elevation`
/// (int64, m), `rai:cisi`, `rai:gdp` (USD/year), `rai:hdi`, `rai:gmi`, `rai:pop`, `rai:admin0`, `rai:admin1` and
/// `rai:admin2`. All nine columns are always added; null where the layer has no data or is not given. The descriptions
/// of the columns contain source and version of the layers.
///
/// The footprint is the grid of `stac:crs`, `stac:tensor_shape` and `stac:geotransform`, or else `istac:geometry` in
/// `istac:crs`; the data of the sample is not read.
///
///     sample.extend_with(RAI({{"elevation", std::make_shared<Flat>()}}));
class TACORE_EXPORT RAI : public SampleExtension {
 public:
  /// The layers of `elevation`, `cisi`, `gdp`, `hdi`, `gmi`, `pop`, `admin0`, `admin1` and `admin2`; any may be
  /// missing. Throws SchemaError for other names and for layers without source or version.
  explicit RAI(GeoLayers layers);
  std::vector<FieldDescription> schema() const override;
  /// Throws SchemaError for a sample with neither STAC nor ISTAC columns, a layer with values of the wrong type, and an
  /// index (cisi, hdi, gmi) outside 0 to 1.
  std::vector<Value> compute(const Sample& sample) const override;

 private:
  GeoLayers layers_;
};

/// The names of the variables of GeoEnrich, in the order of its columns: elevation, cisi, precipitation, temperature,
/// soil_clay, soil_sand, soil_carbon, soil_bulk_density, soil_ph, gdp, human_modification, population, admin_countries,
/// admin_states, admin_districts.
TACORE_EXPORT std::vector<std::string> geo_enrich_variables();

/// The columns `geoenrich:<variable>`: values of layers in the square around the centroid of each sample
/// (`stac:centroid`, or else `istac:centroid`). A value is the mean as float, or for admin_* the name that covers the
/// largest part; null where the layer has no data and for a sample without a centroid. The descriptions of the columns
/// contain source and version of the layers.
///
///     tortilla = tortilla.extend_with(GeoEnrich({{"elevation", std::make_shared<Flat>()}}, 10'000));
class TACORE_EXPORT GeoEnrich : public TortillaExtension {
 public:
  /// One column is added for each layer, in the order of geo_enrich_variables(). `scale_m` is the side of the square in
  /// metres, at least 1. Throws SchemaError for other variables, no variable, and layers without source or version.
  explicit GeoEnrich(GeoLayers layers, double scale_m = 5120);
  std::vector<FieldDescription> schema() const override;
  /// Throws SchemaError when no column of centroids exists, and for a layer with values of the wrong type.
  std::vector<std::vector<Value>> compute(const Tortilla& tortilla) const override;

 private:
  GeoLayers layers_;
  double scale_m_;
};

}  // namespace tacore::extensions
