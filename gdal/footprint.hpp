#pragma once

#include <ogr_geometry.h>
#include <ogr_spatialref.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tacore/extensions/geo_layers.hpp"

namespace tacore::gdal {

/// Brings footprints into the CRS of a layer. For one thread at a time.
class Projector {
 public:
  explicit Projector(const OGRSpatialReference& to);

  /// x before y, whatever the authority says.
  const OGRSpatialReference& crs() const { return crs_; }
  bool in_degrees() const { return in_degrees_; }

  /// Edges follow the straight ones of the footprint's own CRS; longitudes run on across the antimeridian, so that they
  /// may be beyond 180 degrees. Throws SchemaError for what has no area, cannot be transformed or, in degrees, goes
  /// around a pole.
  OGRMultiPolygon project(const extensions::Footprint& footprint);
  /// By how much x of a footprint is moved to meet a layer in degrees in every turn of the globe; 0 alone in other
  /// systems.
  std::vector<double> turns(const OGRMultiPolygon& footprint) const;

 private:
  OGRCoordinateTransformation& from(const std::string& crs);

  OGRSpatialReference crs_;
  bool in_degrees_;
  /// Samples share few systems, and to prepare one takes longer than a mean.
  std::map<std::string, std::unique_ptr<OGRCoordinateTransformation>> known_;
};

}  // namespace tacore::gdal
