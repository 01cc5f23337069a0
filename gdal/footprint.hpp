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

  /// x before y, whatever axis order the authority defines.
  const OGRSpatialReference& crs() const { return crs_; }
  bool in_degrees() const { return in_degrees_; }

  /// Edges follow the straight ones of the footprint's own CRS; longitudes run on across the antimeridian, so that they
  /// may be beyond 180 degrees. Throws SchemaError for what has no area, cannot be transformed or, in degrees, goes
  /// around a pole.
  OGRMultiPolygon project(const extensions::Footprint& footprint);
  /// The shifts of x, multiples of 360, at which a footprint meets a layer in degrees; in other systems only 0.
  std::vector<double> turns(const OGRMultiPolygon& footprint) const;

 private:
  OGRCoordinateTransformation& from(const std::string& crs);

  OGRSpatialReference crs_;
  bool in_degrees_;
  /// Transformations by CRS: samples share few CRSs, and preparing a transformation takes longer than using it once.
  std::map<std::string, std::unique_ptr<OGRCoordinateTransformation>> known_;
};

}  // namespace tacore::gdal
