#include "footprint.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "gdal_crs.hpp"
#include "gdal_error.hpp"
#include "tacore/error.hpp"

namespace tacore::gdal {

namespace {

/// Straight edges are curves in another CRS: an edge as long as the footprint is divided into this many pieces.
constexpr double kPieces = 64;

OGRMultiPolygon parse(const Binary& wkb) {
  OGRGeometry* parsed = nullptr;
  OGRGeometryFactory::createFromWkb(wkb.bytes.data(), nullptr, &parsed, wkb.bytes.size());
  const std::unique_ptr<OGRGeometry> geometry(parsed);
  const auto type = geometry ? wkbFlatten(geometry->getGeometryType()) : wkbUnknown;
  OGRMultiPolygon out;
  if (type == wkbPolygon) {
    out.addGeometry(geometry.get());
  } else if (type == wkbMultiPolygon) {
    out = *geometry->toMultiPolygon();
  }
  if (!(out.get_Area() > 0)) {
    throw SchemaError("footprint: expected a WKB Polygon or MultiPolygon with an area" + Quiet::reason());
  }
  return out;
}

/// Brings each longitude within half a turn of the one before it.
void unwrap(OGRMultiPolygon& polygons) {
  const double first = polygons.getGeometryRef(0)->getExteriorRing()->getX(0);
  for (OGRPolygon* polygon : polygons) {
    for (OGRLinearRing* ring : polygon) {
      double previous = first;
      for (int i = 0; i < ring->getNumPoints(); ++i) {
        const double x = ring->getX(i);
        previous = x - 360 * std::nearbyint((x - previous) / 360);
        ring->setPoint(i, previous, ring->getY(i));
      }
      if (std::abs(ring->getX(0) - ring->getX(ring->getNumPoints() - 1)) > 180) {
        throw SchemaError("footprint: it goes around a pole; a layer in degrees cannot be sampled there");
      }
    }
  }
}

}  // namespace

Projector::Projector(const OGRSpatialReference& to) : crs_(to), in_degrees_(is_in_degrees(to)) {
  crs_.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
}

OGRCoordinateTransformation& Projector::from(const std::string& crs) {
  const auto at = known_.find(crs);
  if (at != known_.end()) return *at->second;
  if (known_.size() >= kMostKept) known_.clear();
  return *known_.try_emplace(crs, transformation(parse_crs(crs), crs_, crs)).first->second;
}

OGRMultiPolygon Projector::project(const extensions::Footprint& footprint) {
  const Quiet quiet;
  OGRMultiPolygon out = parse(footprint.geometry);
  OGREnvelope box;
  out.getEnvelope(&box);
  out.segmentize(std::max(box.MaxX - box.MinX, box.MaxY - box.MinY) / kPieces);
  if (out.transform(&from(footprint.crs)) != OGRERR_NONE) {
    throw SchemaError("footprint: it cannot be transformed from CRS '" + footprint.crs + "'" + Quiet::reason());
  }
  if (in_degrees_) unwrap(out);
  return out;
}

std::vector<double> Projector::turns(const OGRMultiPolygon& footprint) const {
  if (!in_degrees_) return {0};
  OGREnvelope box;
  footprint.getEnvelope(&box);
  // Layers lie within -180 to 360.
  std::vector<double> out;
  for (double turn = std::ceil((-180 - box.MaxX) / 360); turn <= std::floor((360 - box.MinX) / 360); ++turn) {
    out.push_back(360 * turn);
  }
  return out;
}

}  // namespace tacore::gdal
