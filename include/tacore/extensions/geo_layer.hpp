#pragma once

#include <map>
#include <memory>
#include <string>

#include "tacore/visibility.hpp"
#include "tacore/value.hpp"

namespace tacore::extensions {

/// The ground that a sample covers.
struct Footprint {
  std::string crs = {};  ///< a code, WKT, PROJ string or PROJJSON
  Binary geometry = {};  ///< WKB Polygon or MultiPolygon in `crs`, x before y
};

/// Something that is known of every place: elevation, population, the name of a country. tacore_gdal makes layers of
/// local rasters and vector files (`gdal.hpp`).
class TACORE_EXPORT GeoLayer {
 public:
  virtual ~GeoLayer();
  /// A double, the mean over the footprint weighted by area, or a string, the name with the largest part of it. null
  /// where the layer has no data; a part without data counts for nothing. May be called from several threads. Throws
  /// IoError, SchemaError for a footprint without area or in a CRS that is not known.
  virtual Value value(const Footprint& footprint) const = 0;
  /// Where the data come from, and which version of them; recorded with what is computed.
  virtual const std::string& source() const noexcept = 0;
  virtual const std::string& version() const noexcept = 0;
};

/// Layers by what they tell.
using GeoLayers = std::map<std::string, std::shared_ptr<const GeoLayer>>;

}  // namespace tacore::extensions
