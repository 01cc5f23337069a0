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

/// Straight edges bend in another CRS: each becomes as many as this, if it is as long as the footprint.
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
        throw SchemaError("footprint: it goes around a pole, where a layer in degrees has no inside");
      }
    }
  }
}

}  // namespace

OGRMultiPolygon project(const extensions::Footprint& footprint, const OGRSpatialReference& to) {
  const Quiet quiet;
  OGRMultiPolygon out = parse(footprint.geometry);
  OGREnvelope box;
  out.getEnvelope(&box);
  out.segmentize(std::max(box.MaxX - box.MinX, box.MaxY - box.MinY) / kPieces);
  const auto transform = transformation(parse_crs(footprint.crs), to, footprint.crs);
  if (out.transform(transform.get()) != OGRERR_NONE) {
    throw SchemaError("footprint: it cannot be transformed from CRS '" + footprint.crs + "'" + Quiet::reason());
  }
  if (is_in_degrees(to)) unwrap(out);
  return out;
}

std::vector<double> turns(const OGRMultiPolygon& footprint, const OGRSpatialReference& crs) {
  if (!is_in_degrees(crs)) return {0};
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
